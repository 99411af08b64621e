// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>

#include "solver/compliant/boundary_layer_model.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/contact/planar_contact.h"
#include "solver/integration/event_integrator.h"

// IntegrateBoundaryLayer for impacts in one plane. With A_nn = 1, a = A_tn, b = A_tt - a^2, the gap
// x, y = (ln x)' and f = x F_n = kappa (1 - damping y), the equations of BoundaryLayerModel become
//     x' = x y,   y' = f (1 + a rho),   P_t' = rho f / x,   u_n = x y,
//     u_t - u_t(0) = a (u_n + 1) + b P_t
// with the ratio rho = F_t / F_n: mu against slip, and where the contact sticks
//     rho = -a x^2 (1 + y^2 / f) / (b + a^2 x^2).

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

  State Rate(const State& z) const {
    const T ratio = slip_sign == 0 ? StickRatio(z) : T(model_.mu * static_cast<double>(-slip_sign));
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

  /// The impulse that stops what slip is left.
  T Remnant(const State& z) const { return -Slip(z) / block_; }
  const T& mu() const { return model_.mu; }

 private:
  PlanarContact<T> contact_;
  BoundaryLayerModel<T> model_;
  T block_;
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
      if (step == options_.max_steps || integrator_.failed()) return NoAnswer<T>();
      const std::size_t event = integrator_.Step();
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
  bool turned_ = false;
  T compression_impulse_ = T(0);
};

}  // namespace percuss::solver::internal
