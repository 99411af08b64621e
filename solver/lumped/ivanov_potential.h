// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "solver/compliant/point_contact.h"
#include "solver/integration/event_integrator.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

namespace internal {

template <typename T>
class IvanovSystem {
 public:
  static constexpr std::size_t kSize = 7, kEvents = 2;
  enum Index : std::size_t { kImpulse = 0, kPlace = 3, kWork = 6 };
  enum Event : std::size_t { kEnd, kTurn };
  using State = std::array<T, kSize>;
  using Vector3 = Eigen::Matrix<T, 3, 1>;

  IvanovSystem(const Eigen::Matrix<T, 3, 3>& a, const Vector3& u0, const T& mu)
      : a_(a), u0_(u0), mu_(mu) {}

  bool expanding = false;

  Vector3 Velocity(const State& z) const { return u0_ + a_ * Vector3(z[0], z[1], z[2]); }

  Vector3 Force(const State& z) const {
    using std::sqrt;
    const Vector3 place(z[kPlace], z[kPlace + 1], z[kPlace + 2]);
    Vector3 force(T(0), T(0), -place[2]);
    if (Value(place).norm() == 0.0) return force;
    const T size = sqrt(place.squaredNorm());
    force += place * (mu_ * place[2] / size);
    force[2] += mu_ * size;
    return force;
  }

  State Rate(const State& z) const {
    const Vector3 u = Velocity(z);
    const Vector3 force = Force(z);
    return {force[0], force[1], force[2], u[0], u[1], u[2], force[2] * u[2]};
  }

  T Event(std::size_t event, const State& z) const {
    if (event == kEnd) return expanding ? z[kPlace + 2] : T(-1);
    return expanding ? T(-Velocity(z)[2]) : Velocity(z)[2];
  }

 private:
  Eigen::Matrix<T, 3, 3> a_;
  Vector3 u0_;
  T mu_;
};

}  // namespace internal

/// Contact force from a potential of the displacement x since touch, with the interference
/// h = -x_n >= 0,
///     phi = c_1 (h^2 + 2 mu h |x|),   F = -grad phi,
/// integrated until h = 0, where phi = 0: no energy is lost. The outcome does not depend on c_1. At
/// h = 0 the normal force is not zero once there is tangential displacement, so that the thesis
/// calls the law unrealistic; it is here for comparison. |F_t| <= mu F_n always holds. There are no
/// modes.
///
/// Source: chatterjee1997 5.2.3, (5.2).
struct IvanovPotentialLaw {
  static const LawInfo& Info();

  /// @param parameters mu
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const;
};

template <typename T>
ImpactResult<T> IvanovPotentialLaw::Solve(const Contact<T>& contact,
                                          std::span<const T> parameters) const {
  using System = internal::IvanovSystem<T>;
  if (!Value(contact.inverse_mass).allFinite() || !Value(contact.velocity).allFinite()) {
    return NoAnswer<T>();
  }
  const T mass = T(1) / contact.inverse_mass(2, 2), speed = -contact.velocity[2];
  typename System::State start;
  start.fill(T(0));
  EventIntegrator<internal::IvanovSystem, T> integrator(
      System(contact.inverse_mass * mass, contact.velocity / speed, parameters[0]),
      internal::IvanovSystem<double>(Value(contact.inverse_mass) * Value(mass),
                                     Value(contact.velocity) / Value(speed), Value(parameters[0])),
      start, ContactOptions{}.tolerance, std::numeric_limits<double>::infinity());
  ImpactResult<T> result;
  T stage_start = T(0);
  const auto& z = integrator.state();
  for (int step = 0;; ++step) {
    if (step == ContactOptions{}.max_steps || integrator.failed()) return NoAnswer<T>();
    const std::size_t event = integrator.Step();
    if (event == integrator.kNoEvent) continue;
    const bool expanding = integrator.values().expanding;
    (expanding ? result.restitution_impulse : result.compression_impulse) +=
        (z[System::kImpulse + 2] - stage_start) * mass * speed;
    stage_start = z[System::kImpulse + 2];
    if (event == System::kEnd) break;
    integrator.ChangeSystem([&](auto& system) { system.expanding = !expanding; });
  }
  for (int i = 0; i < 3; ++i) result.impulse[i] = z[i] * mass * speed;
  result.energy.normal_work = z[System::kWork] * mass * speed * speed;
  SetVelocityAndFrictionWork(contact, result);
  return result;
}

}  // namespace percuss::solver
