// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fitting/estimate/coefficient_fit.h"

namespace percuss::fitting {

/// What one law makes of the sightings of all trials.
struct PixelFit {
  std::string law;
  bool converged = false;
  std::string message;  ///< why there is no answer, or what it rests on
  std::vector<ParameterEstimate> parameters;
  Eigen::MatrixXd covariance;  ///< of the parameters, interval_scale included
  int num_trials = 0;
  /// By how much the whitened sum of squares is larger than with the velocities after the impacts
  /// free: chi-square with `dof` degrees of freedom if the law is right.
  double misfit = kNaN;
  int dof = 0;
  double interval_scale = kNaN;  ///< sqrt(max(1, misfit / dof))
  /// Corrections of the calibration that the sightings of all trials ask for, in sigmas of its own
  /// covariance: root mean square over its independent directions.
  double calibration_shift = kNaN;
};

}  // namespace percuss::fitting
