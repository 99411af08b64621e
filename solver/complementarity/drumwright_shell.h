// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "solver/algebraic/friction_impulse.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

/// Impact by maximum dissipation. Compression takes the impulse P_c of least kinetic energy after
/// it,
///     min 1/2 P^T A P + P . u   over   |P_t| <= mu P_n,  (u + A P)_n >= 0,
/// a convex problem; restitution adds the normal impulse e P_cn:  P = (P_ct, (1 + e) P_cn).
///
/// For one contact the minimum is at rest, P_c = -A^-1 u, if that lies in the cone; otherwise it is
/// on the cone's surface with u_c = s (d, mu), P_c = p (-mu d, 1), s >= 0: a contact that slips
/// leaves with the normal velocity mu |u_t|, so that non-interpenetration never binds. The
/// direction d is a root of a quartic, of which all real ones are found.
///
/// Compression dissipates. Restitution can create kinetic energy: always at e = 1 for a ball in
/// fast slip, since u_n' = -e u_n + (1 + e) mu |u_t'|; without bound where A_tn is not zero.
///
/// Source: Drumwright & Shell 2010 (Algorithmic Foundations of Robotics IX), in the form compared
/// by Fazeli et al. 2017: without the bound on the sum of the normal impulses.
struct DrumwrightShellLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const;
};

namespace internal {

/// The impulses p (-mu d, 1) on the surface of the friction cone.
template <typename T>
struct ConeSurface {
  const Contact<T>& contact;
  T mu;

  Eigen::Matrix<T, 3, 1> Ray(const Vector2<T>& d) const { return {-mu * d[0], -mu * d[1], T(1)}; }
  /// The p of least energy along a ray; negative where the ray does not dissipate.
  T NormalImpulse(const Eigen::Matrix<T, 3, 1>& ray) const {
    return -ray.dot(contact.velocity) / ray.dot(contact.inverse_mass * ray);
  }
  /// Zero where the energy of NormalImpulse is stationary in the direction, which is where u'_t is
  /// parallel to d. Of degree two in d: the third degree cancels.
  T Turn(const T& theta) const {
    const Vector2<T> d = Along(theta);
    const Eigen::Matrix<T, 3, 1> ray = Ray(d);
    const Eigen::Matrix<T, 3, 1> response = contact.inverse_mass * ray;
    const Vector2<T> c = Across(d);
    return ray.dot(response) * c.dot(contact.velocity.template head<2>()) -
           ray.dot(contact.velocity) * c.dot(response.template head<2>());
  }
};

}  // namespace internal

/// The impulse in the friction cone that leaves the least kinetic energy.
template <typename T>
FrictionImpulse<T> ImpulseOfMaximumDissipation(const Contact<T>& contact, const T& mu) {
  const Eigen::Matrix<T, 3, 1> sticking = internal::StickingImpulse(contact, T(0));
  const FrictionImpulse<T> stick{sticking, {T(0), T(0), T(0)}, ContactMode::kStick};
  if (internal::InCone(Value(sticking), Value(mu))) return stick;
  const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
  const internal::ConeSurface<double> surface{values, Value(mu)};
  const auto turn = TrigonometricQuadratic::Of([&](double theta) { return surface.Turn(theta); });
  // Of the stationary directions only the minimum pushes and leaves slip along itself.
  double best_theta = 0.0, best_speed = -std::numeric_limits<double>::infinity();
  for (const double theta : turn.Roots()) {
    const Eigen::Vector2d d = internal::Along(theta);
    const Eigen::Vector3d ray = surface.Ray(d);
    const double p = surface.NormalImpulse(ray);
    const double speed = d.dot((values.velocity + values.inverse_mass * ray * p).head<2>());
    if (p > 0.0 && speed > best_speed) {
      best_speed = speed;
      best_theta = theta;
    }
  }
  if (!std::isfinite(best_speed)) return stick;  // arguments that are not finite
  const internal::ConeSurface<T> exact{contact, mu};
  const Vector2<T> d = internal::Along(internal::RefinedRoot<T>(
      best_theta, turn.Slope(best_theta), [&](const T& theta) { return exact.Turn(theta); }));
  const Eigen::Matrix<T, 3, 1> ray = exact.Ray(d);
  const Eigen::Matrix<T, 3, 1> impulse = ray * exact.NormalImpulse(ray);
  return {impulse, contact.velocity + contact.inverse_mass * impulse, ContactMode::kSlip};
}

template <typename T>
ImpactResult<T> DrumwrightShellLaw::Solve(const Contact<T>& contact,
                                          std::span<const T> parameters) const {
  const FrictionImpulse<T> compression = ImpulseOfMaximumDissipation(contact, parameters[0]);
  const T p_c = compression.impulse[2];
  const T p_r = parameters[1] * p_c;
  ImpactResult<T> result;
  result.impulse = compression.impulse;
  result.impulse[2] += p_r;
  result.contact_velocity = compression.velocity + contact.inverse_mass.col(2) * p_r;
  result.compression_impulse = p_c;
  result.restitution_impulse = p_r;
  const T& u_n_compressed = compression.velocity[2];
  result.energy.normal_work = T(0.5) * (p_c * (contact.velocity[2] + u_n_compressed) +
                                        p_r * (u_n_compressed + result.contact_velocity[2]));
  for (int i = 0; i < 2; ++i) {
    result.energy.friction_work +=
        T(0.5) * compression.impulse[i] * (contact.velocity[i] + compression.velocity[i]);
  }
  result.modes = {compression.mode};
  return result;
}

}  // namespace percuss::solver
