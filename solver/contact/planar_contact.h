// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <optional>

#include "solver/body/scalar.h"
#include "solver/contact/contact.h"

namespace percuss::solver {

/// A contact that moves in one plane through the normal; t is a tangent in that plane.
///     u_t' - u_t = A_tt P_t + A_tn P_n,   u_n' - u_n = A_tn P_t + A_nn P_n
template <typename T>
struct PlanarContact {
  T tt, tn, nn;  ///< inverse mass [1/kg]
  T u_t, u_n;    ///< velocity [m/s]
};

/// The unit tangent of the plane in which slip, A_tn and the tangential response to it all lie, to
/// 1e-9 of the contact's velocity and inverse mass: along the slip if there is any, else along
/// A_tn, else t1. None if there is no such plane.
std::optional<Eigen::Vector2d> PlaneOf(const Contact<double>& contact);

/// The part of a contact that lies in the plane of a unit tangent. What leaves the plane, also in
/// derivatives, is dropped.
template <typename T>
PlanarContact<T> InPlane(const Contact<T>& contact, const Eigen::Vector2d& tangent) {
  const Eigen::Matrix<T, 2, 1> t = tangent.template cast<T>();
  const Eigen::Matrix<T, 3, 3>& a = contact.inverse_mass;
  return {.tt = t.dot(a.template topLeftCorner<2, 2>() * t),
          .tn = t.dot(a.template topRightCorner<2, 1>()),
          .nn = a(2, 2),
          .u_t = t.dot(contact.velocity.template head<2>()),
          .u_n = contact.velocity[2]};
}

/// In units of the approach velocity and of 1 / A_nn: nn = 1 and u_n = -1.
template <typename T>
PlanarContact<T> Scaled(const Contact<T>& contact, const Eigen::Vector2d& tangent) {
  const PlanarContact<T> planar = InPlane(contact, tangent);
  const T mass = T(1) / planar.nn, speed = -planar.u_n;
  return {planar.tt * mass, planar.tn * mass, T(1), planar.u_t / speed, T(-1)};
}

template <typename T>
PlanarContact<double> ValueOf(const PlanarContact<T>& contact) {
  return {Value(contact.tt), Value(contact.tn), Value(contact.nn), Value(contact.u_t),
          Value(contact.u_n)};
}

/// The plane of an impact of which nothing leaves it but rounding, derivatives included.
template <typename T>
std::optional<Eigen::Vector2d> PlaneOfAll(const Contact<T>& contact) {
  constexpr double kRounding = 1e-14;
  const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
  const auto tangent = PlaneOf(values);
  if (!tangent) return tangent;
  const Eigen::Matrix<T, 2, 1> t = tangent->template cast<T>();
  const Eigen::Matrix<T, 2, 1> across(-t[1], t[0]);
  const auto vanishes = [](const T& x, double against) {
    return std::abs(Value(x)) + LargestDerivative(x) <= kRounding * against;
  };
  const auto& a = contact.inverse_mass;
  const double size = values.inverse_mass.norm();
  const bool planar =
      vanishes(across.dot(contact.velocity.template head<2>()), values.velocity.norm()) &&
      vanishes(across.dot(a.template topRightCorner<2, 1>()), size) &&
      vanishes(across.dot(a.template topLeftCorner<2, 2>() * t), size);
  return planar ? tangent : std::nullopt;
}

}  // namespace percuss::solver
