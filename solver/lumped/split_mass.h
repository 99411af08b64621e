// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "solver/compliant/point_contact.h"
#include "solver/contact/planar_contact.h"
#include "solver/integration/linear_event_integrator.h"
#include "solver/rigid/darboux_keller.h"

namespace percuss::solver {

namespace internal {

/// The two masses after the dead impact, in the plane (t, n).
template <typename T>
class SplitMassSystem {
 public:
  static constexpr std::size_t kSize = 7, kEvents = 3;
  enum Index : std::size_t { kUpper = 0, kContact = 2, kStretch = 4, kSlip = 6 };
  enum Event : std::size_t { kEnd, kFrictionChange, kOtherFrictionChange };
  using State = std::array<T, kSize>;
  using Vector = Eigen::Matrix<T, 2, 1>;

  SplitMassSystem(const PlanarContact<T>& contact, const T& mu, const T& alpha,
                  const T& stiffness_ratio)
      : contact_(contact), mu_(mu), alpha_(alpha), stiffness_ratio_(stiffness_ratio) {}

  int slip_sign = 0;  ///< 0 while the contact mass sticks

  /// Force of the springs on the upper mass.
  Vector SpringForce(const State& z) const {
    return {-stiffness_ratio_ * z[kStretch], -z[kStretch + 1]};
  }

  /// Force of the surface on the contact mass, which keeps its normal velocity at zero.
  Vector Reaction(const Vector& spring) const {
    if (slip_sign == 0) return spring;
    const T n = (contact_.tn * spring[0] + contact_.nn * spring[1]) / Resistance(slip_sign);
    return {-mu_ * static_cast<double>(slip_sign) * n, n};
  }

  /// Normal velocity per normal impulse in slip; jammed where it is not positive.
  T Resistance(int sign) const {
    return contact_.nn - mu_ * static_cast<double>(sign) * contact_.tn;
  }

  State Rate(const State& z, double one) const {
    const Vector spring = SpringForce(z);
    const Vector reaction = Reaction(spring);
    const Vector net = reaction - spring;
    State rate;
    rate[kUpper] = spring[0];
    rate[kUpper + 1] = spring[1];
    rate[kContact] = reaction[0];
    rate[kContact + 1] = reaction[1];
    rate[kStretch] = contact_.u_t * one +
                     (contact_.tt * z[kUpper] + contact_.tn * z[kUpper + 1]) / alpha_ - z[kSlip];
    rate[kStretch + 1] =
        contact_.u_n * one + (contact_.tn * z[kUpper] + contact_.nn * z[kUpper + 1]) / alpha_;
    rate[kSlip] =
        slip_sign == 0 ? T(0) : T((contact_.tt * net[0] + contact_.tn * net[1]) / (T(1) - alpha_));
    return rate;
  }

  /// That of friction.
  std::pair<T, T> Power(const State& z, double) const {
    return {z[kSlip], Reaction(SpringForce(z))[0]};
  }

  bool IsPossible(std::size_t event) const {
    return event != kOtherFrictionChange || slip_sign == 0;
  }

  T Event(std::size_t event, const State& z, double) const {
    const Vector spring = SpringForce(z);
    if (event == kEnd) return -Reaction(spring)[1];
    if (slip_sign != 0) return z[kSlip] * static_cast<double>(-slip_sign);
    const T limit = mu_ * spring[1];
    return event == kFrictionChange ? T(spring[0] - limit) : T(-spring[0] - limit);
  }

 private:
  PlanarContact<T> contact_;
  T mu_, alpha_, stiffness_ratio_;
};

}  // namespace internal

/// The contact mass M = A^-1 split in two: the share 1 - e touches first, in a plastic impact (law
/// `poisson` with e = 0), and stays on the surface with Coulomb friction; the share e rides on it
/// by lossless springs k_n and k_t = stiffness_ratio k_n, and brings it back:
///     e M U_1' = F_s,   (1 - e) M U_2' = F_c - F_s,   U_2n = 0,   P = P_plastic + int F_c dt,
/// until the reaction F_cn is zero; then the two move on as one. Head-on the restitution is e.
/// Should stick break where slip would jam, no reaction keeps the contact mass down, and contact
/// ends. Planar, since the source gives no rule for slip that turns from rest.
///
/// The friction work is that on the contact mass; the normal work is the rest of the change of
/// energy, the loss of the plastic impact and the springs' last oscillation included. There are no
/// stages of compression and restitution.
///
/// Source: chatterjee1997 8.1, (8.1), with alpha = e.
struct SplitMassLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, stiffness_ratio
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const;
};

namespace internal {

/// One impact, followed from event to event. Units as in PointContactModel.
template <typename T>
class SplitMass {
 public:
  SplitMass(const PlanarContact<T>& contact, const ImpactResult<T>& plastic, const T& plastic_slip,
            std::span<const T> parameters)
      : mu_(Value(parameters[0])),
        modes_(plastic.modes),
        integrator_(
            System(contact, parameters[0], parameters[1], parameters[2]),
            SplitMassSystem<double>({Value(contact.tt), Value(contact.tn), Value(contact.nn),
                                     Value(contact.u_t), Value(contact.u_n)},
                                    mu_, Value(parameters[1]), Value(parameters[2])),
            AtRest()) {
    State& z = integrator_.state();
    if (modes_.back() != ContactMode::kStick) {
      z[System::kSlip] = plastic_slip;
      SetSlip(Value(plastic_slip) < 0.0 ? -1 : 1);
    }
  }

  /// False if it did not come to an end.
  bool Solve() {
    rebounds_ = modes_.back() != ContactMode::kStick || Hold() || Slip();
    if (!rebounds_) return true;
    for (int step = 0; step < ContactOptions{}.max_steps && !integrator_.failed(); ++step) {
      const std::size_t event = integrator_.Step();
      const bool changes =
          event == System::kFrictionChange || event == System::kOtherFrictionChange;
      if (event == System::kEnd || (changes && !ChangeFriction())) {
        rebounds_ = Value(state()[System::kContact + 1]) > 1e-9;
        return true;
      }
    }
    return false;
  }

  const std::array<T, 7>& state() const { return integrator_.state(); }
  const T& friction_work() const { return integrator_.work(); }
  const ModeSequence& modes() const { return modes_; }
  bool rebounds() const { return rebounds_; }  ///< whether the springs came to act

 private:
  using System = SplitMassSystem<T>;
  using State = typename System::State;

  static State AtRest() {
    State z;
    z.fill(T(0));
    return z;
  }

  void SetSlip(int sign) {
    integrator_.ChangeSystem([&](auto& system) { system.slip_sign = sign; });
  }

  // False if contact ends.
  bool ChangeFriction() {
    const bool stuck = integrator_.values().slip_sign == 0;
    integrator_.state()[System::kSlip] = T(0);
    return (!stuck && Hold()) || Slip();
  }

  // The springs' force; at touch, where it is zero, its rate.
  Eigen::Vector2d Spring() const {
    const auto z = Value(integrator_.state());
    const Eigen::Vector2d force = integrator_.values().SpringForce(z);
    return force.isZero(0.0) ? integrator_.values().SpringForce(integrator_.values().Rate(z, 1.0))
                             : force;
  }

  bool Hold() {
    const Eigen::Vector2d spring = Spring();
    if (std::abs(spring[0]) > mu_ * spring[1]) return false;
    SetSlip(0);
    modes_.push_back(ContactMode::kStick);
    return true;
  }

  bool Slip() {
    const int sign = Spring()[0] < 0.0 ? 1 : -1;
    if (!(integrator_.values().Resistance(sign) > 0.0)) return false;
    SetSlip(sign);
    modes_.push_back(ContactMode::kReverseSlip);
    return true;
  }

  double mu_;
  ModeSequence modes_;
  bool rebounds_ = true;
  LinearEventIntegrator<SplitMassSystem, T> integrator_;
};

template <typename T>
ImpactResult<T> PlasticImpact(const Contact<T>& contact, const T& mu) {
  const std::array<T, 2> parameters = {mu, T(0)};
  return PoissonLaw{}.template Solve<T>(contact, std::span<const T>(parameters));
}

/// One contact: impulse, friction work and modes are set.
template <typename T>
ImpactResult<T> SplitMassContact(const Contact<T>& contact, const Eigen::Vector2d& tangent,
                                 std::span<const T> parameters) {
  using System = SplitMassSystem<T>;
  const Eigen::Matrix<T, 2, 1> t = tangent.template cast<T>();
  PlanarContact<T> planar = InPlane(contact, tangent);
  const T mass = T(1) / planar.nn, speed = -planar.u_n;
  const ImpactResult<T> plastic = PlasticImpact(contact, parameters[0]);
  planar = {planar.tt * mass, planar.tn * mass, T(1), planar.u_t / speed, T(-1)};
  const T slip = t.dot(plastic.contact_velocity.template head<2>()) / speed;
  SplitMass<T> motion(planar, plastic, slip, parameters);
  if (!motion.Solve()) return NoAnswer<T>();

  const T contact_share = motion.rebounds() ? T(T(1) - parameters[1]) : T(1);
  const auto& z = motion.state();
  const T unit = mass * speed;
  ImpactResult<T> result;
  result.impulse.template head<2>() =
      t * (contact_share * t.dot(plastic.impulse.template head<2>()) + z[System::kContact] * unit);
  result.impulse[2] = contact_share * plastic.impulse[2] + z[System::kContact + 1] * unit;
  result.energy.friction_work =
      contact_share * plastic.energy.friction_work + motion.friction_work() * unit * speed;
  result.modes = motion.modes();
  return result;
}

}  // namespace internal

template <typename T>
ImpactResult<T> SplitMassLaw::Solve(const Contact<T>& contact,
                                    std::span<const T> parameters) const {
  constexpr int kMostContacts = 20;
  const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
  if (!values.inverse_mass.allFinite() || !values.velocity.allFinite()) return NoAnswer<T>();
  const auto tangent = PlaneOf(values);
  if (!tangent) return NoAnswer<T>();
  ImpactResult<T> result;
  Contact<T> next = contact;
  for (int k = 0; Value(next.velocity[2]) < 1e-12 * values.velocity[2]; ++k) {
    const bool last = k == kMostContacts || Value(next.velocity[2]) > 1e-6 * values.velocity[2];
    const ImpactResult<T> once = last ? internal::PlasticImpact(next, parameters[0])
                                      : internal::SplitMassContact(next, *tangent, parameters);
    result.impulse += once.impulse;
    result.energy.friction_work += once.energy.friction_work;
    for (const ContactMode mode : once.modes) result.modes.push_back(mode);
    next.velocity = contact.velocity + contact.inverse_mass * result.impulse;
    if (last) break;  // rounding may leave a grazing contact below any bound
  }
  result.contact_velocity = next.velocity;
  result.energy.normal_work = TotalWork(contact, result) - result.energy.friction_work;
  result.compression_impulse = T(std::numeric_limits<double>::quiet_NaN());
  result.restitution_impulse = T(std::numeric_limits<double>::quiet_NaN());
  return result;
}

}  // namespace percuss::solver
