// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "solver/friction_impulse.h"
#include "solver/impact_law.h"
#include "solver/straight_impulse.h"

namespace percuss::solver {

/// Impact as a complementarity problem with Newton's restitution: Coulomb's law between the impulse
/// and the velocity after it, and
///     0 <= P_n  complementary to  u_n' + e u_n >= 0.
/// An approaching contact has u_n' = -e u_n; for one contact this is the law of Kane and Levinson.
/// It can create kinetic energy where e > 0.
///
/// In the plane the cone has two rays and the problem is the linear one of the source; in space the
/// circular cone takes the place of the polygon.
///
/// Source: Anitescu & Potra, Nonlinear Dynamics 14 (1997) 231; chatterjee1997 digest 3.9.
struct AnitescuPotraNewtonLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    const FrictionImpulse<T> solution = ImpulseToNormalVelocity<T>(
        contact, parameters[0], -parameters[1] * contact.velocity[2]);
    ImpactResult<T> result = StraightImpulse(contact, solution.impulse);
    result.modes = {solution.mode};
    return result;
  }
};

/// Impact as two complementarity problems with Poisson's restitution. Compression has u_n = 0 at its
/// end and the normal impulse P_cn; decompression starts from there with the normal impulse
///     P_rn = e P_cn + x,   0 <= x  complementary to  u_n' >= 0,
/// each with Coulomb's law between its impulse and the velocity at its end. In the plane x = 0; in
/// space x > 0 if decompression turns the slip into a direction that jams (A_nn < mu A_tn . d).
///
/// Each phase is taken as a straight line for the works.
///
/// Source: Anitescu & Potra, Nonlinear Dynamics 14 (1997) 231.
struct AnitescuPotraPoissonLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const;
};

namespace internal {

/// Decompression that jams: from a contact that slips with u_n = 0 to one that slips with u_n' = 0,
/// for which A_nn = mu A_tn . d, or to rest. Of these the one with the least kinetic energy.
template <typename T>
FrictionImpulse<T> JammedDecompression(const Contact<T>& contact, const T& mu, double least) {
  const Eigen::Matrix<T, 3, 1> sticking = StickingImpulse(contact, T(0));
  const FrictionImpulse<T> stick{sticking, {T(0), T(0), T(0)}, ContactMode::kStick};
  if (InCone(Value(sticking), Value(mu)) && Value(sticking[2]) >= least) return stick;
  const SlipProblem<double> values{{Value(contact.inverse_mass), Value(mu)},
                                   Value(contact.velocity).template head<2>(),
                                   0.0};
  const double middle = std::atan2(values.a.tn[1], values.a.tn[0]);
  const double half = std::acos(values.a.nn / (values.a.mu * values.a.tn.norm()));
  const auto normal_impulse = [](const auto& problem, const auto& d) {
    const auto c = Across(d);
    return -c.dot(problem.slip) / c.dot(problem.a.tn - problem.a.mu * (problem.a.tt * d));
  };
  SlipChoice choice;
  for (const double theta : {middle - half, middle + half}) {
    const Eigen::Vector2d d = Along(theta);
    const double p = normal_impulse(values, d);
    if (!(p >= least)) continue;
    const Eigen::Vector3d impulse = values.Impulse(d, p);
    choice.Offer(theta, values.Speed(d, p),
                 values.slip.norm() + p * Value(contact.inverse_mass).norm(),
                 impulse.dot(0.5 * Value(contact.inverse_mass) * impulse +
                             Value(contact.velocity)));
  }
  if (!choice.Any()) return stick;
  const SlipProblem<T> problem{{contact.inverse_mass, mu},
                               contact.velocity.template head<2>(), T(0)};
  const double slope = -values.a.mu * values.a.tn.dot(Across(Along(choice.Theta())));
  const Vector2<T> d = Along(RefinedRoot<T>(choice.Theta(), slope, [&](const T& theta) {
    return problem.Denominator(Along(theta));
  }));
  const T p = normal_impulse(problem, d);
  FrictionImpulse<T> result{problem.Impulse(d, p), {}, ContactMode::kSlip};
  result.velocity << d * problem.Speed(d, p), T(0);
  return result;
}

}  // namespace internal

template <typename T>
ImpactResult<T> AnitescuPotraPoissonLaw::Solve(const Contact<T>& contact,
                                               std::span<const T> parameters) const {
  const T& mu = parameters[0];
  const FrictionImpulse<T> compression = ImpulseToNormalVelocity<T>(contact, mu, T(0));
  const Contact<T> compressed{contact.inverse_mass, compression.velocity};
  const T given = parameters[1] * compression.impulse[2];
  FrictionImpulse<T> decompression = ImpulseOfNormalImpulse<T>(compressed, mu, given);
  if (Value(decompression.velocity[2]) <
      -1e-13 * Value(contact.inverse_mass).norm() * Value(decompression.impulse).norm()) {
    decompression = internal::JammedDecompression<T>(compressed, mu, Value(given));
  }
  ImpactResult<T> result = StraightImpulse(contact, compression.impulse);
  const ImpactResult<T> second = StraightImpulse(compressed, decompression.impulse);
  result.impulse += second.impulse;
  result.contact_velocity = decompression.velocity;
  result.compression_impulse = compression.impulse[2];
  result.restitution_impulse = decompression.impulse[2];
  result.energy.normal_work += second.energy.normal_work;
  result.energy.friction_work += second.energy.friction_work;
  result.modes = {compression.mode, decompression.mode};
  return result;
}

}  // namespace percuss::solver
