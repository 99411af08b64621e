// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "solver/body/scalar.h"
#include "solver/contact/planar_contact.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

/// Planar impact with Coulomb friction and Poisson's restitution P_r = e P_c, in closed form by
/// contact regime, after Routh's construction. With s = sign(u_t), the slip falls to zero at the
/// normal impulse |u_t| / k, k = mu A_tt - s A_tn, and compression that slides to its end takes
/// -u_n / c, c = A_nn - s mu A_tn; so that with
///     d = c |u_t|,   q = -k u_n
/// the contact
///     slides throughout              if d >= (1 + e) q,
///     stops during restitution       if (1 + e) q > d >= q,
///     stops during compression       if q > d,
/// and after a stop it sticks if mu >= |A_tn| / A_tt and slides in reverse otherwise.
///
/// Source: Wang & Mason, J. Appl. Mech. 59 (1992) 635; chatterjee1997 5.1.4.
struct WangMasonLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const;
};

namespace internal {

template <typename T>
struct WangMasonImpulse {
  T normal, tangential;
  T compression;     ///< normal impulse of compression
  T at_stop = T(0);  ///< normal impulse at which slip stops; 0 if it does not, or has not begun
  ModeSequence modes;
};

template <typename T>
WangMasonImpulse<T> WangMasonSliding(const PlanarContact<T>& contact, const T& mu, const T& e,
                                     double sign) {
  const T compression = -contact.u_n / (contact.nn - sign * mu * contact.tn);
  const T normal = (T(1) + e) * compression;
  return {normal, -sign * mu * normal, compression, T(0), {ContactMode::kSlip}};
}

/// Slip stops, then sticks: on the line of sticking A_tt P_t + A_tn P_n = -u_t.
template <typename T>
WangMasonImpulse<T> WangMasonSticking(const PlanarContact<T>& contact, const T& mu, const T& e,
                                      double sign, bool stops_in_compression, const T& at_stop) {
  WangMasonImpulse<T> result;
  result.compression = stops_in_compression
                           ? (contact.tn * contact.u_t - contact.tt * contact.u_n) /
                                 (contact.tt * contact.nn - contact.tn * contact.tn)
                           : -contact.u_n / (contact.nn - sign * mu * contact.tn);
  result.normal = (T(1) + e) * result.compression;
  result.tangential = -(contact.u_t + contact.tn * result.normal) / contact.tt;
  result.at_stop = at_stop;
  return result;
}

/// Slip stops, then grows the other way: friction turns from -s mu to s mu at the stop.
template <typename T>
WangMasonImpulse<T> WangMasonReversed(const PlanarContact<T>& contact, const T& mu, const T& e,
                                      double sign, bool stops_in_compression, const T& at_stop) {
  WangMasonImpulse<T> result;
  result.compression = stops_in_compression
                           ? -(contact.u_n - T(2) * sign * mu * contact.tn * at_stop) /
                                 (contact.nn + sign * mu * contact.tn)
                           : -contact.u_n / (contact.nn - sign * mu * contact.tn);
  result.normal = (T(1) + e) * result.compression;
  result.tangential = sign * mu * (result.normal - T(2) * at_stop);
  result.at_stop = at_stop;
  return result;
}

template <typename T>
WangMasonImpulse<T> WangMason(const PlanarContact<T>& contact, const T& mu, const T& e) {
  const double u_t = Value(contact.u_t), u_n = Value(contact.u_n);
  const bool holds = Value(mu) * Value(contact.tt) >= std::abs(Value(contact.tn)) * (1.0 - 1e-14);
  if (std::abs(u_t) <= 1e-12 * std::hypot(u_t, u_n)) {
    if (!holds) return WangMasonSliding(contact, mu, e, Value(contact.tn) < 0.0 ? -1.0 : 1.0);
    auto result = WangMasonSticking(contact, mu, e, 1.0, true, T(0));
    result.modes = {ContactMode::kStick};
    return result;
  }
  const double sign = u_t < 0.0 ? -1.0 : 1.0;
  const T slowing = mu * contact.tt - sign * contact.tn;
  const double d = (Value(contact.nn) - sign * Value(mu) * Value(contact.tn)) * std::abs(u_t);
  const double q = -Value(slowing) * u_n;
  if (d >= (1.0 + Value(e)) * q) return WangMasonSliding(contact, mu, e, sign);
  const T at_stop = sign * contact.u_t / slowing;
  auto result = holds ? WangMasonSticking(contact, mu, e, sign, d < q, at_stop)
                      : WangMasonReversed(contact, mu, e, sign, d < q, at_stop);
  result.modes = {ContactMode::kSlip, holds ? ContactMode::kStick : ContactMode::kReverseSlip};
  return result;
}

}  // namespace internal

template <typename T>
ImpactResult<T> WangMasonLaw::Solve(const Contact<T>& contact,
                                    std::span<const T> parameters) const {
  const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
  const Eigen::Vector2d tangent = PlaneOf(values).value_or(Eigen::Vector2d::UnitX());
  const PlanarContact<T> planar = InPlane(contact, tangent);
  const T& mu = parameters[0];
  const auto solution = internal::WangMason(planar, mu, parameters[1]);
  ImpactResult<T> result;
  result.impulse << solution.tangential * tangent[0], solution.tangential * tangent[1],
      solution.normal;
  result.contact_velocity = contact.velocity + contact.inverse_mass * result.impulse;
  result.compression_impulse = solution.compression;
  result.restitution_impulse = solution.normal - solution.compression;
  result.modes = solution.modes;
  // The path in the impulse plane has one corner at most, where slip stops.
  const T u_n_end = planar.u_n + planar.tn * solution.tangential + planar.nn * solution.normal;
  const double sign = Value(planar.u_t) < 0.0 ? -1.0 : 1.0;
  const T u_n_stop = planar.u_n + (planar.nn - sign * mu * planar.tn) * solution.at_stop;
  result.energy.normal_work =
      T(0.5) * (solution.at_stop * (planar.u_n + u_n_stop) +
                (solution.normal - solution.at_stop) * (u_n_stop + u_n_end));
  const T u_t_end = planar.u_t + planar.tt * solution.tangential + planar.tn * solution.normal;
  const T change = T(0.5) * (solution.normal * (planar.u_n + u_n_end) +
                             solution.tangential * (planar.u_t + u_t_end));
  result.energy.friction_work = change - result.energy.normal_work;
  return result;
}

}  // namespace percuss::solver
