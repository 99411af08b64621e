// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "solver/compliant/planar_hertz_contact.h"
#include "solver/compliant/planar_spring_contact.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/compliant/point_contact_system.h"
#include "solver/contact/contact.h"
#include "solver/integration/event_integrator.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

/// Integrates an anisotropic point mass against a point contact,
///     du/dt = A F,   dd/dt = -u_n,
/// from touch to the end of contact. A Runge-Kutta method of order 8 with error control runs from
/// event to event: maximum compression, stick to slip, slip to stick, end. Singularities are taken
/// out by the independent variable: d^(3/2) is smooth in s with dt = 2 d^(1/2) ds, d^n nearly so,
/// and rigid slip that turns while it stops in s with dt = |u_t| ds. Where its direction settles
/// much faster than it stops, slip is followed straight from where nothing is left of the angle.
/// The impulse is accurate to about 1e-10. In one plane, without a history, linear elements move in
/// Taylor series from event to event, to rounding whatever the tolerance, and a lossless Hertz
/// contact has fewer equations.
///
/// In slip of the spring, T = -F_t keeps |T| = mu F_n and the point slips along T at the velocity
/// w:
///     T' = k_t (u_t - w);   slip ends where w . T falls to zero.
/// In stick w = 0, until |T| reaches mu F_n. Where the Hertz spring expands, its area shrinks and T
/// with it in proportion to k_t, since a spring that only grew softer would create energy. Friction
/// is zero where a dashpot pulls (F_n < 0).
///
/// With an autodiff T the derivatives are those of the solution, event times included; they do not
/// exist on the border between two sequences of modes, nor by e at e = 0, where contact ends at
/// maximum compression.
///
/// Source: chatterjee1997 5.2, 8.2 to 8.4; sun2017 1.2.
template <typename T>
ImpactResult<T> IntegratePointContact(const Contact<T>& contact, const PointContactModel<T>& model,
                                      const ContactOptions& options = {});

/// The same; `history` receives the impact over time.
ImpactResult<double> IntegratePointContact(const Contact<double>& contact,
                                           const PointContactModel<double>& model,
                                           const ContactOptions& options, ContactHistory* history);

}  // namespace percuss::solver

namespace percuss::solver::internal {

template <typename T>
PointContactModel<double> ValueOf(const PointContactModel<T>& model) {
  PointContactModel<double> values{.mu = Value(model.mu),
                                   .force = model.force,
                                   .exponent = model.exponent,
                                   .unloading = model.unloading,
                                   .e = Value(model.e),
                                   .rate_factor = Value(model.rate_factor),
                                   .damping_ratio = Value(model.damping_ratio),
                                   .end = model.end,
                                   .stiffness_ratio = {}};
  if (model.stiffness_ratio) values.stiffness_ratio = Value(*model.stiffness_ratio);
  return values;
}

/// One impact, followed from event to event.
template <typename T, bool kRecorded>
class PointContact {
 public:
  PointContact(const Contact<T>& contact, const PointContactModel<T>& model,
               const ContactOptions& options, ContactHistory* history)
      : contact_(contact),
        model_(model),
        options_(options),
        history_(history),
        mass_(T(1) / contact.inverse_mass(2, 2)),
        speed_(-contact.velocity[2]),
        integrator_(System(contact.inverse_mass * mass_, contact.velocity / speed_, model),
                    ValueSystem(Value(contact.inverse_mass) * Value(mass_),
                                Value(contact.velocity) / Value(speed_), ValueOf(model)),
                    State{}, options.tolerance,
                    kRecorded ? options.history_step : std::numeric_limits<double>::infinity()) {
    integrator_.state().fill(T(0));
  }

  ImpactResult<T> Solve() {
    Start();
    Record();
    for (int step = 0; !done_; ++step) {
      if (step == options_.max_steps || integrator_.failed()) return NoAnswer<T>();
      const auto before = Value(integrator_.state());
      const std::size_t event = integrator_.Step();
      Record();
      if (event == System::kEnd) {
        CloseStage();
        done_ = true;
      } else if (event == System::kTurn) {
        Turn();
      } else if (event == System::kFrictionChange && Is(Friction::kStraightSlip)) {
        LeaveRest(ContactMode::kReverseSlip);
      } else if (event == System::kFrictionChange) {
        ChangeSpringMode();
      } else if (event == System::kPull) {
        SetFriction(Friction::kNone);
      } else if (Is(Friction::kRigidSlip) && SlipSpeed() <= stop_speed_) {
        LeaveRest(ContactMode::kReverseSlip);
      } else if (Is(Friction::kRigidSlip)) {
        Settle(before);
      } else if (Is(Friction::kSpringFollow) && TurnRate() < 0.3 * kFastTurn) {
        StopFollowing();
      }
      if (event != Integrator::kNoEvent) Record();
    }
    return Result();
  }

 private:
  template <typename S>
  using SystemOf = PointContactSystem<S, kRecorded>;
  using Integrator = EventIntegrator<SystemOf, T>;
  using System = SystemOf<T>;
  using ValueSystem = SystemOf<double>;
  using State = typename System::State;
  static constexpr double kFastTurn = 1000.0;

  bool Is(Friction friction) const { return integrator_.values().friction == friction; }
  void SetFriction(Friction friction) {
    integrator_.ChangeSystem([&](auto& system) { system.friction = friction; });
  }
  double SlipSpeed() const {
    return integrator_.values().Velocity(Value(integrator_.state())).template head<2>().norm();
  }

  void Start() {
    const double slip = Value(contact_.velocity).template head<2>().norm();
    const bool at_rest = slip <= 1e-12 * Value(contact_.velocity).norm();
    // Without friction the spring follows any slip.
    const bool rigid = !model_.stiffness_ratio || Value(model_.mu) == 0.0;
    // Below this, slip is the error of a step.
    const double mobility = Value(contact_.inverse_mass).norm() * Value(mass_);
    stop_speed_ = 10.0 * options_.tolerance * std::max(slip / Value(speed_), mobility);
    if (!rigid) {
      SetFriction(Friction::kSpringStick);
      ChooseSpringMode();
    } else if (at_rest) {
      LeaveRest(ContactMode::kSlip);
    } else {
      SetFriction(Friction::kRigidSlip);
      modes_.push_back(ContactMode::kSlip);
      const Vector2<T> slip_now = contact_.velocity.template head<2>() / speed_;
      if (integrator_.system().KeepsDirection(slip_now)) {
        const Eigen::Vector2d along = Value(slip_now).normalized();
        integrator_.ChangeSystem([&](auto& system) { system.SlipAlong(along); });
      }
    }
  }

  void LeaveRest(ContactMode slip_mode) {
    const Vector2<T> remnant = integrator_.system().Remnant(integrator_.state());
    integrator_.state()[System::kImpulse] += remnant[0];
    integrator_.state()[System::kImpulse + 1] += remnant[1];
    bool sticks = false;
    integrator_.ChangeSystem([&](auto& system) { sticks = system.LeaveRest(); });
    modes_.push_back(sticks ? ContactMode::kStick : slip_mode);
  }

  // Where slip settles into its direction much faster than it stops, the equations are stiff. Once
  // nothing is left of the angle, nor of its derivatives, slip is straight.
  void Settle(const std::array<double, System::kSize>& before) {
    constexpr double kNothingLeft = 40.0;  // exp(-40), times the exponent for a derivative
    const auto z = Value(integrator_.state());
    const ValueSystem& values = integrator_.values();
    const Eigen::Vector2d from = values.Velocity(before).template head<2>();
    const Eigen::Vector2d slip = values.Velocity(z).template head<2>();
    const double rate = std::min(values.SettlingRate(from), values.SettlingRate(slip));
    const double impulse = z[System::kImpulse + 2] - before[System::kImpulse + 2];
    settled_ = std::max(0.0, settled_ + rate * impulse / std::max(from.norm(), slip.norm()));
    if (settled_ < kNothingLeft) return;
    integrator_.ChangeSystem([&](auto& system) { system.Straighten(slip, stop_speed_); });
  }

  void SetSpring(const Vector2<T>& spring) {
    integrator_.state()[System::kSpring] = spring[0];
    integrator_.state()[System::kSpring + 1] = spring[1];
  }

  void SlipSpring(const Vector2<T>& direction) {
    const bool follows = (modes_.empty() || Is(Friction::kSpringFollow)) && TurnRate() > kFastTurn;
    SetFriction(follows ? Friction::kSpringFollow : Friction::kSpringSlip);
    SetSpring(direction);
    const bool first = modes_.empty() || modes_.back() == ContactMode::kSlip;
    modes_.push_back(first ? ContactMode::kSlip : ContactMode::kReverseSlip);
  }

  double TurnRate() const { return integrator_.values().TurnRate(Value(integrator_.state())); }

  void StopFollowing() {
    SetSpring(integrator_.system().FollowingDirection(integrator_.state()));
    SetFriction(Friction::kSpringSlip);
  }

  void HoldSpring() {
    const Vector2<T> force = integrator_.system().Force(integrator_.state()).template head<2>();
    SetFriction(Friction::kSpringStick);
    SetSpring(-force);
  }

  // For a spring that sticks, after something jumped.
  void ChooseSpringMode() {
    const auto direction = integrator_.system().SpringDirection(integrator_.state());
    if (direction && integrator_.system().SpringSlips(integrator_.state(), *direction)) {
      SlipSpring(*direction);
    } else {
      SetFriction(Friction::kSpringStick);
      modes_.push_back(ContactMode::kStick);
    }
  }

  void ChangeSpringMode() {
    if (Is(Friction::kSpringStick)) {
      SlipSpring(*integrator_.system().SpringDirection(integrator_.state()));
    } else {
      HoldSpring();
      modes_.push_back(ContactMode::kStick);
    }
  }

  void Turn() {
    CloseStage();
    compressing_ = !compressing_;
    const bool follows = Is(Friction::kSpringFollow);
    const bool spring = Is(Friction::kSpringStick) || Is(Friction::kSpringSlip) || follows;
    if (Is(Friction::kSpringSlip) || follows) HoldSpring();
    integrator_.ChangeSystem([&](auto& system) { system.expanding = !system.expanding; });
    if (Value(model_.e) == 0.0) {
      done_ = true;
    } else if (spring) {
      LimitSpring();
      if (follows) SetFriction(Friction::kSpringFollow);
      ChooseSpringMode();
    }
  }

  // Where the normal force drops, the point slips at once until friction can hold the spring.
  void LimitSpring() {
    using std::sqrt;
    const Vector2<T> spring = integrator_.system().Spring(integrator_.state());
    const T limit = model_.mu * integrator_.system().NormalForceAt(integrator_.state());
    if (Value(spring).norm() <= Value(limit)) return;
    SetSpring(spring * (limit / sqrt(spring.squaredNorm())));
  }

  void CloseStage() {
    const State& z = integrator_.state();
    (compressing_ ? compression_impulse_ : restitution_impulse_) +=
        z[System::kImpulse + 2] - stage_start_;
    stage_start_ = z[System::kImpulse + 2];
  }

  ImpactResult<T> Result() const {
    const State& z = integrator_.state();
    const T unit = mass_ * speed_;
    ImpactResult<T> result;
    for (int i = 0; i < 3; ++i) {
      result.impulse[i] = z[System::kImpulse + static_cast<std::size_t>(i)] * unit;
    }
    result.compression_impulse = compression_impulse_ * unit;
    result.restitution_impulse = restitution_impulse_ * unit;
    result.energy.normal_work = z[System::kWork] * unit * speed_;
    SetVelocityAndFrictionWork(contact_, result);
    result.modes = modes_;
    return result;
  }

  // Units: m u^2 = k d^(n+1) for the length d, d / u for time, m u^2 / d for force.
  void Record() {
    if constexpr (kRecorded) history_->push_back(Sample());
  }

  ContactSample Sample() const {
    const ValueSystem& system = integrator_.values();
    const auto z = Value(integrator_.state());
    const double mass = Value(mass_), speed = Value(speed_), energy = mass * speed * speed;
    const double exponent = model_.force == NormalForce::kHertz ? model_.exponent : 1.0;
    const double length = std::pow(energy / options_.stiffness, 1.0 / (exponent + 1.0));
    ContactSample sample;
    sample.time = z[System::kTime] * length / speed;
    for (int i = 0; i < 3; ++i) {
      sample.displacement[i] = z[System::kPlace + static_cast<std::size_t>(i)] * length;
      sample.impulse[i] = z[System::kImpulse + static_cast<std::size_t>(i)] * mass * speed;
    }
    sample.velocity = system.Velocity(z) * speed;
    sample.force = system.Force(z) * (energy / length);
    sample.mode = modes_.back();
    return sample;
  }

  const Contact<T>& contact_;
  const PointContactModel<T>& model_;
  const ContactOptions& options_;
  ContactHistory* history_;
  T mass_, speed_;
  Integrator integrator_;
  ModeSequence modes_;
  bool compressing_ = true;
  bool done_ = false;
  double stop_speed_ = 0.0;
  double settled_ = 0.0;  // exponent by which an angle to the direction that slip keeps has decayed
  T compression_impulse_ = T(0), restitution_impulse_ = T(0), stage_start_ = T(0);
};

}  // namespace percuss::solver::internal

namespace percuss::solver {

template <typename T>
ImpactResult<T> IntegratePointContact(const Contact<T>& contact, const PointContactModel<T>& model,
                                      const ContactOptions& options) {
  if (!Value(contact.inverse_mass).allFinite() || !Value(contact.velocity).allFinite()) {
    return NoAnswer<T>();
  }
  const PointContactModel<double> values = internal::ValueOf(model);
  const bool in_proportion =
      values.rate_factor != 0.0 || LargestDerivative(model.rate_factor) != 0.0;
  const bool damped =
      in_proportion || values.damping_ratio != 0.0 || LargestDerivative(model.damping_ratio) != 0.0;
  const bool linear = model.force == NormalForce::kLinear && !in_proportion;
  const bool lossless_hertz = model.force == NormalForce::kHertz && model.exponent == 1.5 &&
                              model.unloading == Unloading::kSame && !damped;
  if (linear || lossless_hertz) {
    if (const auto tangent = PlaneOfAll(contact)) {
      return linear
                 ? internal::SolvePlanarSpring(contact, *tangent, model, values, options.max_steps)
                 : internal::SolvePlanarHertz(contact, *tangent, model, values, options);
    }
  }
  return internal::PointContact<T, false>(contact, model, options, nullptr).Solve();
}

inline ImpactResult<double> IntegratePointContact(const Contact<double>& contact,
                                                  const PointContactModel<double>& model,
                                                  const ContactOptions& options,
                                                  ContactHistory* history) {
  if (!contact.inverse_mass.allFinite() || !contact.velocity.allFinite()) {
    return NoAnswer<double>();
  }
  return internal::PointContact<double, true>(contact, model, options, history).Solve();
}

}  // namespace percuss::solver
