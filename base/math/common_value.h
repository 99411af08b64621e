// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "base/value_with_sigma.h"

namespace percuss {

/// One value for several measurements of it.
struct CommonValue {
  ValueWithSigma mean;
  double scatter = 0.0;     ///< standard deviation of single measurements beyond their sigmas
  double chi_square = 0.0;  ///< about the mean, without scatter
  int dof = 0;
  double p = 1.0;        ///< probability of a larger chi-square
  ValueWithSigma slope;  ///< change per unit of `along`; NaN of fewer than three measurements
};

/// The chance below which measurements scatter.
inline constexpr double kScatterIsClear = 0.05;

/// Generalised least squares with the covariance of the measurements. Where they differ by more
/// than their sigmas (p < 0.05), single ones scatter: the variance that brings the chi-square to
/// its mean is added to each (R. C. Paule, J. Mandel, Consensus values and weighting factors, J.
/// Res. NBS 87, 1982). The sigma of the mean is such that 1.96 of it hold in 95 of 100 cases
/// although the scatter is estimated from few measurements (Student's quantile).
/// @param along what the values may change with, for the slope
CommonValue FitCommonValue(const Eigen::VectorXd& values, const Eigen::MatrixXd& covariance,
                           const Eigen::VectorXd& along);

}  // namespace percuss
