// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "solver/body/rigid_body.h"
#include "solver/body/scalar.h"

namespace percuss::solver {

/// What every single-contact impact law sees: the inverse contact mass (Delassus) matrix A [1/kg],
/// symmetric positive definite, and the velocity u [m/s] of the contact point before the impact,
/// both in the contact frame (t1, t2, n); the third axis is the surface normal pointing into the
/// body, and approach is u(2) < 0.
///     u' - u = A P
template <typename T>
struct Contact {
  Eigen::Matrix<T, 3, 3> inverse_mass = Eigen::Matrix<T, 3, 3>::Zero();
  Eigen::Matrix<T, 3, 1> velocity = Eigen::Matrix<T, 3, 1>::Zero();
};

/// Whether an entry of a contact carries a derivative; never with a plain T.
template <typename T>
bool HasDerivatives(const Contact<T>& contact) {
  const auto carries = [](const T& x) { return LargestDerivative(x) > 0.0; };
  return contact.inverse_mass.unaryExpr(carries).any() || contact.velocity.unaryExpr(carries).any();
}

/// Rotation from the contact frame to W: columns t1, t2, n. For n = z it is the identity; otherwise
/// t1 is the W x axis made orthogonal to n (or W y where x is too close to n).
Eigen::Matrix3d ContactFrame(const Eigen::Vector3d& normal_W);

/// A = 1/m I - [r]x I_W^-1 [r]x in the contact frame, with I_W = R_WB I_B R_WB^T.
/// @param r_W vector from the mass centre to the contact point, W axes [m].
/// @throws std::invalid_argument if the mass is not positive or the inertia not symmetric positive
/// definite.
template <typename T>
Eigen::Matrix<T, 3, 3> InverseContactMass(double mass, const Eigen::Matrix3d& inertia_B,
                                          const Eigen::Quaternion<T>& q_WB,
                                          const Eigen::Matrix<T, 3, 1>& r_W,
                                          const Eigen::Matrix3d& contact_frame_W);

/// u = v + w x r, turned into the contact frame.
template <typename T>
Eigen::Matrix<T, 3, 1> ContactVelocity(const Eigen::Matrix<T, 3, 1>& v,
                                       const Eigen::Matrix<T, 3, 1>& w,
                                       const Eigen::Matrix<T, 3, 1>& r_W,
                                       const Eigen::Matrix3d& contact_frame_W);

namespace internal {

/// S with S I_B S^T = 1, so that x^T I_B^-1 x = |S x|^2.
/// @throws std::invalid_argument as InverseContactMass does.
Eigen::Matrix3d InverseInertiaRoot(double mass, const Eigen::Matrix3d& inertia_B);

}  // namespace internal

template <typename T>
Eigen::Matrix<T, 3, 3> InverseContactMass(double mass, const Eigen::Matrix3d& inertia_B,
                                          const Eigen::Quaternion<T>& q_WB,
                                          const Eigen::Matrix<T, 3, 1>& r_W,
                                          const Eigen::Matrix3d& contact_frame_W) {
  using Matrix3 = Eigen::Matrix<T, 3, 3>;
  const Eigen::Matrix3d root = internal::InverseInertiaRoot(mass, inertia_B);
  const Eigen::Quaternion<T> q_BW = q_WB.conjugate();
  Matrix3 lever_B;  // column k: angular impulse, in body axes, of a unit impulse along axis k
  for (int k = 0; k < 3; ++k) {
    const Eigen::Matrix<T, 3, 1> axis = contact_frame_W.col(k).template cast<T>();
    lever_B.col(k) = q_BW * r_W.cross(axis);
  }
  const Matrix3 scaled = root.template cast<T>() * lever_B;
  // A sum of a multiple of the identity and a Gram matrix: symmetric to the last bit.
  Matrix3 inverse_mass;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      inverse_mass(i, j) = scaled.col(i).dot(scaled.col(j));
      if (i == j) inverse_mass(i, j) += T(1.0 / mass);
      inverse_mass(j, i) = inverse_mass(i, j);
    }
  }
  return inverse_mass;
}

template <typename T>
Eigen::Matrix<T, 3, 1> ContactVelocity(const Eigen::Matrix<T, 3, 1>& v,
                                       const Eigen::Matrix<T, 3, 1>& w,
                                       const Eigen::Matrix<T, 3, 1>& r_W,
                                       const Eigen::Matrix3d& contact_frame_W) {
  const Eigen::Matrix<T, 3, 1> u_W = v + w.cross(r_W);
  return contact_frame_W.transpose().template cast<T>() * u_W;
}

}  // namespace percuss::solver
