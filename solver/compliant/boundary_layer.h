// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "solver/body/scalar.h"
#include "solver/compliant/boundary_layer_model.h"
#include "solver/compliant/planar_boundary_layer.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/contact/contact.h"
#include "solver/integration/event_integrator.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

/// The layer of a surface.
struct LayerMaterial {
  double stiffness_N_per_m = 0.0;  ///< k
  double damping_N = 0.0;          ///< c
  double width_m = 0.0;            ///< b
  /// By default the damping force is c b^2 / v at the speed v of each impact, so that restitution
  /// does not depend on speed (natsiavas leaves that open); with this speed [m/s] in place of v it
  /// does.
  std::optional<double> reference_speed{};
};

/// @throws std::invalid_argument for a contact that does not approach, k, b or the reference speed
/// not positive, c negative.
BoundaryLayerModel<double> ModelOfLayer(const LayerMaterial& material, double mu,
                                        const Contact<double>& contact);

/// The damping c / (k b) of a central restitution e, 0 < e <= 1: the inverse of
/// RestitutionOfNonlinearDashpot. Source: natsiavas 4. @throws std::invalid_argument outside.
double CentralLayerDamping(double restitution);

/// Integrates the three equations from event to event (stop of slip, end of stick, greatest
/// compression, end) with error control. Slip that has stopped stays where the friction cone holds
/// it, and resumes at once in the one direction it can take where not; because the ratio of the
/// forces drifts, stick can also break later. Derivatives as in IntegratePointContact.
///
/// The impulse of the result is what changes the momentum, P = A^-1 (u' - u). Its tangential part
/// is that of int F dt, its normal part is smaller, because the layer itself carries momentum away
/// and back: it may leave the friction cone, which the force never does.
/// @param history if given, receives the impact over time in SI units for a layer of the width
///   `options.stiffness` gives: b = |u_n| sqrt(kappa / (A_nn k)); its displacement is that of the
///   contact point, its impulse int F dt.
template <typename T>
ImpactResult<T> IntegrateBoundaryLayer(const Contact<T>& contact,
                                       const BoundaryLayerModel<T>& model,
                                       const ContactOptions& options = {},
                                       ContactHistory* history = nullptr);

/// Tends to `stronge` as the stiffness grows, with an error of the order 1/stiffness; damping 0 is
/// energetic restitution 1 in every contact, and in a central one e is that of
/// RestitutionOfNonlinearDashpot(damping). Source: natsiavas 4.
struct BoundaryLayerLaw {
  static const LawInfo& Info();

  /// @param parameters mu, stiffness, damping
  template <typename T>
  static BoundaryLayerModel<T> Layer(const Contact<T>&, std::span<const T> parameters) {
    return {parameters[0], parameters[1], parameters[2]};
  }
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return IntegrateBoundaryLayer<T>(contact, Layer<T>(contact, parameters));
  }
};

}  // namespace percuss::solver

namespace percuss::solver {

namespace internal {

// Speeds in units of the approach velocity. Slip below kLayerRest has stopped. Slip that starts
// from rest takes the direction that it can keep until kLayerStart: its own equation is stiff
// there. Below kLayerSlow time runs in proportion to slip.
inline constexpr double kLayerRest = 1e-10, kLayerStart = 1e-6, kLayerSlow = 1e-2;

enum class LayerFriction { kSlip, kStart, kStick };

/// The equations between two events.
template <typename T>
class BoundaryLayerSystem {
 public:
  static constexpr std::size_t kSize = 11, kEvents = 4;
  enum Index : std::size_t {
    kLogGap = 0,
    kLogGapRate = 1,
    kSlip = 2,
    kImpulse = 4,
    kWork = 7,
    kTime = 8,
    kPlace = 9
  };
  enum Event : std::size_t { kEnd, kTurn, kFrictionChange, kStop };
  using State = std::array<T, kSize>;
  using Vector3 = Eigen::Matrix<T, 3, 1>;

  BoundaryLayerSystem(const Eigen::Matrix<T, 3, 3>& a, const BoundaryLayerModel<T>& model)
      : a_(a), model_(model) {}

  bool expanding = false;
  LayerFriction friction = LayerFriction::kSlip;

  Vector2<T> Slip(const State& z) const { return {z[kSlip], z[kSlip + 1]}; }
  T NormalVelocity(const State& z) const {
    using std::exp;
    return exp(z[kLogGap]) * z[kLogGapRate];
  }
  T NormalForce(const State& z) const {
    using std::exp;
    return model_.stiffness * exp(-z[kLogGap]) * (T(1) - model_.damping * z[kLogGapRate]);
  }

  /// What friction sees: du_t/dt = F_n tn + tt F_t.
  ContactBlocks<T> Blocks(const State& z) const {
    using std::exp;
    ContactBlocks<T> blocks(a_, model_.mu);
    const T q = exp(T(2) * z[kLogGap]);
    const Vector2<T> h = blocks.tn;
    const T geometric = exp(z[kLogGap]) * z[kLogGapRate] * z[kLogGapRate];
    blocks.tt -= (h * h.transpose()) * (T(1) - q);
    blocks.tn = h * (q + geometric / NormalForce(z));
    return blocks;
  }

  Vector3 Force(const State& z) const {
    const T n = NormalForce(z);
    Vector2<T> t = Vector2<T>::Zero();
    if (friction == LayerFriction::kSlip) {
      const Vector2<T> slip = Slip(z);
      t = slip * (-model_.mu * n / Length(slip));
    } else if (friction == LayerFriction::kStart) {
      t = StartDirection(z) * (-model_.mu * n);
    } else {
      t = StickRatio(z) * n;
    }
    return {t[0], t[1], n};
  }

  State Rate(const State& z) const {
    using std::exp;
    const Vector3 force = Force(z);
    const ContactBlocks<T> blocks = Blocks(z);
    const Vector2<T> slip = Slip(z);
    Vector2<T> slip_rate = blocks.tn * force[2] + blocks.tt * force.template head<2>();
    T pace = T(1);
    if (friction == LayerFriction::kSlip) {
      const T speed = Length(slip);
      pace = speed / (T(kLayerSlow) + speed);
    } else if (friction == LayerFriction::kStart) {
      const Vector2<T> along = StartDirection(z);
      slip_rate = along * along.dot(slip_rate);
    } else {
      slip_rate.setZero();
    }
    State rate;
    rate[kLogGap] = z[kLogGapRate] * pace;
    rate[kLogGapRate] = exp(z[kLogGap]) * a_.row(2).dot(force) * pace;
    for (std::size_t i = 0; i < 2; ++i) {
      rate[kSlip + i] = slip_rate[static_cast<int>(i)] * pace;
      rate[kPlace + i] = slip[static_cast<int>(i)] * pace;
    }
    for (std::size_t i = 0; i < 3; ++i) rate[kImpulse + i] = force[static_cast<int>(i)] * pace;
    rate[kWork] = force[2] * NormalVelocity(z) * pace;
    rate[kTime] = pace;
    return rate;
  }

  T Event(std::size_t event, const State& z) const {
    using std::log;
    if (event == kEnd) return expanding ? z[kLogGap] : T(-1);
    if (event == kTurn) return expanding ? T(-z[kLogGapRate]) : z[kLogGapRate];
    if (event == kStop) {  // friction that rises again may hold slip that has hardly started
      return friction == LayerFriction::kStart ? T(-StartDirection(z).dot(Slip(z))) : T(-1);
    }
    const T slip = Slip(z).squaredNorm();
    if (friction == LayerFriction::kSlip) return -log(slip / T(kLayerRest * kLayerRest));
    if (friction == LayerFriction::kStart) return slip / T(kLayerStart * kLayerStart) - T(1);
    return StickRatio(z).squaredNorm() - model_.mu * model_.mu;  // where stick breaks
  }

  static T Length(const Vector2<T>& x) {
    using std::sqrt;
    return sqrt(x.squaredNorm());
  }

 private:
  Vector2<T> StickRatio(const State& z) const {  // F_t / F_n
    const ContactBlocks<T> blocks = Blocks(z);
    return -(blocks.tt.inverse() * blocks.tn);
  }

  Vector2<T> StartDirection(const State& z) const {
    const ContactBlocks<T> blocks = Blocks(z);
    ContactBlocks<double> values(Eigen::Matrix3d::Identity(), Value(model_.mu));
    values.tt = Value(blocks.tt);
    values.tn = Value(blocks.tn);
    const Eigen::Vector2d t = ResumedSlipDirection(values);
    if constexpr (!kIsAutodiff<T>) return t;
    // A step of Newton's method on tn - mu tt t - growth t = 0, t . t = 1 gives the derivatives.
    const double growth = t.dot(values.tn - values.mu * values.tt * t);
    Eigen::Matrix3d slope;
    slope << values.mu * values.tt + growth * Eigen::Matrix2d::Identity(), t, 2.0 * t.transpose(),
        0.0;
    const Eigen::Matrix3d inverse = slope.inverse();
    const Vector2<T> error =
        blocks.tn - blocks.mu * blocks.tt * t.template cast<T>() - (growth * t).template cast<T>();
    Vector2<T> moved;
    for (int i = 0; i < 2; ++i) {
      moved[i] = T(t[i]) + error[0] * inverse(i, 0) + error[1] * inverse(i, 1);
    }
    return moved;
  }

  Eigen::Matrix<T, 3, 3> a_;
  BoundaryLayerModel<T> model_;
};

/// One impact, followed from event to event.
template <typename T>
class BoundaryLayerContact {
 public:
  BoundaryLayerContact(const Contact<T>& contact, const BoundaryLayerModel<T>& model,
                       const ContactOptions& options, ContactHistory* history)
      : contact_(contact),
        stiffness_(Value(model.stiffness)),
        options_(options),
        history_(history),
        mass_(T(1) / contact.inverse_mass(2, 2)),
        speed_(-contact.velocity[2]),
        integrator_(System(contact.inverse_mass * mass_, model),
                    ValueSystem(Value(contact.inverse_mass) * Value(mass_),
                                {Value(model.mu), stiffness_, Value(model.damping)}),
                    State{}, options.tolerance, LongestStep(history != nullptr)) {
    State& z = integrator_.state();
    z.fill(T(0));
    z[System::kLogGapRate] = T(-1);
    for (std::size_t i = 0; i < 2; ++i) {
      z[System::kSlip + i] = contact.velocity[static_cast<int>(i)] / speed_;
    }
  }

  ImpactResult<T> Solve() {
    Start();
    Record();
    for (int step = 0;; ++step) {
      if (step == options_.max_steps || integrator_.failed()) return NoAnswer<T>();
      const std::size_t event = integrator_.Step();
      Record();
      if (event == System::kEnd) break;
      if (event == System::kTurn) Turn();
      if (event == System::kFrictionChange && Is(LayerFriction::kStart)) {
        SetFriction(LayerFriction::kSlip);
      } else if (event == System::kFrictionChange || event == System::kStop) {
        LeaveRest(ContactMode::kReverseSlip);
        Record();
      }
    }
    return Result();
  }

 private:
  using Integrator = EventIntegrator<BoundaryLayerSystem, T>;
  using System = BoundaryLayerSystem<T>;
  using ValueSystem = BoundaryLayerSystem<double>;
  using State = typename System::State;
  using Vector3 = Eigen::Matrix<T, 3, 1>;

  // An elastic central impact lasts 2 / kappa.
  double LongestStep(bool recorded) const {
    return recorded ? options_.history_step * 2.0 / stiffness_
                    : std::numeric_limits<double>::infinity();
  }

  void Start() {
    if (Value(integrator_.system().Slip(integrator_.state())).norm() > kLayerRest) {
      modes_.push_back(ContactMode::kSlip);
    } else {
      LeaveRest(ContactMode::kSlip);
    }
  }

  // The friction cone holds a contact that does not slip, or it slips in the one direction it can.
  void LeaveRest(ContactMode slip_mode) {
    State& z = integrator_.state();
    z[System::kSlip] = z[System::kSlip + 1] = T(0);
    const ContactBlocks<double> blocks = integrator_.values().Blocks(Value(z));
    // Where stick breaks, the two are equal but for the error of the event.
    const bool sticks = !Is(LayerFriction::kStick) && CriticalFriction(blocks) <= blocks.mu;
    SetFriction(sticks ? LayerFriction::kStick : LayerFriction::kStart);
    modes_.push_back(sticks ? ContactMode::kStick : slip_mode);
  }

  bool Is(LayerFriction friction) const { return integrator_.values().friction == friction; }
  void SetFriction(LayerFriction friction) {
    integrator_.ChangeSystem([&](auto& system) { system.friction = friction; });
  }

  void Turn() {
    if (!integrator_.values().expanding && stage_ends_ == 0) {
      compression_impulse_ = MomentumImpulse()[2];
      ++stage_ends_;
    }
    integrator_.ChangeSystem([](auto& system) { system.expanding = !system.expanding; });
  }

  // Along the surface, force and momentum are the same.
  Vector3 MomentumImpulse() const {
    const State& z = integrator_.state();
    const auto& a = contact_.inverse_mass;
    const T unit = mass_ * speed_;
    Vector3 impulse(z[System::kImpulse] * unit, z[System::kImpulse + 1] * unit, T(0));
    const T gained = integrator_.system().NormalVelocity(z) * speed_ - contact_.velocity[2];
    impulse[2] = (gained - a(2, 0) * impulse[0] - a(2, 1) * impulse[1]) * mass_;
    return impulse;
  }

  ImpactResult<T> Result() const {
    ImpactResult<T> result;
    result.impulse = MomentumImpulse();
    result.compression_impulse = compression_impulse_;
    result.restitution_impulse = result.impulse[2] - compression_impulse_;
    result.energy.normal_work = integrator_.state()[System::kWork] * mass_ * speed_ * speed_;
    SetVelocityAndFrictionWork(contact_, result);
    result.modes = modes_;
    return result;
  }

  void Record() {
    if (history_ == nullptr) return;
    const ValueSystem& system = integrator_.values();
    const auto z = Value(integrator_.state());
    const double mass = Value(mass_), speed = Value(speed_), energy = mass * speed * speed;
    const double width = std::sqrt(stiffness_ * energy / options_.stiffness);
    ContactSample sample;
    sample.time = z[System::kTime] * width / speed;
    sample.displacement << z[System::kPlace] * width, z[System::kPlace + 1] * width,
        std::expm1(z[System::kLogGap]) * width;
    sample.velocity << z[System::kSlip] * speed, z[System::kSlip + 1] * speed,
        system.NormalVelocity(z) * speed;
    sample.force = system.Force(z) * (energy / width);
    for (int i = 0; i < 3; ++i) {
      sample.impulse[i] = z[System::kImpulse + static_cast<std::size_t>(i)] * mass * speed;
    }
    sample.mode = modes_.back();
    history_->push_back(sample);
  }

  const Contact<T>& contact_;
  double stiffness_;
  const ContactOptions& options_;
  ContactHistory* history_;
  T mass_, speed_;
  Integrator integrator_;
  ModeSequence modes_;
  T compression_impulse_ = T(0);
  int stage_ends_ = 0;
};

}  // namespace internal

template <typename T>
ImpactResult<T> IntegrateBoundaryLayer(const Contact<T>& contact,
                                       const BoundaryLayerModel<T>& model,
                                       const ContactOptions& options, ContactHistory* history) {
  if (!Value(contact.inverse_mass).allFinite() || !Value(contact.velocity).allFinite()) {
    return NoAnswer<T>();
  }
  const auto tangent = history == nullptr ? PlaneOfAll(contact) : std::nullopt;
  const auto solve = [&](const ContactOptions& with) {
    return tangent ? internal::PlanarLayerContact<T>(contact, *tangent, model, with).Solve()
                   : internal::BoundaryLayerContact<T>(contact, model, with, history).Solve();
  };
  ImpactResult<T> result = solve(options);
  // Near a stop in a stiff layer rounding can be more than a step may err.
  ContactOptions looser = options;
  for (int retry = 0; retry < 2 && !std::isfinite(Value(result.impulse[2])); ++retry) {
    looser.tolerance *= 10.0;
    if (history != nullptr) history->clear();
    result = solve(looser);
  }
  return result;
}

}  // namespace percuss::solver
