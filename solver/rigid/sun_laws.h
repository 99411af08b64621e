// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "solver/contact/planar_contact.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/stage_algebra.h"

namespace percuss::solver {

/// The impact of sun2017 as printed, for comparison with the exact solution (DarbouxKellerLaw):
/// compression and restitution are each solved as one linear system, tried as sliding first; where
/// a tangential velocity would change its sign, as sticking; where friction cannot hold that, as
/// slip that reverses. Friction always opposes the slip with which the stage begins, whatever the
/// printed signs, and reverses where it stops, 2.4.4, (3.75)-(3.82), not throughout the stage, 2.6.
///
/// In the plane this is the exact solution for kNewton and kImpulse, cases 0 to 6 of Table 2.2. The
/// mass in kFullMassWork is that of a free body.
///
/// In space the direction of friction is frozen through a stage and the components reverse by the
/// quadrant rule of 3.4.3, cases 0, 1, 2a-c, 3, 4a-c, 5 and 6 of Table 3.1. The axes x, z of the
/// thesis (its normal is y) are t1, -t2: a quarter turn about x. The result depends on these axes
/// and is not continuous. Friction that outlives the slip of one component can create energy, and
/// in restitution can push the body back, so that u_n' < 0 (rarely: friction far above critical).
/// Where the thesis is silent: a slip of which only the smaller component changes sign goes on to
/// the end of the stage with its friction, as case 2 or 4; a stage that no printed system ends
/// sticks, even outside of the friction cone, or has no result (NaN) if that took a pull.
///
/// @param mu_static Decides whether a stopped contact sticks, and nothing else; at least mu.
/// Derivatives with an autodiff T are those of the linear systems. NaN for arguments that are not
/// finite, and in the plane for a contact that is not planar.
/// Source: sun2017 2.3-2.6, 3.4-3.7 with the errata E2, E6, E11-E14, E26, E27, E35.
template <typename T>
ImpactResult<T> SolveStagesInPlane(const Contact<T>& contact, const T& mu, double mu_static,
                                   const T& e, StageRestitution restitution);
template <typename T>
ImpactResult<T> SolveStagesInSpace(const Contact<T>& contact, const T& mu, double mu_static,
                                   const T& e, StageRestitution restitution);

template <typename T>
ImpactResult<T> SolveStagesInPlane(const Contact<T>& contact, const T& mu, double mu_static,
                                   const T& e, StageRestitution restitution) {
  const std::optional<Eigen::Vector2d> tangent =
      PlaneOf({Value(contact.inverse_mass), Value(contact.velocity)});
  if (!tangent) return NoAnswer<T>();
  const PlanarContact<T> planar = InPlane(contact, *tangent);
  Eigen::Matrix<T, 2, 2> inverse_mass;
  inverse_mass << planar.tt, planar.tn, planar.tn, planar.nn;
  ImpactResult<T> result = internal::StageAlgebra<T, 1>(inverse_mass, {planar.u_t, planar.u_n}, mu,
                                                        mu_static, e, restitution)
                               .Solve();
  const T along = result.impulse[0];
  for (int i = 0; i < 2; ++i) result.impulse[i] = along * (*tangent)[i];
  SetVelocityAndFrictionWork(contact, result);
  return result;
}

template <typename T>
ImpactResult<T> SolveStagesInSpace(const Contact<T>& contact, const T& mu, double mu_static,
                                   const T& e, StageRestitution restitution) {
  ImpactResult<T> result = internal::StageAlgebra<T, 2>(contact.inverse_mass, contact.velocity, mu,
                                                        mu_static, e, restitution)
                               .Solve();
  SetVelocityAndFrictionWork(contact, result);
  return result;
}

/// SolveStagesInPlane as a law.
template <StageRestitution kRestitution>
struct SunPlanarStagesLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e and, if given, mu_s
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    const double mu_static = Value(parameters[parameters.size() > 2 ? 2 : 0]);
    return SolveStagesInPlane(contact, parameters[0], mu_static, parameters[1], kRestitution);
  }
};

using SunPlanarLaw = SunPlanarStagesLaw<StageRestitution::kNewton>;
using SunPlanarWorkLaw = SunPlanarStagesLaw<StageRestitution::kFullMassWork>;
using SunPlanarEndWorkLaw = SunPlanarStagesLaw<StageRestitution::kEndVelocityWork>;

template <>
const LawInfo& SunPlanarLaw::Info();
template <>
const LawInfo& SunPlanarWorkLaw::Info();
template <>
const LawInfo& SunPlanarEndWorkLaw::Info();

/// SolveStagesInSpace as a law, with the restitution of (3.50), which is Poisson's.
struct SunSpatialLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e and, if given, mu_s
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    const double mu_static = Value(parameters[parameters.size() > 2 ? 2 : 0]);
    return SolveStagesInSpace(contact, parameters[0], mu_static, parameters[1],
                              StageRestitution::kImpulse);
  }
};

}  // namespace percuss::solver
