// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/surface_plane.h"
#include "solver/body/flight.h"
#include "solver/body/rigid_body.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// Frames first..last (places in the list of tracked frames, both included) between which the body
/// flies freely.
struct FlightArc {
  int first = 0;
  int last = 0;
  Eigen::Vector3d p_WB =
      Eigen::Vector3d::Zero();  ///< mass centre at the time of frame `first`, fitted
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< its velocity there [m/s]
};

struct SegmentationOptions {
  int min_frames = 5;             ///< of an arc; fewer cannot tell flight from rest at 120 Hz
  double max_reduced_chi2 = 4.0;  ///< of a whole arc
  double frame_gate = 30.0;       ///< chi-square (3) of one more frame against the arc so far
  double sigma_floor = 1.0e-4;    ///< [m] added to the pose's own sigma
  /// The downward acceleration of an arc by itself must be known this many times better than
  /// gravity is large: a few frames of a fast camera look ballistic whatever the body does.
  double min_gravity_sigmas = 5.0;
  int max_gap_frames = 4;    ///< between the arcs on both sides of an impact
  int min_clear_frames = 3;  ///< of a flight that its height shows, AddClearFlights
  double clearance = 0.005;  ///< [m] of the lowest point; higher up, the surface is not touched
  double height_tolerance =
      0.01;  ///< [m] of the lowest point above or below the surface at the impact
  calibration::SurfacePlane surface = {};  ///< that the body hits
};

/// By how much the sigmas of the poses fall short, from the reprojection errors: root of the median
/// over the frames of their mean squared error in sigmas, at least 1. The median is not moved by a
/// few bad frames.
double PoseNoiseScale(std::span<const TrackedFrame> frames);

/// All maximal runs of frames whose mass centre follows p0 + v0 t + g t^2 / 2 with the known g,
/// longest first claimed, in order of time. Frames without a pose are skipped over.
std::vector<FlightArc> FindFlightArcs(std::span<const TrackedFrame> frames,
                                      const Eigen::Vector3d& gravity,
                                      const SegmentationOptions& options = {});

/// Height of the lowest point of a body above a surface [m].
double LowestHeight(const solver::Shape& shape, const BodyPose& pose,
                    const calibration::SurfacePlane& surface = {});

/// The surface where it is placed; else through the point nearest to it that any pose reached.
calibration::SurfacePlane Placed(calibration::SurfacePlane surface, const solver::Shape& shape,
                                 std::span<const TrackedFrame> frames);

/// Adds flights of too few frames to show gravity, as of a body that turns its markers away soon
/// after it bounced: what is clear of the surface falls freely. Where no flight follows within
/// `max_gap_frames` of another, these are the longest run that begins there, whose mass centre
/// follows a parabola that does not contradict gravity, and whose lowest point is above `clearance`
/// in `min_clear_frames` frames.
void AddClearFlights(std::span<const TrackedFrame> frames, const solver::Shape& shape,
                     const Eigen::Vector3d& gravity, const SegmentationOptions& options,
                     std::vector<FlightArc>* arcs);

/// Two arcs that meet on the surface: a first guess for the fit of impact_arcs.h.
struct ImpactGuess {
  FlightArc before, after;
  double time = 0.0;                  ///< [s]
  solver::FlightState<double> state;  ///< at `time`, before
  Eigen::Vector3d v_post = Eigen::Vector3d::Zero();
  Eigen::Vector3d w_post = Eigen::Vector3d::Zero();
};

/// Neighbouring arcs whose mass-centre paths meet between them, where the lowest point of the body
/// is at the surface (if that is placed) and the velocity jumps away from it. `reason` says what
/// was found when there is none.
std::vector<ImpactGuess> FindImpacts(std::span<const TrackedFrame> frames,
                                     std::span<const FlightArc> arcs, const solver::Shape& shape,
                                     const Eigen::Vector3d& gravity,
                                     const SegmentationOptions& options, std::string* reason);

}  // namespace percuss::tracking
