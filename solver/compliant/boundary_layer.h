// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "solver/compliant/point_contact.h"
#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

/// A contact that happens in a layer 0 < x <= b at the surface, in dimensionless form: the unit of
/// velocity is the approach velocity v = |u_n|, that of mass 1/A_nn, that of length b. With x the
/// gap and w = ln x,
///     F_n = (kappa / x) (1 - damping w'),   |F_t| <= mu F_n (Coulomb),
///     w'' = x (A F)_n,
///     u' = (A - (1 - x^2) h h^T) F + x w'^2 h,   h = A e_n   (A_nn = 1),
/// from x = 1, w' = -1 until the gap is back at x = 1. The force pushes always, and the surface is
/// never reached. Source: natsiavas digest 0, 2.4-2.9 (compact form of the paper's (21), (23),
/// (30), (31)).
template <typename T>
struct BoundaryLayerModel {
  T mu = T(0);
  T stiffness = T(10);  ///< kappa = k b^2 A_nn / v^2, above 0: the impact is the shorter the larger
  T damping = T(0);     ///< c / (k b), not negative
};

/// The layer of a surface.
struct LayerMaterial {
  double stiffness_N_per_m = 0.0;  ///< k
  double damping_N = 0.0;          ///< c
  double width_m = 0.0;            ///< b
  /// By default the damping force is c b^2 / v at the speed v of each impact, so that restitution
  /// does not depend on speed (natsiavas digest 5.3, A4); with this speed [m/s] in place of v it
  /// does.
  std::optional<double> reference_speed{};
};

/// @throws std::invalid_argument for a contact that does not approach, k, b or the reference speed
/// not positive, c negative.
BoundaryLayerModel<double> ModelOfLayer(const LayerMaterial& material, double mu,
                                        const Contact<double>& contact);

/// What an impulse does not tell, of the impact with the force in place of the momentum.
template <typename T>
struct LayerForces {
  /// int F dt [N s]. The tangential part is that of the impulse P = A^-1 (u' - u) of the result;
  /// the normal part is larger, because the layer itself carries momentum away and back:
  /// by the factor R of CentralLayerImpact in a central contact.
  Eigen::Matrix<T, 3, 1> impulse = Eigen::Matrix<T, 3, 1>::Zero();
  T duration = T(0);  ///< in the unit b / v
};

/// Integrates the three equations from event to event (stop of slip, end of stick, greatest
/// compression, end) with error control. Slip that has stopped stays where the friction cone holds
/// it, and resumes at once in the one direction it can take where not; because the ratio of the
/// forces drifts, stick can also break later. Derivatives as in IntegratePointContact.
///
/// The impulse of the result is what changes the momentum, P = A^-1 (u' - u): it may leave the
/// friction cone (by R), which the force never does.
/// @param history if given, receives the impact over time in SI units for a layer of the width
///   `options.stiffness` gives: b = |u_n| sqrt(kappa / (A_nn k)); its displacement is that of the
///   contact point, its impulse int F dt.
template <typename T>
ImpactResult<T> IntegrateBoundaryLayer(const Contact<T>& contact,
                                       const BoundaryLayerModel<T>& model,
                                       const ContactOptions& options = {},
                                       LayerForces<T>* forces = nullptr,
                                       ContactHistory* history = nullptr);

/// Tends to `stronge` as the stiffness grows, with an error of the order 1/stiffness; damping 0 is
/// energetic restitution 1 in every contact, and in a central one e is that of
/// RestitutionOfNonlinearDashpot(damping). Source: natsiavas digest 2.9.
struct BoundaryLayerLaw {
  static const LawInfo& Info();

  /// @param parameters mu, stiffness, damping
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return IntegrateBoundaryLayer<T>(contact, {parameters[0], parameters[1], parameters[2]});
  }
};

}  // namespace percuss::solver

#include "solver/compliant/boundary_layer_impl.h"  // IWYU pragma: export
