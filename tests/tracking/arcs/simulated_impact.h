// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <random>
#include <string>

#include "tests/tracking/flights/synthetic_motion.h"
#include "tracking/arcs/impact_arcs.h"

namespace percuss::tracking {

/// Sigmas of a good calibration, independent of each other: 0.1 px in focal length and centre, 0.03
/// mrad and 0.02 mm between each camera and the first, 0.1 mrad and 0.05 mm of the surface frame.
/// The two views of a marker then disagree by some 0.15 px.
Eigen::VectorXd CalibrationSigmas(int num_cameras);

struct SimulationOptions {
  /// 0: calibration without errors; 1: errors drawn from its covariance, anew for every trial.
  bool calibration_errors = true;
  int num_cameras = 2;  ///< 1: the left one alone; up to 4: MakeFourCameraTrial
  /// Standard deviation of what the clocks of all cameras but the left one are behind, which the
  /// fit finds [frames]; 0: they are exact.
  double clock_sigma_frames = 0.0;
  double shared_bias_px = 0.0;  ///< as in ObservationOptions
  double shared_bias_frames = 10.0;
  /// The hand lets go bit by bit during this time, turning the body a little (Carry::slip) [s].
  double slip = 0.0;
  ArcFitOptions fit = {};
};

/// Estimate of one simulated impact and its truth. Errors are estimates less truth in the order
/// (time, ImpactIndex).
struct SimulatedImpact {
  static constexpr int kSize = 1 + impacts::kImpactDimension;
  using Vector = Eigen::Matrix<double, kSize, 1>;
  using Matrix = Eigen::Matrix<double, kSize, kSize>;
  std::string failure;  ///< empty if there is an estimate
  Vector error = Vector::Zero();
  Matrix covariance = Matrix::Zero();  ///< as stated; between time and the rest: zero
  /// Cramer-Rao bound of an estimator that knows the sigmas and the release, calibration included.
  Matrix bound = Matrix::Zero();
  ImpactFit fit;
  std::vector<double> later;  ///< what the clock of each camera is behind [s], as drawn
};

/// A body with six or twenty-four markers (in turns) is let go, tumbles, strikes the surface and
/// flies off, all at random, filmed at 60 to 240 Hz; markers that face away, and a
/// tenth of the others, are not seen. The same seed gives the same trial.
SimulatedImpact SimulateImpact(unsigned seed, const SimulationOptions& options);

}  // namespace percuss::tracking
