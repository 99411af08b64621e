// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>

#include "solver/contact/contact.h"

namespace percuss::solver {

/// One of two colliding bodies, in W axes. A body of infinite mass is immovable by the impact; its
/// inertia is then not looked at.
struct CollidingBody {
  double mass = 0.0;                                           ///< [kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();           ///< about the mass centre [kg m^2]
  Eigen::Vector3d r = Eigen::Vector3d::Zero();                 ///< mass centre to contact point [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of the mass centre [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< [rad/s]
};

struct BodyPair {
  CollidingBody first;
  CollidingBody second;
};

/// The contact of two bodies; A = sum of 1/m - [r]x I^-1 [r]x over both, u that of the first minus
/// that of the second. The columns of the frame are t1, t2, n in W, with n pointing from the second
/// body into the first.
/// @throws std::invalid_argument if both bodies are immovable, or a mass or inertia is not
/// positive.
Contact<double> ContactOf(const BodyPair& pair, const Eigen::Matrix3d& contact_frame_W);

/// The bodies after the impulse P on the first and -P on the second (contact frame):
///     m_1 dv_1 = P,  I_1 dw_1 = r_1 x P,   m_2 dv_2 = -P,  I_2 dw_2 = -r_2 x P.
/// Source: sun2017 (1.1) to (1.4), with the sign of the second lever corrected.
BodyPair AfterImpulse(const BodyPair& pair, const Eigen::Matrix3d& contact_frame_W,
                      const Eigen::Vector3d& impulse);

double KineticEnergy(const BodyPair& pair);  ///< of the finite bodies [J]

/// Inverse contact mass of bodies in any ideal mechanism, from a forward-dynamics routine that
/// gives the relative acceleration of the contact points (first minus second) under a force on the
/// first and its opposite on the second, both in the contact frame. The routine's answer without
/// force is subtracted, so that gravity and velocities may stay. Source: chatterjee1997 6.7.1,
/// the recipe of unit forces.
Eigen::Matrix3d InverseContactMassFromUnitForces(
    const std::function<Eigen::Vector3d(const Eigen::Vector3d& force)>& acceleration);

/// A mechanism in generalised velocities v: kinetic energy 1/2 v^T H v, joints G v = 0, contact
/// velocity u = J v in the contact frame.
struct Linkage {
  Eigen::MatrixXd mass_matrix;       ///< H, symmetric positive definite
  Eigen::MatrixXd joint_jacobian;    ///< G; no rows if there are no joints. May be redundant.
  Eigen::MatrixXd contact_jacobian;  ///< J, three rows
};

/// A = J H^-1 (H - G^T (G H^-1 G^T)^+ G) H^-1 J^T.
/// @throws std::invalid_argument if sizes disagree or H is not symmetric positive definite.
Eigen::Matrix3d InverseContactMass(const Linkage& linkage);

/// Change of the generalised velocities by the contact impulse P, joint impulses included:
///     H dv = J^T P + G^T lambda,  G dv = 0.
Eigen::VectorXd VelocityChange(const Linkage& linkage, const Eigen::Vector3d& impulse);

}  // namespace percuss::solver
