// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "solver/linear_event_integrator.h"
#include "solver/planar_contact.h"
#include "solver/point_contact.h"

// IntegratePointContact for impacts in one plane with linear elements: between two events the
// motion is linear.

namespace percuss::solver::internal {

/// The equations between two events, in the units of PointContactModel.
template <typename T>
class PlanarSpringSystem {
 public:
  /// What the tangential contact does: nothing; friction in proportion to the normal force, in slip
  /// of a rigid contact along `slip_sign` or in rest (kHeld); the same for the point of a spring.
  enum class Friction { kNone, kRigidSlip, kHeld, kSpringStick, kSpringSlip };

  static constexpr std::size_t kSize = 4, kEvents = 5;
  enum Index : std::size_t { kCompression, kImpulse = 1, kSpring = 3 };
  enum Event : std::size_t { kEnd, kTurn, kFrictionChange, kOtherFrictionChange, kPull };
  using State = std::array<T, kSize>;

  /// @param contact with nn = 1 and u_n = -1
  PlanarSpringSystem(const PlanarContact<T>& contact, const PointContactModel<T>& model)
      : contact_(contact),
        mu_(model.mu),
        damping_(T(2) * model.damping_ratio),
        damped_(Value(damping_) != 0.0 || LargestDerivative(damping_) != 0.0),
        stiffness_(model.stiffness_ratio.value_or(T(0))),
        end_(model.end),
        unloading_(model.unloading),
        e_squared_(model.e * model.e) {}

  Friction friction = Friction::kNone;
  bool expanding = false;
  T force_ratio = T(0);  ///< F_t / F_n in kRigidSlip and kHeld
  int slip_sign = 0;     ///< of the spring's force on the point, T = -F_t, in kSpringSlip

  T Slip(const State& z, double one) const {
    return contact_.u_t * one + contact_.tt * z[kImpulse] + contact_.tn * z[kImpulse + 1];
  }
  T NormalVelocity(const State& z, double one) const {
    return contact_.u_n * one + contact_.tn * z[kImpulse] + contact_.nn * z[kImpulse + 1];
  }
  T NormalForce(const State& z, double one) const {
    const T& d = z[kCompression];
    const T elastic = expanding && unloading_ == Unloading::kDrop ? T(e_squared_ * d) : d;
    return !damped_ ? elastic : T(elastic - damping_ * NormalVelocity(z, one));
  }
  T TangentialForce(const State& z, const T& normal_force) const {
    switch (friction) {
      case Friction::kNone:
        return T(0);
      case Friction::kRigidSlip:
      case Friction::kHeld:
        return force_ratio * normal_force;
      case Friction::kSpringStick:
        return -z[kSpring];
      case Friction::kSpringSlip:
        return mu_ * normal_force * static_cast<double>(-slip_sign);
    }
    return T(0);
  }

  State Rate(const State& z, double one) const {
    const T u_n = NormalVelocity(z, one);
    const T n = NormalForce(z, one);
    return {CompressionRate(u_n), TangentialForce(z, n), n,
            friction == Friction::kSpringStick ? T(stiffness_ * Slip(z, one)) : T(0)};
  }

  /// The normal power.
  std::pair<T, T> Power(const State& z, double one) const {
    return {NormalForce(z, one), NormalVelocity(z, one)};
  }

  bool IsPossible(std::size_t event) const {
    if (event == kEnd) return expanding;
    if (event == kTurn) return true;
    if (event == kFrictionChange || event == kOtherFrictionChange) {
      if (friction == Friction::kSpringStick) return spring_resists();
      return event == kFrictionChange &&
             (friction == Friction::kRigidSlip || friction == Friction::kSpringSlip);
    }
    return expanding && friction != Friction::kNone && end_ == ContactEnd::kZeroCompression &&
           Value(damping_) > 0.0;
  }

  T Event(std::size_t event, const State& z, double one) const {
    if (event == kEnd) {
      return end_ == ContactEnd::kZeroForce ? T(-NormalForce(z, one)) : T(-z[kCompression]);
    }
    if (event == kTurn) return expanding ? T(-NormalVelocity(z, one)) : NormalVelocity(z, one);
    if (event == kPull) return -NormalForce(z, one);
    if (friction == Friction::kRigidSlip) return force_ratio * Slip(z, one);
    if (friction == Friction::kSpringSlip) return -PointSlip(z, slip_sign, one);
    const T limit = mu_ * NormalForce(z, one);
    return event == kFrictionChange ? T(z[kSpring] - limit) : T(-z[kSpring] - limit);
  }

  /// Velocity of the point along the spring's force while it slips along `sign`: the spring follows
  /// the cone, T = sign mu F_n.
  T PointSlip(const State& z, int sign, double one) const {
    const T u_n = NormalVelocity(z, one);
    T force_rate = CompressionRate(u_n);
    if (expanding && unloading_ == Unloading::kDrop) force_rate *= e_squared_;
    if (damped_) {
      const T n = NormalForce(z, one);
      force_rate -= damping_ * (contact_.tn * TangentialForce(z, n) + contact_.nn * n);
    }
    return Slip(z, one) * static_cast<double>(sign) - mu_ * force_rate / stiffness_;
  }

  const T& mu() const { return mu_; }
  bool spring_resists() const { return Value(stiffness_) != 0.0; }
  /// The impulse that stops what slip is left.
  T Remnant(const State& z) const { return -Slip(z, 1.0) / contact_.tt; }

  /// Leaves rest of a rigid contact: true if it sticks, else it slips on in the one direction it
  /// can.
  bool LeaveRest() {
    const double tn = Value(contact_.tn), limit = Value(mu_) * Value(contact_.tt);
    const bool sticks = limit >= std::abs(tn) * (1.0 - 1e-14);
    friction = sticks ? Friction::kHeld : Friction::kRigidSlip;
    force_ratio = sticks ? T(-contact_.tn / contact_.tt) : T(mu_ * (tn < 0.0 ? 1.0 : -1.0));
    return sticks;
  }
  void SlipAlong(int sign) {
    friction = Friction::kRigidSlip;
    force_ratio = mu_ * static_cast<double>(-sign);
  }

 private:
  T CompressionRate(const T& u_n) const {
    return expanding && unloading_ == Unloading::kSteep ? T(-u_n / e_squared_) : T(-u_n);
  }

  PlanarContact<T> contact_;
  T mu_, damping_;
  bool damped_;
  T stiffness_;
  ContactEnd end_;
  Unloading unloading_;
  T e_squared_;
};

/// One impact, followed from event to event.
template <typename T>
class PlanarSpringContact {
 public:
  /// @param tangent of the plane, see PlaneOf
  PlanarSpringContact(const Contact<T>& contact, const Eigen::Vector2d& tangent,
                      const PointContactModel<T>& model, const PointContactModel<double>& values,
                      int max_steps)
      : contact_(contact),
        tangent_(tangent),
        rigid_(!model.stiffness_ratio || values.mu == 0.0),
        restores_(values.e != 0.0),
        max_steps_(max_steps),
        mass_(T(1) / contact.inverse_mass(2, 2)),
        speed_(-contact.velocity[2]),
        integrator_(System(Scaled(contact), model), ValueSystem(ScaledValues(contact), values),
                    State{T(0), T(0), T(0), T(0)}) {}

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
  using Integrator = LinearEventIntegrator<PlanarSpringSystem, T>;
  using System = PlanarSpringSystem<T>;
  using ValueSystem = PlanarSpringSystem<double>;
  using State = typename System::State;
  using Friction = typename System::Friction;

  PlanarContact<T> Scaled(const Contact<T>& contact) const {
    const PlanarContact<T> planar = InPlane(contact, tangent_);
    return {planar.tt * mass_, planar.tn * mass_, T(1), planar.u_t / speed_, T(-1)};
  }
  PlanarContact<double> ScaledValues(const Contact<T>& contact) const {
    const PlanarContact<T> scaled = Scaled(contact);
    return {Value(scaled.tt), Value(scaled.tn), 1.0, Value(scaled.u_t), -1.0};
  }

  const ValueSystem& Values() const { return integrator_.values(); }
  bool Is(Friction friction) const {
    return static_cast<int>(Values().friction) == static_cast<int>(friction);
  }
  void SetFriction(Friction friction) {
    integrator_.ChangeSystem([&](auto& system) {
      system.friction = static_cast<decltype(system.friction)>(static_cast<int>(friction));
    });
  }

  void Start() {
    const double slip = Values().Slip(integrator_.StateValue(), 1.0);
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
      SlipSpring(integrator_.StateValue()[System::kSpring] < 0.0 ? -1 : 1);
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
    const T normal_force = integrator_.system().NormalForce(z, 1.0);
    z[System::kSpring] =
        integrator_.system().mu() * normal_force * static_cast<double>(Values().slip_sign);
    SetFriction(Friction::kSpringStick);
  }

  // A spring after something jumped: it slips if it is at the limit of friction and its point would
  // go on from there, at touch along the slip velocity.
  void ChooseSpringMode() {
    SetFriction(Friction::kSpringStick);
    const auto z = integrator_.StateValue();
    const double spring = z[System::kSpring], slip = Values().Slip(z, 1.0);
    const double direction = spring != 0.0 ? spring : slip;
    const double limit = Values().mu() * Values().NormalForce(z, 1.0);
    const int sign = direction < 0.0 ? -1 : 1;
    const bool slips = direction != 0.0 && Values().spring_resists() &&
                       std::abs(spring) >= limit * (1.0 - 1e-11) &&
                       Values().PointSlip(z, sign, 1.0) > 0.0;
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
    const T limit = integrator_.system().mu() * integrator_.system().NormalForce(z, 1.0);
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
    result.energy.normal_work = integrator_.work() * unit * speed_;
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

/// The plane of an impact of which nothing leaves it but rounding, derivatives included.
template <typename T>
std::optional<Eigen::Vector2d> PlaneOfAll(const Contact<T>& contact) {
  constexpr double kRounding = 1e-14;
  const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
  const auto tangent = PlaneOf(values);
  if (!tangent) return tangent;
  const Eigen::Matrix<T, 2, 1> t = tangent->template cast<T>();
  const Eigen::Matrix<T, 2, 1> across(-t[1], t[0]);
  const auto vanishes = [](const T& x, double against) {
    return std::abs(Value(x)) + LargestDerivative(x) <= kRounding * against;
  };
  const auto& a = contact.inverse_mass;
  const double size = values.inverse_mass.norm();
  const bool planar =
      vanishes(across.dot(contact.velocity.template head<2>()), values.velocity.norm()) &&
      vanishes(across.dot(a.template topRightCorner<2, 1>()), size) &&
      vanishes(across.dot(a.template topLeftCorner<2, 2>() * t), size);
  return planar ? tangent : std::nullopt;
}

}  // namespace percuss::solver::internal
