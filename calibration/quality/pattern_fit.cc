// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/pattern_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"
#include "base/nan.h"

namespace percuss::calibration {
namespace {

// A direction of a pattern of whose square less than this share is left is taken as absorbed.
constexpr double kAbsorbed = 1e-3;
// Relative to the largest eigenvalue of the normal matrix with a unit diagonal.
constexpr double kDependent = 1e-12;
constexpr double kNormal95 = 1.6448536269514722;  // one-sided

// Orthonormal basis of the range of a matrix, by the eigenvectors of its normal matrix.
Eigen::MatrixXd RangeBasis(Eigen::MatrixXd matrix) {
  // Units differ by orders of magnitude: judge the rank after scaling the columns to length 1.
  for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
    const double norm = matrix.col(k).norm();
    if (norm > 0.0) matrix.col(k) /= norm;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix.transpose() * matrix);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const Eigen::Index rank = (values.array() > kDependent * values.maxCoeff()).count();
  return matrix * eigen.eigenvectors().rightCols(rank) *
         values.tail(rank).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

WhitenedResiduals Whiten(const ResidualSet& set) {
  const Eigen::Index num_rows = 2 * static_cast<Eigen::Index>(set.corners.size());
  WhitenedResiduals data;
  data.weight.resize(num_rows);
  data.residual.resize(num_rows);
  for (std::size_t i = 0; i < set.corners.size(); ++i) {
    data.weight.segment<2>(2 * i).setConstant(1.0 / set.corners[i].sigma_px);
    data.residual.segment<2>(2 * i) = set.corners[i].residual / set.corners[i].sigma_px;
  }
  data.B.resize(num_rows, 0);
  if (set.jacobian.cols() > 0) data.B = RangeBasis(data.weight.asDiagonal() * set.jacobian);
  // Nothing for an exact fit; removes what robust weights or an early end have left.
  data.residual -= data.B * (data.B.transpose() * data.residual);
  data.sum_of_squares = data.residual.squaredNorm();
  data.redundancy = static_cast<int>(num_rows - data.B.cols());
  return data;
}

PatternFit FitPattern(const WhitenedResiduals& data, Pattern C, double information,
                      const PatternOptions& options) {
  PatternFit fit;
  fit.amplitude = fit.variance = Eigen::VectorXd::Constant(C.cols(), kNaN);
  if (C.cols() == 0 || data.redundancy < 1) return fit;
  Eigen::VectorXd norm(C.cols());
  for (Eigen::Index k = 0; k < C.cols(); ++k) {
    norm[k] = C.col(k).norm();
    if (norm[k] > 0.0) C.col(k) /= norm[k];
  }
  const Eigen::MatrixXd absorbed = data.B.transpose() * C;
  const Eigen::MatrixXd M =
      Eigen::MatrixXd(Pattern(C.transpose() * C)) - absorbed.transpose() * absorbed;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(M);
  const Eigen::Index rank = (eigen.eigenvalues().array() > kAbsorbed).count();
  const double free = data.redundancy - static_cast<double>(rank);
  if (rank == 0 || free < 1.0) return fit;
  const Eigen::MatrixXd V = eigen.eigenvectors().rightCols(rank);
  const Eigen::VectorXd inverse = eigen.eigenvalues().tail(rank).cwiseInverse();
  const Eigen::VectorXd coordinates = V.transpose() * (C.transpose() * data.residual);
  const double T = coordinates.cwiseAbs2().dot(inverse);
  const double noise2 = std::max(data.sum_of_squares - T, 0.0) / free;
  const double dof = static_cast<double>(rank);

  PatternTest& test = fit.test;
  test.degrees_of_freedom = static_cast<int>(rank);
  test.chi_square = T / noise2;
  test.p_value = IncompleteBeta(0.5 * free, 0.5 * dof, 1.0 - T / data.sum_of_squares);
  const double square = T - dof * noise2;
  const double spread =
      std::sqrt(2.0 * dof * noise2 * noise2 + 4.0 * noise2 * std::max(square, 0.0));
  test.rms_px = std::sqrt(std::max(square, 0.0) / information);
  test.rms_upper_px = std::sqrt(std::max(square + kNormal95 * spread, 0.0) / information);
  test.notable = test.p_value < options.significant_p_value && test.rms_px > options.notable_rms_px;

  const Eigen::VectorXd scaled = V * inverse.cwiseProduct(coordinates);
  const Eigen::VectorXd variance = V.cwiseAbs2() * inverse * noise2;
  for (Eigen::Index k = 0; k < C.cols(); ++k) {
    if (!(norm[k] > 0.0)) continue;
    fit.amplitude[k] = scaled[k] / norm[k];
    fit.variance[k] = variance[k] / (norm[k] * norm[k]);
  }
  return fit;
}

}  // namespace percuss::calibration
