// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/usable_trials.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "fitting/estimate/estimator.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

// Reason of a trial whose residual covariance is singular, judged at typical parameters.
std::string ReasonSingular(const solver::LawInfo& law, const solver::Body& body,
                           const ImpactRecord& record, const ImpactErrors& errors) {
  // Errors of the state after the impact that are independent of all others keep the residual's
  // covariance regular, whatever the law.
  const ErrorCovariance& own = errors.own;
  const Eigen::VectorXd variances = own.diagonal();
  const bool diagonal = ErrorCovariance(own - ErrorCovariance(variances.asDiagonal())).isZero(0.0);
  const auto after = variances.segment<6>(impacts::kVPost).array();
  const bool only_velocities =
      variances.segment<3>(impacts::kRotation).isZero(0.0) && variances.tail<3>().isZero(0.0);
  const bool covered =
      (after > 0.0).all() ||
      (only_velocities && (after > 0.0 || variances.segment<6>(impacts::kV).array() == 0.0).all());
  if (diagonal && errors.shared.cols() == 0 && covered && after.maxCoeff() > 0.0) {
    return "";
  }
  const SharedLawProblem single(law, body, {&record}, {&errors});
  Eigen::VectorXd typical(single.num_parameters());
  for (Eigen::Index i = 0; i < typical.size(); ++i) {
    typical[i] = law.parameters[static_cast<size_t>(i)].typical;
  }
  const JointWhitening whitening = single.CalcWhitening(typical);
  if (whitening.rows() == 0) return "its covariance is zero: nothing to weight it with";
  if (!whitening.singular_trials().empty()) return "its covariance is singular";
  return "";
}

// Reason of a trial that the law is not made for, as a spatial one for a planar law.
std::string ReasonOutsideDomain(const solver::LawInfo& law, const solver::Body& body,
                                const ImpactRecord& record) {
  try {
    solver::ValidateDomain(law, CalcGeometry(record, body).contact);
  } catch (const std::invalid_argument& outside) {
    return outside.what();
  }
  return "";
}

// The first column of impacts.csv without a number, or empty.
std::string MissingColumn(const ImpactRecord& record) {
  struct Columns {
    const char *first, *last;
    const Eigen::Vector3d& values;
  };
  const Columns vectors[] = {{"r", "", record.r},           {"n", "", record.normal},
                             {"v", "", record.v},           {"w", "", record.w},
                             {"v", "_post", record.v_post}, {"w", "_post", record.w_post}};
  for (const Columns& columns : vectors) {
    for (int axis = 0; axis < 3; ++axis) {
      if (std::isfinite(columns.values[axis])) continue;
      return fmt::format("{}{}{}", columns.first, "xyz"[axis], columns.last);
    }
  }
  return record.q_WB.coeffs().allFinite() ? "" : "the orientation (qw, qx, qy, qz)";
}

}  // namespace

std::string ReasonUnusable(const ImpactRecord& record, const ImpactErrors& errors,
                           const solver::Body& body) {
  if (!record.reason_unusable.empty()) return record.reason_unusable;
  const std::string missing = MissingColumn(record);
  if (!missing.empty()) return fmt::format("{} is missing", missing);
  if (!errors.reason_unusable.empty()) return errors.reason_unusable;
  if (!IsContactMeasured(record, body)) return "the contact point was not measured";
  const double approach = CalcGeometry(record, body).contact.velocity.z();
  if (!(approach < 0.0)) {
    return fmt::format(
        "the contact point does not approach the surface before the impact (normal velocity "
        "{:+.3g} "
        "m/s)",
        approach);
  }
  return "";
}

std::string ReasonUnusableWithLaw(const solver::LawInfo& law, const ImpactRecord& record,
                                  const ImpactErrors& errors, const solver::Body& body) {
  const std::string outside = ReasonOutsideDomain(law, body, record);
  return outside.empty() ? ReasonSingular(law, body, record, errors) : outside;
}

}  // namespace percuss::fitting
