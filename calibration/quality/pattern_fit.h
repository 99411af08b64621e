// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "calibration/quality/pattern_test.h"

/// The linear algebra behind residual_pattern.h.
namespace percuss::calibration {

/// Whitened residuals and what the fit left free of them.
struct WhitenedResiduals {
  Eigen::VectorXd weight;    ///< 1 / sigma per coordinate
  Eigen::VectorXd residual;  ///< in the range of I - B B'
  Eigen::MatrixXd B;         ///< orthonormal basis of the columns of the whitened Jacobian
  double sum_of_squares = 0.0;
  int redundancy = 0;
};

WhitenedResiduals Whiten(const ResidualSet& set);

/// Columns of a pattern, by whitened coordinate.
using Pattern = Eigen::SparseMatrix<double>;

/// The test of one pattern and, per column, the amplitude that explains the residuals: the shortest
/// of those that fit equally well, columns of length one.
struct PatternFit {
  PatternTest test;
  Eigen::VectorXd amplitude;  ///< NaN for an empty column
  Eigen::VectorXd variance;   ///< of it
};

/// `information` is the sum of weight^2 over the corners concerned: it turns sums of squares into a
/// mean square in px^2.
PatternFit FitPattern(const WhitenedResiduals& data, Pattern columns, double information,
                      const PatternOptions& options);

}  // namespace percuss::calibration
