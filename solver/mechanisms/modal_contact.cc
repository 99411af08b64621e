// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/modal_contact.h"

#include <Eigen/Cholesky>
#include <stdexcept>
#include <string>

namespace percuss::solver {

Eigen::MatrixXd ModalContactJacobian(const Eigen::Matrix3d& R_WB, const Eigen::Vector3d& contact_B,
                                     const Eigen::Matrix3Xd& modes,
                                     const Eigen::VectorXd& modal_coordinates,
                                     const Eigen::Matrix3d& frame_W) {
  if (modal_coordinates.size() != modes.cols()) {
    throw std::invalid_argument("number of modal coordinates is " +
                                std::to_string(modal_coordinates.size()) + ", must be " +
                                std::to_string(modes.cols()));
  }
  const Eigen::Vector3d s = contact_B + modes * modal_coordinates;
  Eigen::Matrix3d cross;
  cross << 0.0, -s.z(), s.y(), s.z(), 0.0, -s.x(), -s.y(), s.x(), 0.0;
  Eigen::MatrixXd jacobian(3, 6 + modes.cols());
  jacobian << Eigen::Matrix3d::Identity(), -R_WB * cross, R_WB * modes;
  return frame_W.transpose() * jacobian;
}

}  // namespace percuss::solver
