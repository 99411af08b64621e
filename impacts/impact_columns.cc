// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/impact_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace percuss::impacts {
namespace {

constexpr double kUnitNormTolerance = 1.0e-3;

std::vector<ImpactColumn> MakeColumns() {
  std::vector<ImpactColumn> columns = {{"qw", nullptr, 3, -1, 2.0},
                                       {"qx", nullptr, 0, -1, 2.0},
                                       {"qy", nullptr, 1, -1, 2.0},
                                       {"qz", nullptr, 2, -1, 2.0}};
  const auto add = [&](const char* name, Eigen::Vector3d ImpactRecord::*vector, int error_index,
                       double limit, const char* ending = "") {
    for (int axis = 0; axis < 3; ++axis) {
      columns.push_back({fmt::format("{}{}{}", name, "xyz"[axis], ending), vector, axis,
                         error_index < 0 ? -1 : error_index + axis, limit});
    }
  };
  add("r", &ImpactRecord::r, -1, kMaxContactArm);
  add("v", &ImpactRecord::v, kV, kMaxSpeed);
  add("w", &ImpactRecord::w, kW, kMaxAngularVelocity);
  add("v", &ImpactRecord::v_post, kVPost, kMaxSpeed, "_post");
  add("w", &ImpactRecord::w_post, kWPost, kMaxAngularVelocity, "_post");
  add("n", &ImpactRecord::normal, -1, 2.0);
  return columns;
}

}  // namespace

const std::vector<ImpactColumn>& ImpactColumns() {
  static const std::vector<ImpactColumn> columns = MakeColumns();
  return columns;
}

const ImpactColumn* FindImpactColumn(std::string_view name) {
  const auto found = std::ranges::find(ImpactColumns(), name, &ImpactColumn::name);
  return found == ImpactColumns().end() ? nullptr : &*found;
}

std::vector<ImpactSigmaColumn> ImpactSigmaColumns() {
  std::vector<ImpactSigmaColumn> columns;
  for (int axis = 0; axis < 3; ++axis)
    columns.push_back({fmt::format("sigma_rot_{}", "xyz"[axis]), kRotation + axis});
  for (int axis = 0; axis < 3; ++axis)
    columns.push_back({fmt::format("sigma_r{}", "xyz"[axis]), -1 - axis});
  for (const ImpactColumn& column : ImpactColumns()) {
    if (column.error_index >= 0) columns.push_back({"sigma_" + column.name, column.error_index});
  }
  return columns;
}

void CheckMagnitude(const std::string& where, std::string_view column, double value, double limit) {
  if (std::isnan(value)) return;
  if (!(std::abs(value) <= limit)) {
    throw InputError(fmt::format("{}, column {}: found {}, allowed -{} to {}", where, column, value,
                                 limit, limit));
  }
}

void CheckAndNormalize(const std::string& where, ImpactRecord& record) {
  // What is of unit norm up to rounding stays bit for bit what the file said.
  const auto normalize = [&](const char* columns, const char* name, auto& vector) {
    const double defect = std::abs(vector.norm() - 1.0);
    if (defect > kUnitNormTolerance) {
      throw InputError(fmt::format("{}, columns {}: found a {} of norm {:.6g}, allowed 1 within {}",
                                   where, columns, name, vector.norm(), kUnitNormTolerance));
    }
    if (defect > 1e-12) vector.normalize();
  };
  normalize("qw,qx,qy,qz", "quaternion", record.q_WB);
  normalize("nx,ny,nz", "normal", record.normal);
}

}  // namespace percuss::impacts
