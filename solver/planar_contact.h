// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>

#include "solver/contact.h"
#include "solver/scalar.h"

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

}  // namespace percuss::solver
