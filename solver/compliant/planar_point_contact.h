// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "solver/body/scalar.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/contact/planar_contact.h"

// What IntegratePointContact does with impacts in one plane that need no history: there slip has
// one of two directions, so that far fewer numbers describe the motion. Its equations between two
// events are in planar_spring_contact.h and planar_hertz_contact.h.

namespace percuss::solver::internal {

/// What the tangential contact does: nothing; friction in proportion to the normal force, in slip
/// of a rigid contact or in rest (kHeld); the same for the point of a spring.
enum class PlanarFriction { kNone, kRigidSlip, kHeld, kSpringStick, kSpringSlip };

/// What the equations of all normal elements have in common. The state begins with a measure of
/// compression, the impulses P_t and P_n, and the force T = -F_t of the tangential spring.
template <typename T>
class PlanarPointSystem {
 public:
  enum Index : std::size_t { kCompression, kImpulse = 1, kSpring = 3 };
  enum Event : std::size_t { kEnd, kTurn, kFrictionChange, kOtherFrictionChange, kPull };

  PlanarFriction friction = PlanarFriction::kNone;
  bool expanding = false;
  T force_ratio = T(0);  ///< F_t / F_n in kRigidSlip and kHeld
  int slip_sign = 0;     ///< of the spring's force on the point, T = -F_t, in kSpringSlip

  /// @param one 1, but 0 for a difference of states
  template <std::size_t kSize>
  T Slip(const std::array<T, kSize>& z, double one = 1.0) const {
    return contact_.u_t * one + contact_.tt * z[kImpulse] + contact_.tn * z[kImpulse + 1];
  }
  template <std::size_t kSize>
  T NormalVelocity(const std::array<T, kSize>& z, double one = 1.0) const {
    return contact_.u_n * one + contact_.tn * z[kImpulse] + contact_.nn * z[kImpulse + 1];
  }

  const T& mu() const { return mu_; }
  bool spring_resists() const { return Value(stiffness_) != 0.0; }
  /// The impulse that stops what slip is left.
  template <std::size_t kSize>
  T Remnant(const std::array<T, kSize>& z) const {
    return -Slip(z) / contact_.tt;
  }

  /// Leaves rest of a rigid contact: true if it sticks, else it slips on in the one direction it
  /// can.
  bool LeaveRest() {
    const double tn = Value(contact_.tn), limit = Value(mu_) * Value(contact_.tt);
    const bool sticks = limit >= std::abs(tn) * (1.0 - 1e-14);
    friction = sticks ? PlanarFriction::kHeld : PlanarFriction::kRigidSlip;
    force_ratio = sticks ? T(-contact_.tn / contact_.tt) : T(mu_ * (tn < 0.0 ? 1.0 : -1.0));
    return sticks;
  }
  void SlipAlong(int sign) {
    friction = PlanarFriction::kRigidSlip;
    force_ratio = mu_ * static_cast<double>(-sign);
  }

 protected:
  /// @param contact with nn = 1 and u_n = -1
  PlanarPointSystem(const PlanarContact<T>& contact, const PointContactModel<T>& model)
      : contact_(contact), mu_(model.mu), stiffness_(model.stiffness_ratio.value_or(T(0))) {}

  T TangentialForce(const T& spring, const T& normal_force) const {
    switch (friction) {
      case PlanarFriction::kNone:
        return T(0);
      case PlanarFriction::kRigidSlip:
      case PlanarFriction::kHeld:
        return force_ratio * normal_force;
      case PlanarFriction::kSpringStick:
        return -spring;
      case PlanarFriction::kSpringSlip:
        return mu_ * normal_force * static_cast<double>(-slip_sign);
    }
    return T(0);
  }

  PlanarContact<T> contact_;
  T mu_;
  T stiffness_;
};

/// One impact, followed from event to event.
/// @tparam Integrator of a system derived from PlanarPointSystem<T>, which starts at rest: with
///     T NormalForce(const State&) const;
///     T PointSlip(const State&, int sign) const;   // velocity of the point along T = sign mu F_n
/// The normal work is `work()` of the integrator, or else `NormalWork(state)` of the system.
template <class Integrator, typename T>
class PlanarPointContact {
 public:
  /// @param tangent of the plane, see PlaneOf
  PlanarPointContact(const Contact<T>& contact, const Eigen::Vector2d& tangent,
                     const PointContactModel<T>& model, int max_steps, Integrator integrator)
      : contact_(contact),
        tangent_(tangent),
        rigid_(!model.stiffness_ratio || Value(model.mu) == 0.0),
        restores_(Value(model.e) != 0.0),
        max_steps_(max_steps),
        mass_(T(1) / contact.inverse_mass(2, 2)),
        speed_(-contact.velocity[2]),
        integrator_(std::move(integrator)) {}

  ImpactResult<T> Solve() {
    Start();
    for (int step = 0; !done_; ++step) {
      if (step == max_steps_ || integrator_.failed()) return NoAnswer<T>();
      const std::size_t event = integrator_.Step();
      if (event == System::kEnd) {
        CloseStage();
        done_ = true;
      } else if (event == System::kTurn) {
        Turn();
      } else if (event == System::kPull) {
        SetFriction(Friction::kNone);
      } else if (event != Integrator::kNoEvent) {
        ChangeFriction();
      }
    }
    return Result();
  }

 private:
  using System = typename Integrator::System;
  using State = typename Integrator::State;
  using Friction = PlanarFriction;

  const auto& Values() const { return integrator_.values(); }
  std::array<double, System::kSize> StateValue() const { return Value(integrator_.state()); }
  bool Is(Friction friction) const { return Values().friction == friction; }
  void SetFriction(Friction friction) {
    integrator_.ChangeSystem([&](auto& system) { system.friction = friction; });
  }

  void Start() {
    const double slip = Values().Slip(StateValue());
    const bool at_rest = std::abs(slip) <= 1e-12 * Value(contact_.velocity).norm() / Value(speed_);
    if (!rigid_) {
      ChooseSpringMode();
    } else if (at_rest) {
      LeaveRest(ContactMode::kSlip);
    } else {
      integrator_.ChangeSystem([&](auto& system) { system.SlipAlong(slip < 0.0 ? -1 : 1); });
      modes_.push_back(ContactMode::kSlip);
    }
  }

  void LeaveRest(ContactMode slip_mode) {
    integrator_.state()[System::kImpulse] += integrator_.system().Remnant(integrator_.state());
    bool sticks = false;
    integrator_.ChangeSystem([&](auto& system) { sticks = system.LeaveRest(); });
    modes_.push_back(sticks ? ContactMode::kStick : slip_mode);
  }

  void ChangeFriction() {
    if (Is(Friction::kRigidSlip)) {
      LeaveRest(ContactMode::kReverseSlip);
    } else if (Is(Friction::kSpringStick)) {
      SlipSpring(StateValue()[System::kSpring] < 0.0 ? -1 : 1);
    } else {
      HoldSpring();
      modes_.push_back(ContactMode::kStick);
    }
  }

  void SlipSpring(int sign) {
    SetFriction(Friction::kSpringSlip);
    integrator_.ChangeSystem([&](auto& system) { system.slip_sign = sign; });
    const bool first = modes_.empty() || modes_.back() == ContactMode::kSlip;
    modes_.push_back(first ? ContactMode::kSlip : ContactMode::kReverseSlip);
  }

  void HoldSpring() {
    State& z = integrator_.state();
    const T normal_force = integrator_.system().NormalForce(z);
    z[System::kSpring] =
        integrator_.system().mu() * normal_force * static_cast<double>(Values().slip_sign);
    SetFriction(Friction::kSpringStick);
  }

  // A spring after something jumped: it slips if it is at the limit of friction and its point would
  // go on from there, at touch along the slip velocity.
  void ChooseSpringMode() {
    SetFriction(Friction::kSpringStick);
    const auto z = StateValue();
    const double spring = z[System::kSpring], slip = Values().Slip(z);
    const double direction = spring != 0.0 ? spring : slip;
    const double limit = Values().mu() * Values().NormalForce(z);
    const int sign = direction < 0.0 ? -1 : 1;
    const bool slips = direction != 0.0 && Values().spring_resists() &&
                       std::abs(spring) >= limit * (1.0 - 1e-11) &&
                       Values().PointSlip(z, sign) > 0.0;
    if (slips) {
      SlipSpring(sign);
    } else {
      modes_.push_back(ContactMode::kStick);
    }
  }

  void Turn() {
    CloseStage();
    compressing_ = !compressing_;
    if (Is(Friction::kSpringSlip)) HoldSpring();
    integrator_.ChangeSystem([](auto& system) { system.expanding = !system.expanding; });
    if (!restores_) {
      done_ = true;
    } else if (Is(Friction::kSpringStick)) {
      LimitSpring();
      ChooseSpringMode();
    }
  }

  // Where the normal force drops, the point slips at once until friction can hold the spring.
  void LimitSpring() {
    State& z = integrator_.state();
    const T limit = integrator_.system().mu() * integrator_.system().NormalForce(z);
    if (std::abs(Value(z[System::kSpring])) <= Value(limit)) return;
    z[System::kSpring] = Value(z[System::kSpring]) < 0.0 ? T(-limit) : limit;
  }

  void CloseStage() {
    const State& z = integrator_.state();
    (compressing_ ? compression_impulse_ : restitution_impulse_) +=
        z[System::kImpulse + 1] - stage_start_;
    stage_start_ = z[System::kImpulse + 1];
  }

  ImpactResult<T> Result() const {
    const State& z = integrator_.state();
    const T unit = mass_ * speed_;
    ImpactResult<T> result;
    result.impulse.template head<2>() = tangent_.template cast<T>() * (z[System::kImpulse] * unit);
    result.impulse[2] = z[System::kImpulse + 1] * unit;
    result.compression_impulse = compression_impulse_ * unit;
    result.restitution_impulse = restitution_impulse_ * unit;
    if constexpr (requires { integrator_.work(); }) {
      result.energy.normal_work = integrator_.work() * unit * speed_;
    } else {
      result.energy.normal_work = integrator_.system().NormalWork(z) * unit * speed_;
    }
    SetVelocityAndFrictionWork(contact_, result);
    result.modes = modes_;
    return result;
  }

  const Contact<T>& contact_;
  Eigen::Vector2d tangent_;
  bool rigid_, restores_;
  int max_steps_;
  T mass_, speed_;
  Integrator integrator_;
  ModeSequence modes_;
  bool compressing_ = true;
  bool done_ = false;
  T compression_impulse_ = T(0), restitution_impulse_ = T(0), stage_start_ = T(0);
};

}  // namespace percuss::solver::internal
