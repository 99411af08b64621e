// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/contact_heights.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/math/covariance_root.h"
#include "base/math/geometry.h"
#include "base/math/statistics.h"

namespace percuss::pipeline {

void ContactHeights::Add(double height, const Eigen::RowVectorXd& by_shared) {
  constexpr double kFlat = 1.5e-4;  // [m]
  if (num_impacts++ == 0) {
    by_heights.setZero(by_shared.size() + 1);
    information.setZero(by_shared.size() + 1, by_shared.size() + 1);
  }
  lowest = std::min(lowest, height);
  highest = std::max(highest, height);
  Eigen::VectorXd row(by_shared.size() + 1);
  row << 1.0, by_shared.transpose();
  row /= kFlat;
  squares += height * height / (kFlat * kFlat);
  by_heights += row * (height / kFlat);
  information += row * row.transpose();
}

void ContactHeights::Add(const impacts::ImpactRecord& impact) {
  using enum impacts::ImpactIndex;
  const Eigen::Index num_shared = impact.body_sensitivity.cols();
  const bool same = num_impacts == 0 || num_shared == NumShared();
  if (!impact.OnCalibratedSurface() || num_shared == 0 || !same ||
      impact.calibration_sensitivity.cols() != num_shared)
    return;
  Add(impact.p_WB.z() + impact.r.z(),
      impact.calibration_sensitivity.row(kPosition + 2) + impact.body_sensitivity.row(2) -
          Skew(impact.r).row(2) * impact.calibration_sensitivity.middleRows<3>(kRotation));
}

// In units of their uncertainty before, [t b] = R k, the heights leave k with the covariance
// (1 + R^T information R)^-1.
HeightsExplained ContactHeights::Explain(const Eigen::MatrixXd& bench_covariance) const {
  constexpr double kBoard = 3e-3;  // [m]
  const Eigen::MatrixXd root = CovarianceRoot(bench_covariance);
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(1 + root.rows(), 1 + root.cols());
  R(0, 0) = kBoard;
  R.bottomRightCorner(root.rows(), root.cols()) = root;
  Eigen::MatrixXd precision = R.transpose() * information * R;
  precision.diagonal().array() += 1.0;
  const Eigen::LLT<Eigen::MatrixXd> factor(precision);
  const Eigen::VectorXd right = R.transpose() * by_heights;
  const Eigen::VectorXd k = factor.solve(right);
  const Eigen::MatrixXd half = factor.matrixL().solve(R.transpose().rightCols(root.rows()).eval());
  return {.chi_square = squares - right.dot(k),
          .change = R.bottomRows(root.rows()) * k,
          .covariance = half.transpose() * half};
}

double ContactHeights::ChiSquare(const Eigen::MatrixXd& bench_covariance) const {
  return num_impacts > 0 ? Explain(bench_covariance).chi_square : 0.0;
}

ContactHeights MeasureContactHeights(std::span<const impacts::ImpactRecord> impacts) {
  ContactHeights heights;
  for (const impacts::ImpactRecord& impact : impacts) heights.Add(impact);
  return heights;
}

std::string HeightComplaint(const ContactHeights& heights,
                            const Eigen::MatrixXd& bench_covariance) {
  constexpr double kChance = 1e-3;
  const double chi_square = heights.ChiSquare(bench_covariance);
  if (ChiSquareSurvival(chi_square, heights.num_impacts) > kChance) return {};
  return fmt::format(
      "when they touch the surface, bodies are {:.1f} to {:.1f} mm above it (chi-square {:.0f} "
      "with "
      "{} degrees of freedom)",
      1e3 * heights.lowest, 1e3 * heights.highest, chi_square, heights.num_impacts);
}

}  // namespace percuss::pipeline
