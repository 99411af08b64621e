// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>

#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

/// The result of a law that gives the impulse alone, without a path to it. The works are those
/// along the straight line to P, on which the velocity is u + A P x, 0 <= x <= 1:
///     normal work = P_n (u_n + u_n') / 2,   friction work = P_t . (u_t + u_t') / 2.
/// The impulses of compression and restitution are NaN.
template <typename T>
ImpactResult<T> StraightImpulse(const Contact<T>& contact, const Eigen::Matrix<T, 3, 1>& impulse) {
  ImpactResult<T> result;
  result.impulse = impulse;
  result.contact_velocity = contact.velocity + contact.inverse_mass * impulse;
  const Eigen::Matrix<T, 3, 1> mean = T(0.5) * (contact.velocity + result.contact_velocity);
  result.energy.normal_work = impulse[2] * mean[2];
  result.energy.friction_work = impulse[0] * mean[0] + impulse[1] * mean[1];
  result.compression_impulse = T(std::numeric_limits<double>::quiet_NaN());
  result.restitution_impulse = T(std::numeric_limits<double>::quiet_NaN());
  return result;
}

}  // namespace percuss::solver
