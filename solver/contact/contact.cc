// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/contact/contact.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>
#include <string>

namespace percuss::solver {

Eigen::Matrix3d ContactFrame(const Eigen::Vector3d& normal_W) {
  const double length = normal_W.norm();
  if (!(length > 0.0) || !std::isfinite(length)) {
    throw std::invalid_argument("normal has length " + std::to_string(length) +
                                "; it must be positive and finite");
  }
  const Eigen::Vector3d n = normal_W / length;
  const double kTooClose = 0.99;  // cosine beyond which W x is no good as the first tangent
  const Eigen::Vector3d along =
      std::abs(n.x()) < kTooClose ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
  Eigen::Matrix3d frame;
  frame.col(0) = (along - along.dot(n) * n).normalized();
  frame.col(1) = n.cross(frame.col(0));
  frame.col(2) = n;
  return frame;
}

namespace internal {

Eigen::Matrix3d InverseInertiaRoot(double mass, const Eigen::Matrix3d& inertia_B) {
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    throw std::invalid_argument("mass is " + std::to_string(mass) +
                                " kg; it must be positive and finite");
  }
  const double scale = inertia_B.cwiseAbs().maxCoeff();
  const double asymmetry = (inertia_B - inertia_B.transpose()).cwiseAbs().maxCoeff();
  if (!inertia_B.allFinite() || !(asymmetry <= 1e-9 * scale)) {
    throw std::invalid_argument("inertia differs from its transpose by " +
                                std::to_string(asymmetry) + " kg m^2; it must be symmetric");
  }
  const Eigen::LLT<Eigen::Matrix3d> cholesky(inertia_B);
  if (cholesky.info() != Eigen::Success) {
    throw std::invalid_argument("inertia (trace " + std::to_string(inertia_B.trace()) +
                                " kg m^2) is not positive definite");
  }
  return cholesky.matrixL().solve(Eigen::Matrix3d::Identity());
}

}  // namespace internal
}  // namespace percuss::solver
