// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "tracking/arcs/impact_arcs.h"
#include "tracking/baselines/state_method.h"
#include "tracking/pose/flight_estimate.h"

namespace percuss::tracking {

struct RtsOptions {
  /// White noise of the accelerations: the velocity wanders by this times sqrt(seconds). Small,
  /// since the flight is ballistic: 5e-5 m/s and 5e-4 rad/s over a quarter of a second.
  double acceleration_noise = 1.0e-4;          ///< [m/s^1.5]
  double angular_acceleration_noise = 1.0e-3;  ///< [rad/s^1.5]
  double min_facing = 0.3;                     ///< as in ArcFitOptions
  double reject_sigmas = 6.0;  ///< a sighting farther from the smoothed flight is left out
  int min_frames = 4;          ///< of a flight
  double noise_scale = 1.0;    ///< by which the pixel sigmas are multiplied

  FlightNoise Noise() const { return {acceleration_noise, angular_acceleration_noise}; }
};

struct SmoothedFlight {
  bool usable = false;
  std::string reason;                     ///< why not
  std::vector<FlightEstimate> estimates;  ///< one per frame used, in order of time
  Innovations innovations;                ///< without the first two frames, which settle the state
  int rejected = 0;                       ///< sightings left out as outliers
};

/// Rauch-Tung-Striebel smoother of one free flight: a Kalman filter over the frames, then the
/// backward pass (H. Rauch, F. Tung, C. Striebel, AIAA Journal 3(8), 1965), both for the error
/// vector above. Between frames the state follows solver::PropagateFlight; in a frame it is
/// corrected by all sightings of both cameras. The passes are repeated, linearised at the smoothed
/// states of the pass before (iterated extended smoother: B. Bell, SIAM J. Optimization 4(3),
/// 1994), at first at each frame's own pose. The prior of the first frame is so wide (5 cm, 0.5
/// rad, 5 m/s, 50 rad/s) that it carries no weight. Frames without a pose are passed over.
SmoothedFlight SmoothFlight(std::span<const TrackedFrame> frames, const MarkerLayout& layout,
                            const Views& views, const Eigen::Matrix3d& inertia_B,
                            const Eigen::Vector3d& gravity, const RtsOptions& options = {});

struct RtsStates {
  bool usable = false;
  std::string reason;  ///< why not
  SideStates before, after;
  SmoothedFlight flight_before, flight_after;
};

/// Velocities at an impact from SmoothFlight of the frames before it and, by itself, of those after
/// it, the frames being those of the fitted arcs; each flown on to the instant of the impact. The
/// covariance is that of the pixels alone.
RtsStates EstimateRtsStates(std::span<const TrackedFrame> frames, const ImpactFit& fit,
                            const MarkerLayout& layout, const Views& views,
                            const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity,
                            const RtsOptions& options = {});

}  // namespace percuss::tracking
