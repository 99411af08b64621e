// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracking/flights/flight_segmentation.h"

namespace percuss::tracking {

struct TorqueFreeOptions {
  /// Largest mean chi-square per degree of freedom of a flight's rotation against Euler's
  /// equations.
  double max_reduced_chi2 = 4.0;
  double sigma_floor = 2.0e-3;  ///< [rad] added to the rotation's own sigma: misplaced markers
  int min_frames = 5;           ///< a flight that keeps fewer is none
};

/// Axis times angle of a rotation, angle from 0 to pi [rad].
Eigen::Vector3d RotationVector(const Eigen::Quaterniond& q);

/// Least squares of rotation and angular velocity, torque-free, to the poses of frames first..last.
struct RotationFit {
  double chi2 = 0.0;  ///< of the rotation vectors between fitted and seen poses
  int degrees_of_freedom = 0;
  /// Of the frames that have a pose, places in the list and their own share of chi2.
  std::vector<std::pair<int, double>> frames;
  double ReducedChi2() const { return chi2 / std::max(1, degrees_of_freedom); }
};

/// @param inertia_B any multiple of the inertia will do
/// @param noise_scale by which the sigmas of the poses are multiplied
RotationFit FitTorqueFreeRotation(std::span<const TrackedFrame> frames, int first, int last,
                                  const Eigen::Matrix3d& inertia_B, double noise_scale,
                                  double sigma_floor);

/// Keeps of each flight the part whose rotation obeys I w' + w x (I w) = 0: a body that is held or
/// rolls can have a mass centre that looks ballistic for a while. Ends are taken off, the one that
/// fits worse first, until the rest fits; flights of which too little is left go. Says of each cut
/// which left frames went and why.
std::vector<std::string> KeepTorqueFree(std::span<const TrackedFrame> frames,
                                        const Eigen::Matrix3d& inertia_B,
                                        const Eigen::Vector3d& gravity,
                                        const TorqueFreeOptions& options,
                                        std::vector<FlightArc>* arcs);

}  // namespace percuss::tracking
