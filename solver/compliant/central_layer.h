// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace percuss::solver {

/// A central contact (A_tn = 0) in a boundary layer, in closed form and in the units of
/// BoundaryLayerModel: approach velocity, 1/A_nn, layer width.
/// Source: natsiavas (39)-(44), corrected.
struct CentralLayerMotion {
  double gap = 1.0;       ///< x(t)
  double velocity = 0.0;  ///< dx/dt
  double force = 0.0;     ///< F_n
};

/// The motion at a time after the gap reached the layer: with s = kappa damping t,
///     dw/dt = kappa t phi(s) - exp(-s),   w = ln x = kappa t^2 (1 - phi(s)) / s - t phi(s),
///     phi(s) = (1 - exp(-s)) / s.
/// @throws std::invalid_argument for stiffness <= 0, damping < 0 or time < 0.
CentralLayerMotion MotionInCentralLayer(double stiffness, double damping, double time);

struct CentralLayerImpact {
  double restitution = 1.0;     ///< e, by the damping alone
  double duration = 0.0;        ///< (1 + e) / kappa
  double smallest_gap = 1.0;    ///< where compression ends
  double force_impulse = 2.0;   ///< int F_n dt
  double impulse_factor = 1.0;  ///< R = force_impulse / (1 + e), above 1: for the same mu friction
                                ///< takes R times what it takes of `stronge`
};

/// @throws std::invalid_argument for stiffness <= 0 or damping < 0.
CentralLayerImpact SolveCentralLayer(double stiffness, double damping);

/// The damping c / (k b) of a central restitution e, 0 < e <= 1: the inverse of
/// RestitutionOfNonlinearDashpot. @throws std::invalid_argument outside.
double CentralLayerDamping(double restitution);

/// Where A is diagonal, slip keeps to u_2 / u_2(0) = (u_1 / u_1(0))^(A_22/A_11), and takes the
/// friction impulse
///     K = 1/A_11 int_0^{u_1(0)} sqrt(1 + (u_2/u_1)^2) du_1
/// to stop, whatever the normal force does: it stops before the contact ends for mu above K over
/// the impulse of the normal force.
/// @param mobility (A_11, A_22), positive. @param slip u(0), not zero.
/// Source: natsiavas 4. @throws std::invalid_argument
double FrictionImpulseToStop(const Eigen::Vector2d& mobility, const Eigen::Vector2d& slip);

}  // namespace percuss::solver
