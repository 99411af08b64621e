// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <random>
#include <vector>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/flights/synthetic_motion.h"

namespace percuss::tracking {

/// A bar on a plate, seen by the cameras of MakeSyntheticTrial. It rests until `start` and slides
/// down along x; the plate is at rest, gravity tilted in W, or is tilted from level about y.
struct SyntheticSlide {
  double mu_k = 0.25;
  double angle = 0.35;       ///< of a plate at rest [rad]
  double start = 0.3;        ///< [s]; of a plate that is tilted until mu_s is reached: set from it
  double start_speed = 0.0;  ///< [m/s]
  double mu_change = 0.0;    ///< of mu_k from the start to the end of 0.2 m of way
  double tilt_rate = 0.0;    ///< [rad/s]; 0: the plate is at rest
  double mu_s = 0.3;         ///< of a plate that is tilted
  Eigen::Vector2d axis = {0.25, -0.02};  ///< of the tilt, x and z in W [m]
  double x_start = -0.12;                ///< of the mass centre [m]
  double stop = 1e9;                     ///< an end stop: longest way [m]

  Eigen::Vector3d Gravity() const;  ///< W
  SyntheticMotion Motion(const capture::MarkedBody& body) const;
};

/// The start of a plate that is tilted at this rate: where the tangential over the normal force,
/// with the centripetal one, is mu_s.
double StartOfTilt(const SyntheticSlide& slide, double height);

std::vector<TrackedFrame> ObserveSlide(const SyntheticSlide& slide, const SyntheticTrial& setting,
                                       const ObservationOptions& options, std::mt19937* random);

}  // namespace percuss::tracking
