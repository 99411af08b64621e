// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/body/scalar.h"
#include "solver/law/impact_law.h"

// Coefficients of restitution of one impact, computed from its velocities u and u' [m/s] and its
// impulse P [N s], all in the contact frame (t1, t2, n). NaN where a coefficient is not defined.
// Source: chatterjee1997 1.2, 3.4.3, 5.1.4, 6.2, (10.8).

namespace percuss::solver {

/// Kinematic (Newton) restitution, e_n = -u_n' / u_n.
template <typename T>
T NewtonRestitution(const Eigen::Matrix<T, 3, 1>& before, const Eigen::Matrix<T, 3, 1>& after) {
  if (Value(before[2]) == 0.0) return T(std::numeric_limits<double>::quiet_NaN());
  return -after[2] / before[2];
}

/// Kinetic (Poisson) restitution, P_r / P_c: impulse of restitution over impulse of compression.
/// Needs a path to the impulse: NaN for laws that give the impulse alone.
template <typename T>
T PoissonRestitution(const ImpactResult<T>& result) {
  if (Value(result.compression_impulse) == 0.0) {
    return T(std::numeric_limits<double>::quiet_NaN());
  }
  return result.restitution_impulse / result.compression_impulse;
}

/// Energetic (Stronge) restitution of the works of the normal impulse, W_c up to the end of
/// compression and W_n in all [J]: e^2 = (W_n - W_c) / -W_c. Needs a path, as Poisson's.
inline double StrongeRestitution(double normal_work, double compression_work) {
  if (!(compression_work < 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(std::max(0.0, 1.0 - normal_work / compression_work));
}

/// Tangential restitution, e_t = -u_t' . u_t / |u_t|^2: -1 where slip goes on undisturbed, 0 where
/// it stops, 1 where it is turned round. Bounded by [-1, 1] only where tangential and normal motion
/// do not couple. NaN without slip before the impact.
template <typename T>
T TangentialRestitution(const Eigen::Matrix<T, 3, 1>& before, const Eigen::Matrix<T, 3, 1>& after) {
  const T squared_speed = before[0] * before[0] + before[1] * before[1];
  if (Value(squared_speed) == 0.0) return T(std::numeric_limits<double>::quiet_NaN());
  return -(after[0] * before[0] + after[1] * before[1]) / squared_speed;
}

/// Ivanov restitution of any impulse,
///     eta = -P . A P / (P . u) - 1 = -P . u' / (P . u),
/// in [-1, 1] where kinetic energy is not created and P . u < 0; eta = 0 is the impulse of largest
/// dissipation in its direction, eta = 1 the one that dissipates nothing, and eta(0) = -1. NaN
/// where P . u = 0 but P is not 0. Inverse of IvanovLaw.
template <typename T>
T IvanovRestitution(const Eigen::Matrix<T, 3, 1>& before, const Eigen::Matrix<T, 3, 1>& after,
                    const Eigen::Matrix<T, 3, 1>& impulse) {
  if (Value(impulse).isZero(0.0)) return T(-1.0);
  const T approach = impulse.dot(before);
  if (Value(approach) == 0.0) return T(std::numeric_limits<double>::quiet_NaN());
  return -impulse.dot(after) / approach;
}

}  // namespace percuss::solver
