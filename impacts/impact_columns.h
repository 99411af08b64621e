// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "impacts/impact_record.h"

namespace percuss::impacts {

/// The first words of impacts.csv and the `format` of impacts.json.
inline constexpr char kImpactFormat[] = "percuss impacts 1";

// The largest magnitudes that can be right.
inline constexpr double kMaxSpeed = 1000.0;           ///< [m/s]
inline constexpr double kMaxAngularVelocity = 1.0e5;  ///< [rad/s]
inline constexpr double kMaxContactArm = 100.0;       ///< [m]

/// A column of the table: its place in a record and in the error vector, and the largest magnitude
/// that can be right.
struct ImpactColumn {
  std::string name;
  Eigen::Vector3d ImpactRecord::*vector;  ///< null: the orientation
  int axis;                               ///< x, y, z; of the orientation x, y, z, w
  int error_index;                        ///< -1: not in the error vector
  double limit;

  double Of(const ImpactRecord& record) const {
    return vector == nullptr ? record.q_WB.coeffs()[axis] : (record.*vector)[axis];
  }
  void Set(double value, ImpactRecord& record) const {
    (vector == nullptr ? record.q_WB.coeffs()[axis] : (record.*vector)[axis]) = value;
  }
};

/// A column of standard deviations: its name and its index in the error vector; -1, -2, -3: contact
/// arm x, y, z.
struct ImpactSigmaColumn {
  std::string name;
  int error_index;
};

/// The columns in the order of the file: qw..qz, rx.., vx.., wx.., vx_post.., wx_post.., nx...
const std::vector<ImpactColumn>& ImpactColumns();
/// The column of that name; null if there is none.
const ImpactColumn* FindImpactColumn(std::string_view name);
/// Every sigma_<column> there can be, in the order of the file.
std::vector<ImpactSigmaColumn> ImpactSigmaColumns();

/// Passes NaN, a missing measurement.
///
/// @throws InputError naming where, column and value beyond -limit to limit.
void CheckMagnitude(const std::string& where, std::string_view column, double value, double limit);

/// Brings the quaternion and the normal of a record to unit norm; leaves them as they are if they
/// hold NaN.
///
/// @throws InputError naming where and the norm that is not 1 within 1e-3.
void CheckAndNormalize(const std::string& where, ImpactRecord& record);

}  // namespace percuss::impacts
