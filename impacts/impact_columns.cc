// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/impact_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

namespace percuss::impacts {
namespace {

constexpr double kUnitNormTolerance = 1.0e-3;

// clang-format off
#define PERCUSS_VECTOR_COLUMN(name, member, axis, error_index, limit)            \
  ImpactColumn{name, [](const ImpactRecord& r) { return r.member[axis]; },       \
               [](ImpactRecord& r, double value) { r.member[axis] = value; }, error_index, limit}
#define PERCUSS_QUATERNION_COLUMN(name, member)                                  \
  ImpactColumn{name, [](const ImpactRecord& r) { return r.q_WB.member(); },      \
               [](ImpactRecord& r, double value) { r.q_WB.member() = value; }, -1, 2.0}

const std::array kColumns = {
    PERCUSS_QUATERNION_COLUMN("qw", w), PERCUSS_QUATERNION_COLUMN("qx", x),
    PERCUSS_QUATERNION_COLUMN("qy", y), PERCUSS_QUATERNION_COLUMN("qz", z),
    PERCUSS_VECTOR_COLUMN("rx", r, 0, -1, kMaxContactArm),
    PERCUSS_VECTOR_COLUMN("ry", r, 1, -1, kMaxContactArm),
    PERCUSS_VECTOR_COLUMN("rz", r, 2, -1, kMaxContactArm),
    PERCUSS_VECTOR_COLUMN("vx", v, 0, kV + 0, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vy", v, 1, kV + 1, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vz", v, 2, kV + 2, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("wx", w, 0, kW + 0, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wy", w, 1, kW + 1, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wz", w, 2, kW + 2, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("vx_post", v_post, 0, kVPost + 0, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vy_post", v_post, 1, kVPost + 1, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vz_post", v_post, 2, kVPost + 2, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("wx_post", w_post, 0, kWPost + 0, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wy_post", w_post, 1, kWPost + 1, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wz_post", w_post, 2, kWPost + 2, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("nx", normal, 0, -1, 2.0),
    PERCUSS_VECTOR_COLUMN("ny", normal, 1, -1, 2.0),
    PERCUSS_VECTOR_COLUMN("nz", normal, 2, -1, 2.0)};

#undef PERCUSS_VECTOR_COLUMN
#undef PERCUSS_QUATERNION_COLUMN
// clang-format on

}  // namespace

std::span<const ImpactColumn> ImpactColumns() { return kColumns; }

const ImpactColumn* FindImpactColumn(std::string_view name) {
  const auto found = std::ranges::find_if(
      kColumns, [&](const ImpactColumn& column) { return column.name == name; });
  return found == kColumns.end() ? nullptr : &*found;
}

std::vector<ImpactSigmaColumn> ImpactSigmaColumns() {
  std::vector<ImpactSigmaColumn> columns;
  constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    columns.push_back({fmt::format("sigma_rot_{}", kAxes[axis]), kRotation + axis});
  }
  for (int axis = 0; axis < 3; ++axis) {
    columns.push_back({fmt::format("sigma_r{}", kAxes[axis]), -1 - axis});
  }
  for (const ImpactColumn& column : kColumns) {
    if (column.error_index >= 0) {
      columns.push_back({fmt::format("sigma_{}", column.name), column.error_index});
    }
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
  const double quaternion_norm = record.q_WB.norm();
  if (!std::isnan(quaternion_norm)) {
    if (std::abs(quaternion_norm - 1.0) > kUnitNormTolerance) {
      throw InputError(fmt::format(
          "{}, columns qw,qx,qy,qz: found a quaternion of norm {:.6g}, allowed 1 within {}", where,
          quaternion_norm, kUnitNormTolerance));
    }
    // A quaternion that is of unit norm up to rounding stays bit for bit what the file said.
    if (std::abs(quaternion_norm - 1.0) > 1e-12) record.q_WB.normalize();
  }
  const double normal_norm = record.normal.norm();
  if (!std::isnan(normal_norm)) {
    if (std::abs(normal_norm - 1.0) > kUnitNormTolerance) {
      throw InputError(
          fmt::format("{}, columns nx,ny,nz: found a normal of norm {:.6g}, allowed 1 within {}",
                      where, normal_norm, kUnitNormTolerance));
    }
    if (std::abs(normal_norm - 1.0) > 1e-12) record.normal.normalize();
  }
}

}  // namespace percuss::impacts
