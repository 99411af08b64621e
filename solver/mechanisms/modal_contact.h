// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace percuss::solver {

/// D of a body that vibrates in m modes about its rigid motion, for generalized velocities
/// (v_W, w_B, d eta/dt), with s = r + Phi eta the contact point in body axes:
///     D = frame^T [ I, -R [s]x, R Phi ].
/// @param R_WB rotation of the body. @param contact_B r, the undeformed contact point [m].
/// @param modes Phi (3 x m), displacement of the contact point per modal coordinate; m may be 0.
/// @param modal_coordinates eta (m x 1). @param frame_W columns t1, t2, n in W.
/// It is the contact_jacobian of a Linkage (body_pair.h); the mass matrix there is that of the
/// kinetic energy in these velocities, and couples them in general. The impact takes no time for
/// the springs of the modes. Source: natsiavas 6.2.3.
/// @throws std::invalid_argument if the sizes do not fit.
Eigen::MatrixXd ModalContactJacobian(const Eigen::Matrix3d& R_WB, const Eigen::Vector3d& contact_B,
                                     const Eigen::Matrix3Xd& modes,
                                     const Eigen::VectorXd& modal_coordinates,
                                     const Eigen::Matrix3d& frame_W);

}  // namespace percuss::solver
