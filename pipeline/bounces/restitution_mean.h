// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "base/value_with_sigma.h"

namespace percuss::pipeline {

/// One coefficient of restitution for several bounces.
struct RestitutionMean {
  ValueWithSigma e;
  double scatter = 0.0;     ///< standard deviation of single bounces beyond their sigmas
  double chi_square = 0.0;  ///< of the bounces about the mean, without scatter
  int dof = 0;
  ValueWithSigma slope;  ///< de/dv [s/unit]; NaN of fewer than three bounces
};

/// Generalised least squares with the covariance of the bounces. Where they differ by more than
/// their sigmas (p < 0.05), single bounces scatter: the variance that brings the
/// chi-square to its mean is added to each (R. C. Paule, J. Mandel, Consensus values and weighting
/// factors, J. Res. NBS 87, 1982). The sigma of the mean is such that 1.96 of it hold in 95 of 100
/// cases although the scatter is estimated from few bounces (Student's quantile).
/// @param speeds before each bounce, for the slope
RestitutionMean MeanOf(const Eigen::VectorXd& e, const Eigen::MatrixXd& covariance,
                       const Eigen::VectorXd& speeds);

}  // namespace percuss::pipeline
