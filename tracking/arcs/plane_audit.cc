// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/plane_audit.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text/numbers.h"
#include "tracking/arcs/arc_audit.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

struct HeldColumn {
  int place = 0;  ///< in the error vector of the impact
  double prior = 0.0;
};

/// The rates come last, in the order of PlaneAudit.
constexpr std::array<HeldColumn, 9> kHeld = {{{kPosition + 1, 0.01},
                                              {kRotation, 0.1},
                                              {kRotation + 2, 0.1},
                                              {kV + 1, 1.0},
                                              {kW, 10.0},
                                              {kW + 2, 10.0},
                                              {kVPost + 1, 1.0},
                                              {kWPost, 10.0},
                                              {kWPost + 2, 10.0}}};

}  // namespace

PlaneAudit AuditPlane(const ArcProblem& problem, const Eigen::Matrix3d& inertia_B,
                      std::span<const ArcFrame> frames, const ArcUnknowns& x,
                      std::vector<ArcResidual> residuals,
                      const Eigen::MatrixXd& calibration_covariance) {
  ArcProblem spatial = problem;
  spatial.inertia_B = inertia_B;
  for (const int other : {0, 2}) spatial.inertia_B(1, other) = spatial.inertia_B(other, 1) = 0.0;
  const Linearisation linear = Whitened(Linearise(spatial, frames, x), spatial, frames);

  std::vector<int> columns = problem.unknowns;
  for (const HeldColumn& held : kHeld) columns.push_back(kImpactColumn + held.place);
  const Eigen::MatrixXd J = linear.jacobian(Eigen::all, columns);
  Eigen::MatrixXd normal = J.transpose() * J;
  const auto num_held = static_cast<Eigen::Index>(kHeld.size());
  const Eigen::Index first_held = normal.cols() - num_held;
  for (Eigen::Index i = 0; i < num_held; ++i) {
    normal(first_held + i, first_held + i) += 1.0 / std::pow(kHeld[i].prior, 2);
  }
  const Eigen::LDLT<Eigen::MatrixXd> solver(normal);
  PlaneAudit audit;
  if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0.0)) return audit;
  const Eigen::VectorXd step = -solver.solve(J.transpose() * linear.residuals);
  audit.rates = step.tail<6>();
  residuals = Unweighted(linear.residuals + J * step, std::move(residuals));
  const double noise = NoiseScale(residuals, static_cast<int>(columns.size()));
  audit.covariance = std::max(1.0, noise * noise) * CorrelationInflation(residuals) *
                     solver.solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()))
                         .bottomRightCorner<6, 6>();
  if (linear.by_calibration.cols() > 0) {
    const Eigen::MatrixXd sensitivity =
        solver.solve(J.transpose() * linear.by_calibration).bottomRows<6>();
    audit.covariance += sensitivity * calibration_covariance * sensitivity.transpose();
  }
  audit.chi2 = audit.rates.dot(audit.covariance.ldlt().solve(audit.rates));
  return audit;
}

std::string PlaneWarning(const PlaneAudit& audit) {
  constexpr double kOnceInHundredThousand = 33.1;  // chi-square with 6 degrees of freedom
  if (!(audit.chi2 > kOnceInHundredThousand)) return {};
  const auto rate = [&](int i) {
    return FormatWithSigma(audit.rates[i], std::sqrt(audit.covariance(i, i)));
  };
  return fmt::format(
      "the motion leaves the plane: v_y is {} m/s before the impact and {} m/s after it, w_x {} "
      "and "
      "{} rad/s, w_z {} and {} rad/s (chi-square {:.0f} with 6 degrees of freedom)",
      rate(0), rate(3), rate(1), rate(4), rate(2), rate(5), audit.chi2);
}

}  // namespace percuss::tracking
