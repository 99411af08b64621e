// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "solver/body/flight.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// A made-up trial whose truth is known: two distorted cameras 0.35 m apart look at a bar with six
/// markers that is held still, let go, strikes the surface with a jump in velocity and flies off.
/// Pixels come from OpenCV's projection, not from ours.
struct SyntheticTrial {
  calibration::RigCalibration calibration;
  capture::MarkedBody body;
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.80665);
  double frame_rate = 120.0;
  int num_frames = 60;
  double release_time = 0.0997;
  double impact_time = 0.3041;
  double right_offset =
      0.0;  ///< the right camera's frames are later than the left one's by this [s]
  std::vector<double> further_offsets = {};  ///< likewise those of the cameras after it
  double line_time = 0.0;                    ///< of both cameras' rolling shutters [s]
  bool planar = false;
  solver::FlightState<double> before;  ///< at the impact
  Eigen::Vector3d v_post, w_post;

  double OffsetOf(int side) const {
    return side == 0 ? 0.0 : side == 1 ? right_offset : further_offsets.at(side - 2);
  }
  /// Truth at a time: at rest until the release, then flight, impact, flight.
  solver::FlightState<double> StateAt(double time) const;
};

SyntheticTrial MakeSyntheticTrial();

/// The same before four cameras: the two, and one on either side of them further off the middle,
/// whose frames lie in between by parts of a frame.
SyntheticTrial MakeFourCameraTrial();

/// A rod in the plane y = 0, seen by one distorted camera that is turned from the plane's normal by
/// some degrees. Its four markers are on one line, on the side of the camera.
SyntheticTrial MakePlanarTrial();

MarkerLayout LayoutOf(const SyntheticTrial& trial);

/// Pixel of a world point by cv::projectPoints.
Eigen::Vector2d OpenCvPixel(const calibration::RigCalibration& calibration, int side,
                            const Eigen::Vector3d& p_W);

struct SpotOptions {
  double noise_px = 0.0;
  double hidden_fraction = 0.0;  ///< of markers, at random in every frame and view
  bool clutter = true;           ///< ten fixed spots per view
};

/// Spots of both videos, in a shuffled order per frame.
std::array<VideoSpots, 2> MakeSpots(const SyntheticTrial& trial, const SpotOptions& options,
                                    std::mt19937* random);

/// Of the videos of all cameras; the same for the first two.
std::vector<VideoSpots> MakeSpotsOfAll(const SyntheticTrial& trial, const SpotOptions& options,
                                       std::mt19937* random);

/// Frames with the true labels and poses, as LabelSpots would give them. The sightings carry the
/// times at which they were seen. Poses are those at the frame's time, from all sightings as if
/// they had been seen then.
std::vector<TrackedFrame> MakeTrackedFrames(const SyntheticTrial& trial, double noise_px,
                                            std::mt19937* random);

/// What LabelSpots makes of the spots of all videos, whose alignment is known.
TrackedTrial LabelTrial(const SyntheticTrial& trial, const std::array<VideoSpots, 2>& spots,
                        std::string* reason);

/// Largest distance of a labelled sighting from where its marker truly is [px].
double WorstLabel(const SyntheticTrial& trial, double time,
                  const std::vector<MarkerObservation>& observations);

}  // namespace percuss::tracking
