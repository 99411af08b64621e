// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/usable_trials.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "fitting/model/search_grid.h"
#include "fitting/model/shared_law_problem.h"

namespace percuss::fitting {
namespace {

// Reason of a trial whose residual covariance is singular, judged at typical parameters.
std::string ReasonSingular(const solver::LawInfo& law, const Impact& impact) {
  // Errors of the state after the impact that are independent of all others keep the residual's
  // covariance regular, whatever the law.
  const ErrorCovariance own = impact.errors.own.Full();
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
    solver::ValidateDomain(law, ContactFor(law.name, impact.geometry));
  } catch (const std::invalid_argument& outside) {
    return outside.what();
  }
  return "";
}

}  // namespace

std::vector<std::string> ReasonsUnusable(const solver::LawInfo& law, const PreparedImpacts& data,
                                         const std::string& group_column,
                                         const std::vector<std::string>& number_columns) {
  std::vector<std::string> reasons;
  for (const Impact& impact : data.impacts) {
    std::string reason = impact.reason_unusable;
    if (reason.empty() && !group_column.empty() && !impact.record.extra.contains(group_column)) {
      reason = fmt::format("it has no group: there is no column {}", group_column);
    }
    for (const std::string& column : number_columns) {
      if (reason.empty() && std::isnan(NumberIn(impact.record, column)))
        reason = fmt::format("it has no number in the column {} of a model", column);
    }
    if (reason.empty()) reason = ReasonOutsideDomain(law, impact);
    if (reason.empty()) reason = ReasonSingular(law, impact);
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace percuss::fitting
