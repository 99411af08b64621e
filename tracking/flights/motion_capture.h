// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "capture/experiment/motion_source.h"
#include "tracking/flights/flight_segmentation.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// A trial as another motion-capture system measured it.
struct MotionCapture {
  std::vector<TrackedFrame> frames;  ///< with points or pose_observation; the pose from these
  bool planar = false;               ///< the motion is in the x-z plane, the table has an angle
  double position_sigma = 0.0;       ///< of a coordinate, stated or estimated [m]
  double angle_sigma = 0.0;          ///< poses alone [rad]
  std::vector<std::string> warnings;
};

/// Reads a table of poses or a file of marker trajectories, in W.
///
///  - Poses: cells are taken as the source's columns say; what it does not name is looked for under
///    its own name (time also as `t`). Without times, row k is at k / frame_rate, or at frame /
///    frame_rate. A row with an empty cell has no pose.
///  - Markers: names of the file are matched with those of the body, if need be without what stands
///    before a colon ("Subject:A1"). A frame with three markers that are not on one line has the
///    pose that fits them best (AlignPoints).
///
/// Where the source states no sigmas, those of poses are taken from third differences in time,
/// which hardly see a smooth motion: the median of their sizes over 0.6745 sqrt(20); those of
/// markers from their distances to the body's pose. Both are the part that varies from frame to
/// frame; RaiseSigmasToFlights adds what drifts, and the fit of the arcs scales to its residuals.
///
/// @throws InputError naming file, row and column (or field): text where a number is due, no such
///   column, times that do not rise, quaternions that are not unit, cells that are missing, too few
///   markers with known names.
MotionCapture ReadMotionCapture(const capture::MotionSource& source,
                                const capture::MarkedBody& body);

/// Poses that were filtered vary little from frame to frame, and yet are further from where the
/// body was: no flight then fits to within sigmas that differences show, and each frame beside an
/// impact looks smeared. Raises the sigmas that the source does not state to the median over
/// flights of their rms distance from free fall and torque-free rotation, degrees of freedom taken
/// off.
void RaiseSigmasToFlights(const capture::MotionSource& source, std::span<const FlightArc> flights,
                          const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity,
                          MotionCapture* motion, std::vector<TrackedFrame>* frames);

}  // namespace percuss::tracking
