// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/usable_trials.h"

#include <stdexcept>

#include "fitting/model/search_grid.h"
#include "fitting/model/shared_law_problem.h"

namespace percuss::fitting {
namespace {

// Reason of a trial whose residual covariance is singular, judged at typical parameters.
std::string ReasonSingular(const solver::LawInfo& law, const Impact& impact) {
  // Errors of the state after the impact that are independent of all others keep the residual's
  // covariance regular, whatever the law.
  const ErrorCovariance& own = impact.errors.own;
  const Eigen::VectorXd variances = own.diagonal();
  const bool diagonal = ErrorCovariance(own - ErrorCovariance(variances.asDiagonal())).isZero(0.0);
  const auto after = variances.segment<6>(impacts::kVPost).array();
  const bool only_velocities = variances.segment<3>(impacts::kRotation).isZero(0.0) &&
                               variances.tail<impacts::kBodyDimension>().isZero(0.0);
  const bool covered =
      (after > 0.0).all() ||
      (only_velocities && (after > 0.0 || variances.segment<6>(impacts::kV).array() == 0.0).all());
  if (diagonal && impact.errors.shared.cols() == 0 && covered && after.maxCoeff() > 0.0) {
    return "";
  }
  const SharedLawProblem single(law, {&impact});
  const JointWhitening whitening = single.CalcWhitening(TypicalParameters(law));
  if (whitening.rows() == 0) return "its covariance is zero: nothing to weight it with";
  if (!whitening.singular_trials().empty()) return "its covariance is singular";
  return "";
}

// Reason of a trial that the law is not made for, as a spatial one for a planar law.
std::string ReasonOutsideDomain(const solver::LawInfo& law, const Impact& impact) {
  try {
    solver::ValidateDomain(law, impact.geometry.contact);
  } catch (const std::invalid_argument& outside) {
    return outside.what();
  }
  return "";
}

}  // namespace

std::string ReasonUnusableWithLaw(const solver::LawInfo& law, const Impact& impact) {
  const std::string outside = ReasonOutsideDomain(law, impact);
  return outside.empty() ? ReasonSingular(law, impact) : outside;
}

}  // namespace percuss::fitting
