// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/contact/planar_contact.h"

#include <cmath>

namespace percuss::solver {

std::optional<Eigen::Vector2d> PlaneOf(const Contact<double>& contact) {
  constexpr double kTolerance = 1e-9;
  const Eigen::Matrix3d& a = contact.inverse_mass;
  const Eigen::Vector2d slip = contact.velocity.head<2>();
  const Eigen::Vector2d coupling = a.topRightCorner<2, 1>();
  const bool slips = slip.norm() > kTolerance * contact.velocity.norm();
  const bool couples = coupling.norm() > kTolerance * a.norm();
  if (!slips && !couples) return Eigen::Vector2d::UnitX();
  const Eigen::Vector2d t = (slips ? slip : coupling).normalized();
  const Eigen::Vector2d across(-t.y(), t.x());
  const bool planar = std::abs(across.dot(coupling)) <= kTolerance * a.norm() &&
                      std::abs(across.dot(a.topLeftCorner<2, 2>() * t)) <= kTolerance * a.norm();
  if (!planar) return std::nullopt;
  return t;
}

}  // namespace percuss::solver
