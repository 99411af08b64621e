// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "solver/contact/planar_contact.h"
#include "solver/law/impact_law.h"
#include "solver/law/restitution_hypothesis.h"

namespace percuss::solver {

/// The answer of a planar law, tangent and normal.
template <typename T>
struct PlanarImpact {
  T p_t = T(0), p_n = T(0);  ///< impulse on the body [N s]
  T compression_impulse = T(0);
  T normal_work = T(0), friction_work = T(0);  ///< [J]
  ContactMode first_mode = ContactMode::kSlip;
  ContactMode compression_mode = ContactMode::kSlip;  ///< in which compression ended
  ContactMode last_mode = ContactMode::kSlip;
  int sun_case = 0;  ///< sun2017 Table 2.2
};

namespace internal {

/// The state of a planar impact on its way; all of it is linear in the normal impulse within a
/// mode.
template <typename T>
struct PlanarPath {
  const PlanarContact<T>& a;
  T u_t, u_n;
  T p_t = T(0), p_n = T(0);
  T normal_work = T(0), friction_work = T(0);
  T ratio = T(0);                  ///< dp_t/dp_n of the mode
  T rate_t = T(0), rate_n = T(0);  ///< du/dp_n of the mode
  /// What comes after slip has stopped, or of a contact at rest: stick if friction can hold it,
  /// else slip along the frictionless drift.
  const bool holds;
  const T rest_ratio;

  PlanarPath(const PlanarContact<T>& contact, const T& mu, double mu_static)
      : a(contact),
        u_t(contact.u_t),
        u_n(contact.u_n),
        holds(mu_static * Value(a.tt) >= std::abs(Value(a.tn)) * (1.0 - 1e-14)),
        rest_ratio(holds               ? T(-a.tn / a.tt)
                   : Value(a.tn) > 0.0 ? T(-mu)
                                       : mu) {}

  void Enter(const T& new_ratio) {
    ratio = new_ratio;
    rate_t = a.tn + a.tt * ratio;
    rate_n = a.nn + a.tn * ratio;
  }

  void Advance(const T& step) {
    const T half = T(0.5) * step;
    friction_work += ratio * step * (u_t + rate_t * half);
    normal_work += step * (u_n + rate_n * half);
    p_t += ratio * step;
    p_n += step;
    u_t += rate_t * step;
    u_n += rate_n * step;
  }

  ContactMode LeaveRest(ContactMode slip_mode) {
    u_t = T(0);
    Enter(rest_ratio);
    return holds ? ContactMode::kStick : slip_mode;
  }
};

/// Whether slip and what it is coupled to stay in one plane to rounding; `tangent` is then the
/// direction of slip.
inline bool SlipsInPlane(const Contact<double>& contact, Eigen::Vector2d* tangent) {
  const Eigen::Matrix3d& a = contact.inverse_mass;
  const double u1 = contact.velocity[0];
  const double u2 = contact.velocity[1];
  // Planar problems are mostly stated along an axis: there neither a root nor a division is needed.
  const bool along_axis = u2 == 0.0;
  const double speed = along_axis ? std::abs(u1) : std::sqrt(u1 * u1 + u2 * u2);
  const double c1 = -u2;
  const double c2 = u1;
  const double tn_c = a(0, 2) * c1 + a(1, 2) * c2;
  const double tt_lc = (a(0, 0) * u1 + a(0, 1) * u2) * c1 + (a(1, 0) * u1 + a(1, 1) * u2) * c2;
  const double rounding = 1e-15 * speed * (a(0, 0) + a(1, 1));
  if (!(speed > 0.0 && std::abs(tn_c) <= rounding && std::abs(tt_lc) <= rounding * speed)) {
    return false;
  }
  if (along_axis) {
    *tangent = {std::copysign(1.0, u1), u2};
  } else {
    *tangent = {u1 / speed, u2 / speed};
  }
  return true;
}

/// The end of restitution by a coefficient e.
template <typename T>
struct RestitutionByCoefficient {
  T e;
  RestitutionHypothesis hypothesis;
  T first_u_n;

  T compression_impulse = T(0), compression_work = T(0);

  /// The path goes on by `step` in the same mode.
  void Pass(const PlanarPath<T>&, const T& /*step*/) {}
  void EndCompression(const PlanarPath<T>& path) {
    compression_impulse = path.p_n;
    compression_work = path.normal_work;
  }
  /// Normal impulse from here to the end in the same mode.
  T ToEnd(const PlanarPath<T>& path) const {
    using std::sqrt;
    switch (hypothesis) {
      case RestitutionHypothesis::kNewton:
        return (-e * first_u_n - path.u_n) / path.rate_n;
      case RestitutionHypothesis::kPoisson:
        return (T(1.0) + e) * compression_impulse - path.p_n;
      case RestitutionHypothesis::kStronge: {
        // (u_n + rate_n d)^2 = u_n^2 + 2 rate_n (work that is still to be done)
        const T remaining = -e * e * compression_work - (path.normal_work - compression_work);
        if (Value(path.u_n) == 0.0) return e * sqrt(T(-2.0) * compression_work / path.rate_n);
        return T(2.0) * remaining /
               (path.u_n + sqrt(path.u_n * path.u_n + T(2.0) * path.rate_n * remaining));
      }
    }
    return T(0);
  }
};

}  // namespace internal

/// Planar rigid impact at one point with Coulomb friction (Routh's construction): piecewise linear
/// in the normal impulse. Slip changes its mode once at most, and normal velocity never falls back
/// to zero in restitution.
/// @param mu_static decides alone whether a contact that does not slip sticks; at least mu.
/// @param restitution says where restitution ends, as internal::RestitutionByCoefficient does.
/// Source: sun2017 2.3 to 2.6; chatterjee1997 5.1.4.
template <typename T, class Restitution>
PlanarImpact<T> SolvePlanarImpact(const PlanarContact<T>& contact, const T& mu, double mu_static,
                                  Restitution restitution) {
  PlanarImpact<T> result;
  internal::PlanarPath<T> path(contact, mu, mu_static);
  const double infinity = std::numeric_limits<double>::infinity();
  // Slower than rounding of a velocity computed from v + w x r is no slip.
  const bool at_rest = std::abs(Value(contact.u_t)) <= 1e-12 * std::abs(Value(contact.u_n));
  const bool forward = Value(contact.u_t) > 0.0;
  ContactMode mode = ContactMode::kSlip;
  if (at_rest) {
    // The impulse that brings to rest what derivatives the slip carries.
    path.p_t = -contact.u_t / contact.tt;
    path.u_n += contact.tn * path.p_t;
    mode = path.LeaveRest(ContactMode::kSlip);
  } else {
    path.Enter(forward ? -mu : mu);
  }
  result.first_mode = mode;

  // Normal impulse from here to the stop of slip; never, if the mode is not the first slip.
  T to_stop = T(infinity);
  if (!at_rest && (Value(path.rate_t) > 0.0) != forward && Value(path.rate_t) != 0.0) {
    to_stop = -path.u_t / path.rate_t;
  }
  const auto advance = [&](const T& step) {
    restitution.Pass(path, step);
    path.Advance(step);
  };
  const auto stop = [&] {
    advance(to_stop);
    mode = path.LeaveRest(ContactMode::kReverseSlip);
    to_stop = T(infinity);
  };

  // Friction may press the bodies together faster than they push apart; slip stops before it ends.
  const bool jams = !(Value(path.rate_n) > 0.0);
  if (Value(to_stop) < infinity &&
      (jams || Value(to_stop) * Value(path.rate_n) < -Value(path.u_n))) {
    stop();
  }
  const T compression_step = -path.u_n / path.rate_n;
  advance(compression_step);
  path.u_n = T(0);
  restitution.EndCompression(path);
  to_stop -= compression_step;
  result.compression_impulse = path.p_n;
  result.compression_mode = mode;

  T end = restitution.ToEnd(path);
  if (Value(to_stop) < Value(end)) {
    stop();
    end = restitution.ToEnd(path);
  }
  advance(end);

  result.p_t = path.p_t;
  result.p_n = path.p_n;
  result.normal_work = path.normal_work;
  result.friction_work = path.friction_work;
  result.last_mode = mode;
  const bool sticks = mode == ContactMode::kStick;
  if (at_rest) {
    result.sun_case = sticks ? 5 : 6;
  } else if (mode != ContactMode::kSlip) {
    result.sun_case = (sticks ? 1 : 2) + (result.compression_mode == mode ? 0 : 2);
  }
  return result;
}

/// The same with a coefficient of restitution, hence in closed form.
template <typename T>
PlanarImpact<T> SolvePlanarImpact(const PlanarContact<T>& contact, const T& mu, double mu_static,
                                  const T& e, RestitutionHypothesis restitution) {
  return SolvePlanarImpact(contact, mu, mu_static,
                           internal::RestitutionByCoefficient<T>{
                               .e = e, .hypothesis = restitution, .first_u_n = contact.u_n});
}

/// The same as the answer of a spatial law, in the plane of a unit tangent.
template <typename T>
ImpactResult<T> Spatial(const Contact<T>& contact, const Eigen::Vector2d& tangent,
                        const PlanarImpact<T>& planar) {
  ImpactResult<T> result;
  result.impulse << planar.p_t * tangent[0], planar.p_t * tangent[1], planar.p_n;
  result.contact_velocity = contact.velocity + contact.inverse_mass * result.impulse;
  result.compression_impulse = planar.compression_impulse;
  result.restitution_impulse = planar.p_n - planar.compression_impulse;
  result.energy = {planar.normal_work, planar.friction_work};
  result.modes.push_back(planar.first_mode);
  result.modes.push_back(planar.last_mode);
  constexpr std::array<std::string_view, 7> kCases = {"0", "1", "2", "3", "4", "5", "6"};
  result.sun_case = kCases[planar.sun_case];
  return result;
}

}  // namespace percuss::solver
