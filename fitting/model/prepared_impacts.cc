// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/prepared_impacts.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/math/geometry.h"
#include "fitting/model/planar_within_errors.h"
#include "fitting/model/touching_points.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

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

std::string ReasonUnusable(const Impact& impact, const solver::Body& body) {
  if (!impact.record.reason_unusable.empty()) return impact.record.reason_unusable;
  if (!impact.complete) return fmt::format("{} is missing", MissingColumn(impact.record));
  if (!impact.errors.reason_unusable.empty()) return impact.errors.reason_unusable;
  if (!IsContactMeasured(impact.record, body)) return "the contact point was not measured";
  const double approach = impact.geometry.contact.velocity.z();
  if (approach < 0.0) return "";
  return fmt::format(
      "the contact point does not approach the surface before the impact (normal velocity {:+.3g} "
      "m/s)",
      approach);
}

/// The inverse mass moves where orientation, arm or inertia have errors, the velocity along an axis
/// of the contact frame where its variance is not 0.
MovedInputs MovedBy(const ImpactErrors& errors, const ImpactRecord& record,
                    const ImpactGeometry& geometry) {
  const ErrorCovariance own = errors.own.Full();
  MovedInputs moved;
  const auto is_moved = [&](const Eigen::Matrix<double, 1, kErrorDimension>& by_errors) {
    return (by_errors * own * by_errors.transpose()).value() != 0.0 ||
           !(by_errors * errors.shared).isZero(0.0);
  };
  moved.inverse_mass = false;
  for (int row = impacts::kRotation; row < kErrorDimension; ++row) {
    const bool of_velocity = row >= impacts::kV && row < kArm;
    if (!of_velocity && is_moved(ErrorCovariance::Identity().row(row))) moved.inverse_mass = true;
  }
  if (moved.inverse_mass) return moved;  // the arm moves the velocity, too
  const Eigen::Matrix3d arm = Skew(record.r);
  for (int axis = 0; axis < 3; ++axis) {  // u = F^T (v + w x r)
    Eigen::Matrix<double, 1, kErrorDimension> by_errors =
        Eigen::Matrix<double, 1, kErrorDimension>::Zero();
    by_errors.segment<3>(impacts::kV) = geometry.frame.col(axis).transpose();
    by_errors.segment<3>(impacts::kW) = -geometry.frame.col(axis).transpose() * arm;
    moved.velocity[axis] = is_moved(by_errors);
  }
  return moved;
}

void CheckSigma(const char* field, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw std::invalid_argument(
      fmt::format("{}: found {}, allowed above 0 and finite", field, value));
}

}  // namespace

Impact PrepareImpact(ImpactRecord record, ImpactErrors errors, const solver::Body& body) {
  Impact impact{.record = std::move(record), .errors = std::move(errors)};
  impact.complete = impact.record.reason_unusable.empty() && MissingColumn(impact.record).empty();
  if (impact.complete) {
    impact.geometry = CalcGeometry(impact.record, body);
    impact.geometry.moved = MovedBy(impact.errors, impact.record, impact.geometry);
  }
  impact.reason_unusable = ReasonUnusable(impact, body);
  return impact;
}

PreparedImpacts PrepareImpacts(impacts::ImpactTable table, const solver::Body& body,
                               const AssumedSigmas& assumed) {
  CheckSigma("assumed velocity sigma", assumed.velocity);
  CheckSigma("assumed angular velocity sigma", assumed.angular_velocity);
  const ErrorModel model = MakeErrorModel(table, assumed);
  PreparedImpacts prepared{
      .body = body, .impacts = {}, .assumed = assumed, .sources = std::move(table.sources)};
  for (impacts::SharedSource& source : prepared.sources) source.root = model.RootByK(source.root);
  prepared.impacts.reserve(table.impacts.size());
  for (ImpactRecord& record : table.impacts) {
    ImpactErrors errors = CalcImpactErrors(record, model);
    record.covariance.reset();  // as large as the errors, of thousands of impacts
    record.calibration_sensitivity.resize(0, 0);
    record.body_sensitivity.resize(0, 0);
    Impact impact = PrepareImpact(std::move(record), std::move(errors), body);
    if (impact.reason_unusable.empty() && impact.errors.fully_measured) {
      impact.geometry.touching = TouchingPoints(impact.record, impact.errors, body);
    }
    if (impact.reason_unusable.empty()) {
      impact.geometry.planar = PlanarContactWithin(impact.record, impact.errors, impact.geometry);
    }
    prepared.impacts.push_back(std::move(impact));
  }
  table.impacts = {};  // the caller's argument lives as long as his statement
  return prepared;
}

}  // namespace percuss::fitting
