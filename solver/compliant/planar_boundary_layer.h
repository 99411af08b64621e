// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "solver/compliant/boundary_layer_model.h"
#include "solver/compliant/layer_slip.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/contact/planar_contact.h"
#include "solver/integration/event_integrator.h"
#include "solver/integration/event_location.h"

// IntegrateBoundaryLayer for impacts in one plane. With A_nn = 1, a = A_tn, b = A_tt - a^2, the gap
// x, y = (ln x)' and f = x F_n = kappa (1 - damping y), the equations of BoundaryLayerModel become
//     x' = x y,   y' = f (1 + a rho),   P_t' = rho f / x,   u_n = x y,
//     u_t - u_t(0) = a (u_n + 1) + b P_t
// with the ratio rho = F_t / F_n: mu against slip, and where the contact sticks
//     rho = -a x^2 (1 + y^2 / f) / (b + a^2 x^2).
// Slip is followed in closed form (layer_slip.h), stick is integrated.

namespace percuss::solver::internal {

template <typename T>
class PlanarLayerSystem {
 public:
  static constexpr std::size_t kSize = 4, kEvents = 4;
  enum Index : std::size_t { kGap, kLogGapRate, kImpulse, kWork };
  enum Event : std::size_t { kEnd, kTurn, kStop, kBreak };
  using State = std::array<T, kSize>;

  /// @param contact with nn = 1 and u_n = -1
  PlanarLayerSystem(const PlanarContact<T>& contact, const BoundaryLayerModel<T>& model)
      : contact_(contact), model_(model), block_(contact.tt - contact.tn * contact.tn) {}

  bool expanding = false;
  int slip_sign = 0;  ///< 0 where the contact sticks

  T NormalVelocity(const State& z) const { return z[kGap] * z[kLogGapRate]; }
  T Slip(const State& z) const {
    return contact_.u_t + contact_.tn * (NormalVelocity(z) + T(1)) + block_ * z[kImpulse];
  }
  /// f
  T Push(const State& z) const {
    return model_.stiffness * (T(1) - model_.damping * z[kLogGapRate]);
  }
  T StickRatio(const State& z) const {
    const T& a = contact_.tn;
    const T square = z[kGap] * z[kGap];
    const T& y = z[kLogGapRate];
    return -a * square * (T(1) + y * y / Push(z)) / (block_ + a * a * square);
  }

  T Ratio(const State& z) const {
    return slip_sign == 0 ? StickRatio(z) : T(model_.mu * static_cast<double>(-slip_sign));
  }

  State Rate(const State& z) const {
    const T ratio = Ratio(z);
    const T push = Push(z);
    return {NormalVelocity(z), push * (T(1) + contact_.tn * ratio), ratio * push / z[kGap],
            push * z[kLogGapRate]};
  }

  T Event(std::size_t event, const State& z) const {
    if (event == kEnd) return expanding ? T(z[kGap] - T(1)) : T(-1);
    if (event == kTurn) return expanding ? T(-z[kLogGapRate]) : z[kLogGapRate];
    if (event == kStop)
      return slip_sign == 0 ? T(-1) : T(Slip(z) * static_cast<double>(-slip_sign));
    if (slip_sign != 0) return T(-1);
    const T ratio = StickRatio(z);
    return ratio * ratio - model_.mu * model_.mu;
  }

  T SlipRate(const State& z) const {
    const State rate = Rate(z);
    return contact_.tn * (rate[kGap] * z[kLogGapRate] + z[kGap] * rate[kLogGapRate]) +
           block_ * rate[kImpulse];
  }
  /// What follows while the contact slips.
  LayerSlip<T> SlipFrom(const State& z) const {
    const T ratio = Ratio(z);
    return {z, model_.stiffness, model_.damping, ratio, T(1) + contact_.tn * ratio};
  }

  /// The impulse that stops what slip is left.
  T Remnant(const State& z) const { return -Slip(z) / block_; }
  const T& mu() const { return model_.mu; }

 private:
  PlanarContact<T> contact_;
  BoundaryLayerModel<T> model_;
  T block_;
};

/// The first event while a contact slips, and when it is; nothing where there is none.
class LayerSlipSearch {
 public:
  using System = PlanarLayerSystem<double>;
  using State = System::State;

  LayerSlipSearch(const System& system, const State& start)
      : system_(system), start_(start), motion_(system.SlipFrom(start)) {}

  std::optional<FoundEvent> FirstEvent() const {
    constexpr int kMostPanels = 100'000;
    constexpr double kRest = 1e-13;  // of the approach velocity
    const FoundEvent end = EndOfStage();
    const double end_of_force = motion_.EndOfForce();
    Place low = PlaceOf(0.0, start_);
    if (low.speed <= kRest) low.speed = low.rate = 0.0;  // it begins to slip, if it can
    for (int panel = 0; panel < kMostPanels; ++panel) {
      const double longest = motion_.LongestPanel(low.time);
      const bool force = low.time < end_of_force;
      const Place high = PlaceAfter(
          low, force ? std::min({end.length, end_of_force, low.time + longest}) : end.length);
      if (!std::isfinite(high.speed)) return std::nullopt;
      if (const double stop = StopBetween(low, high); std::isfinite(stop))
        return FoundEvent{System::kStop, stop};
      if (high.time == end.length) return end;
      low = high;
    }
    return std::nullopt;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // Speed of slip in its own direction, which stops at zero.
  struct Place {
    double time, impulse, speed, rate;
  };

  FoundEvent EndOfStage() const {
    const double rate = start_[System::kLogGapRate];
    if (!system_.expanding) {
      if (!(motion_.Rise() > 0.0)) return {kNoEvent, kNever};
      return {System::kTurn, rate < 0.0 ? motion_.Turn() : 0.0};
    }
    const double end = motion_.End();
    if (std::isfinite(end) || !(motion_.Rise() < 0.0)) return {System::kEnd, end};
    return {System::kTurn, rate > 0.0 ? motion_.Turn() : 0.0};
  }

  Place PlaceOf(double time, const State& state) const {
    const int sign = system_.slip_sign;
    return {time, state[System::kImpulse], sign * system_.Slip(state),
            sign * system_.SlipRate(state)};
  }

  Place PlaceAfter(const Place& before, double time) const {
    State state = motion_.At(time);
    const double end_of_force = motion_.EndOfForce();
    state[System::kImpulse] =
        before.impulse +
        motion_.ImpulseBetween(std::min(before.time, end_of_force), std::min(time, end_of_force));
    return PlaceOf(time, state);
  }

  // Of a panel at whose start the contact slips, or begins to.
  double StopBetween(Place low, Place high) const {
    if (high.speed > 0.0) {
      if (!(low.rate < 0.0 && high.rate > 0.0)) return kNever;
      high = Slowest(low, high);
      if (high.speed > 0.0) return kNever;
    }
    if (!(low.speed > 0.0)) {  // it has begun just now
      Place inside = PlaceAfter(low, 0.5 * (low.time + high.time));
      while (!(inside.speed > 0.0)) {
        if (inside.time - low.time <= 1e-12 * (high.time - low.time)) return low.time;
        inside = PlaceAfter(low, low.time + 0.25 * (inside.time - low.time));
      }
      low = inside;
    }
    const auto speed_at = [&](double time) {
      const Place place = PlaceAfter(low, time);
      return Look{place.speed, place.rate};
    };
    return RootBetween(speed_at, /*upwards=*/false, {low.time, {low.speed, low.rate}},
                       {high.time, {high.speed, high.rate}});
  }

  // Between a place where slip slows down and one where it speeds up.
  Place Slowest(const Place& low, const Place& high) const {
    double slows = low.time, speeds = high.time;
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (slows + speeds);
      (system_.slip_sign * system_.SlipRate(motion_.At(middle)) < 0.0 ? slows : speeds) = middle;
    }
    return PlaceAfter(low, slows);
  }

  const System& system_;
  const State& start_;
  LayerSlip<double> motion_;
};

/// One impact, followed from event to event.
template <typename T>
class PlanarLayerContact {
 public:
  PlanarLayerContact(const Contact<T>& contact, const Eigen::Vector2d& tangent,
                     const BoundaryLayerModel<T>& model, const ContactOptions& options)
      : contact_(contact),
        tangent_(tangent),
        options_(options),
        mass_(T(1) / contact.inverse_mass(2, 2)),
        speed_(-contact.velocity[2]),
        scaled_(Scaled(contact, tangent)),
        integrator_(
            {scaled_, model},
            {ValueOf(scaled_), {Value(model.mu), Value(model.stiffness), Value(model.damping)}},
            {T(1), T(-1), T(0), T(0)}, options.tolerance) {}

  ImpactResult<T> Solve() {
    Start();
    for (int step = 0;; ++step) {
      if (step == options_.max_steps || integrator_.failed() || lost_) return NoAnswer<T>();
      const std::size_t event = integrator_.values().slip_sign == 0 ? integrator_.Step() : Slide();
      if (event == System::kEnd) break;
      if (event == System::kTurn) Turn();
      if (event == System::kStop || event == System::kBreak) LeaveRest(ContactMode::kReverseSlip);
    }
    return Result();
  }

 private:
  using Integrator = EventIntegrator<PlanarLayerSystem, T>;
  using System = PlanarLayerSystem<T>;

  void Start() {
    constexpr double kRest = 1e-10;  // of the approach velocity
    const double slip = Value(scaled_.u_t);
    if (std::abs(slip) <= kRest) return LeaveRest(ContactMode::kSlip);
    SlipAlong(slip < 0.0 ? -1 : 1);
    modes_.push_back(ContactMode::kSlip);
  }

  std::size_t Slide() {
    const auto start = Value(integrator_.state());
    const auto found = LayerSlipSearch(integrator_.values(), start).FirstEvent();
    lost_ = !found;
    if (lost_) return kNoEvent;
    const auto [event, length] = handovers_.Pass(*found, 1.0);
    integrator_.JumpTo(integrator_.system().SlipFrom(integrator_.state()).After(length), event);
    return event;
  }

  void SlipAlong(int sign) {
    integrator_.ChangeSystem([&](auto& system) { system.slip_sign = sign; });
  }

  // The friction cone holds a contact that does not slip, or it slips against what would hold it.
  void LeaveRest(ContactMode slip_mode) {
    integrator_.state()[System::kImpulse] += integrator_.system().Remnant(integrator_.state());
    const auto& values = integrator_.values();
    const double ratio = values.StickRatio(Value(integrator_.state()));
    // Where stick breaks, the two are equal but for the error of the event.
    const bool stuck = values.slip_sign == 0 && !modes_.empty();
    const bool sticks = !stuck && std::abs(ratio) <= values.mu();
    SlipAlong(sticks ? 0 : ratio < 0.0 ? 1 : -1);
    modes_.push_back(sticks ? ContactMode::kStick : slip_mode);
  }

  void Turn() {
    if (!integrator_.values().expanding && !turned_) {
      compression_impulse_ = MomentumImpulse()[1];
      turned_ = true;
    }
    integrator_.ChangeSystem([](auto& system) { system.expanding = !system.expanding; });
  }

  /// (P_t, P_n) that changes the momentum.
  std::array<T, 2> MomentumImpulse() const {
    const auto& z = integrator_.state();
    const T unit = mass_ * speed_;
    const T normal =
        integrator_.system().NormalVelocity(z) + T(1) - scaled_.tn * z[System::kImpulse];
    return {z[System::kImpulse] * unit, normal * unit};
  }

  ImpactResult<T> Result() const {
    const auto [tangential, normal] = MomentumImpulse();
    ImpactResult<T> result;
    result.impulse.template head<2>() = tangent_.template cast<T>() * tangential;
    result.impulse[2] = normal;
    result.compression_impulse = compression_impulse_;
    result.restitution_impulse = normal - compression_impulse_;
    result.energy.normal_work = integrator_.state()[System::kWork] * mass_ * speed_ * speed_;
    SetVelocityAndFrictionWork(contact_, result);
    result.modes = modes_;
    return result;
  }

  const Contact<T>& contact_;
  Eigen::Vector2d tangent_;
  const ContactOptions& options_;
  T mass_, speed_;
  PlanarContact<T> scaled_;
  Integrator integrator_;
  ModeSequence modes_;
  HandoverLimit handovers_;
  bool turned_ = false;
  bool lost_ = false;  ///< no event ends the slip
  T compression_impulse_ = T(0);
};

}  // namespace percuss::solver::internal
