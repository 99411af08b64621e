// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solver/contact/contact.h"

namespace percuss::solver {
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
