// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <span>

#include "solver/algebraic/straight_impulse.h"
#include "solver/body/scalar.h"
#include "solver/contact/contact.h"

namespace percuss::solver {

template <typename T>
using Vector3 = Eigen::Matrix<T, 3, 1>;

/// The impulse where a law has no answer.
template <typename T>
Vector3<T> NoImpulse() {
  return Vector3<T>::Constant(T(std::numeric_limits<double>::quiet_NaN()));
}

/// True if every number of the contact and every parameter is finite.
template <typename T>
bool IsFinite(const Contact<T>& contact, std::span<const T> parameters) {
  bool finite = Value(contact.inverse_mass).allFinite() && Value(contact.velocity).allFinite();
  for (const T& x : parameters) finite = finite && std::isfinite(Value(x));
  return finite;
}

/// The result of a law that is a formula for the impulse, `impulse()`; NaN for arguments that are
/// not finite.
template <typename T, class Impulse>
ImpactResult<T> SolveAlgebraically(const Contact<T>& contact, std::span<const T> parameters,
                                   const Impulse& impulse) {
  if (!IsFinite(contact, parameters)) return StraightImpulse(contact, NoImpulse<T>());
  return StraightImpulse<T>(contact, impulse());
}

/// P = M (u' - u), M = A^-1: the impulse that changes the contact velocity by that much.
template <typename T>
Vector3<T> ImpulseForChange(const Contact<T>& contact, const Vector3<T>& velocity_change) {
  return contact.inverse_mass.llt().solve(velocity_change);
}

/// The normal impulse of a frictionless impact with u_n' = -e u_n: -(1 + e) u_n / A_nn.
template <typename T>
T FrictionlessImpulse(const Contact<T>& contact, const T& e) {
  return -(T(1.0) + e) * contact.velocity[2] / contact.inverse_mass(2, 2);
}

}  // namespace percuss::solver
