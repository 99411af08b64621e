// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>

#include "solver/compliant/point_contact_model.h"
#include "solver/mechanisms/body_pair.h"

namespace percuss::solver {

/// A mechanism that vibrates while it collides, for small displacements q from where it touches:
///     H dv/dt = J^T F - K (q + q_0) - C v,   dq/dt = v.
/// Of a body in modes of its own, mass-normalised, K holds the squares of their frequencies
/// [rad/s]^2 on its diagonal and zeros for the rigid motion.
struct VibratingMechanism {
  Linkage linkage;             ///< H and J; without joints
  Eigen::MatrixXd stiffness;   ///< K, symmetric, no eigenvalue below zero
  Eigen::MatrixXd damping;     ///< C, likewise; empty: none
  Eigen::VectorXd deflection;  ///< q_0 of the springs at touch; empty: none
};

/// Spring and dashpot of the contact, F_n = k d - c dd/dt, no less than zero, with Coulomb
/// friction: the law `kelvin-voigt`.
struct VoigtContact {
  double mu = 0.0;
  double stiffness = 0.0;  ///< k [N/m]
  double damping = 0.0;    ///< c [N s/m]
};

struct VibratingImpact {
  std::string reason;           ///< why there is no answer; empty if there is one
  Eigen::VectorXd speeds;       ///< v where the contact opens for the last time
  Eigen::VectorXd deflections;  ///< q + q_0 there
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();           ///< contact frame [N s]
  Eigen::Vector3d contact_velocity = Eigen::Vector3d::Zero();  ///< u there [m/s]
  /// Without the part that vibrates: what is left of u once the vibration has died.
  Eigen::Vector3d settled_velocity = Eigen::Vector3d::Zero();
  int num_contacts = 0;                           ///< micro-impacts
  double before = 0.0;                            ///< kinetic and elastic energy [J]
  double kinetic = 0.0;                           ///< after [J]
  double vibration = 0.0;                         ///< of both that is in the modes that vibrate [J]
  double normal_work = 0.0, friction_work = 0.0;  ///< of the contact on the mechanism [J]
  ContactHistory history;                         ///< while it touches, to the last opening
};

/// Follows contact and modes together, through openings and micro-impacts, until the mechanism
/// moves away so that its vibration cannot bring it back. Steps of the implicit midpoint rule, a
/// 500th of the period of the contact or a 50th of that of the fastest mode: good to about 1e-4.
/// Short beside all modes the contact is the impact that the mass at the contact has
/// (InverseContactMass), long beside them the one of the rigid mechanism. Linear elements: the
/// impulse is of the first degree in the speeds (chatterjee1997 9.3.3).
///
/// Source: chatterjee1997 chapter 9, (9.4).
/// @throws std::invalid_argument if sizes disagree, there are joints, H is not positive definite,
/// K or C have an eigenvalue below zero, or the contact does not approach.
VibratingImpact SolveVibratingContact(const VibratingMechanism& mechanism,
                                      const VoigtContact& contact, const Eigen::VectorXd& speeds);

}  // namespace percuss::solver
