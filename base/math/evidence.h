// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss {

/// What estimates of values that scatter about 0 say of their standard deviation sigma (MacKay,
/// Bayesian interpolation, Neural Computation 4, 1992): the sum of their squares, and how many of
/// them the data determine, sum (1 - v_i / sigma^2). Both add up over groups with the same sigma.
struct ScatterEvidence {
  double squares = 0.0;
  double determined = 0.0;

  void Add(const ScatterEvidence& other);
};

/// @param sigma     the standard deviation that the estimates took as known
/// @param values    their estimates for that sigma
/// @param variances of the estimates, v_i <= sigma^2: as large where the data say nothing
ScatterEvidence EvidenceOf(double sigma, const Eigen::VectorXd& values,
                           const Eigen::VectorXd& variances);

/// A step of the fixed point sigma^2 <- squares / determined that makes the data likeliest.
/// @param least  the result is not less, which ends the steps where all values are 0
double LikelierSigma(double sigma, const ScatterEvidence& evidence, double least);

}  // namespace percuss
