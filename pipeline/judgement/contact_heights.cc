// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/contact_heights.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "base/math/geometry.h"
#include "base/math/statistics.h"

namespace percuss::pipeline {

double ContactHeights::ChiSquare(const Eigen::MatrixXd& bench_covariance) const {
  if (height.size() == 0) return 0.0;
  const Eigen::MatrixXd all = covariance + by_bench * bench_covariance * by_bench.transpose();
  return height.dot(all.ldlt().solve(height));
}

ContactHeights MeasureContactHeights(std::span<const impacts::ImpactRecord> impacts) {
  using enum impacts::ImpactIndex;
  constexpr double kFlat = 1.5e-4, kBoard = 3e-3;  // [m]
  std::vector<const impacts::ImpactRecord*> known;
  for (const impacts::ImpactRecord& impact : impacts) {
    const bool same =
        known.empty() || known.front()->body_sensitivity.cols() == impact.body_sensitivity.cols();
    if (impact.OnCalibratedSurface() && impact.body_sensitivity.size() > 0 && same &&
        impact.calibration_sensitivity.cols() == impact.body_sensitivity.cols())
      known.push_back(&impact);
  }
  ContactHeights heights;
  const auto count = static_cast<Eigen::Index>(known.size());
  heights.height.resize(count);
  heights.by_bench.resize(count, count > 0 ? known[0]->body_sensitivity.cols() : 0);
  for (Eigen::Index i = 0; i < count; ++i) {
    const impacts::ImpactRecord& impact = *known[static_cast<std::size_t>(i)];
    heights.height[i] = impact.p_WB.z() + impact.r.z();
    heights.by_bench.row(i) =
        impact.calibration_sensitivity.row(kPosition + 2) + impact.body_sensitivity.row(2) -
        Skew(impact.r).row(2) * impact.calibration_sensitivity.middleRows<3>(kRotation);
  }
  heights.covariance = Eigen::MatrixXd::Constant(count, count, kBoard * kBoard);
  heights.covariance.diagonal().array() += kFlat * kFlat;
  return heights;
}

std::string HeightComplaint(const ContactHeights& heights,
                            const Eigen::MatrixXd& bench_covariance) {
  constexpr double kChance = 1e-3;
  const double chi_square = heights.ChiSquare(bench_covariance);
  const int degrees = static_cast<int>(heights.height.size());
  if (ChiSquareSurvival(chi_square, degrees) > kChance) return {};
  return fmt::format(
      "when they touch the surface, bodies are {:.1f} to {:.1f} mm above it (chi-square {:.0f} "
      "with "
      "{} degrees of freedom)",
      1e3 * heights.height.minCoeff(), 1e3 * heights.height.maxCoeff(), chi_square, degrees);
}

}  // namespace percuss::pipeline
