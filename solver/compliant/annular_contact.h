// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "solver/body/scalar.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"
#include "solver/restitution/hertz.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

/// Spheres after Hertz and Mindlin whose outer annulus slips while the inner disc sticks: equal
/// annuli of the radius x, each with a normal and a tangential spring, compressed by d - x^2, that
/// holds up to mu times its normal force. In units in which F_n = d^(3/2) (annuli of the width w,
/// x in units of sqrt(R d)):
///     F_n = sum 3/2 w (d - x^2),   F_t = sum 3/2 w kappa u,   |u| <= mu (d - x^2) / kappa,
/// kappa = k_t/k_n, u the stretch since the annulus touched. This is the contact of Cattaneo and
/// Mindlin for every history of d and of the displacement along the surface (loading, unloading,
/// loops), by the mapping of Jaeger (Arch. Appl. Mech. 65 (1995) 478) and Popov, as the width goes
/// to zero.
///
/// Source: chatterjee1997 5.2.2 (Mindlin and Deresiewicz 1953; Maw, Barber and Fawcett 1976, whose
/// annuli are these in number, not in their influence coefficients).
template <typename T>
class AnnularContact {
 public:
  struct Force {
    T normal = T(0);
    Vector2<T> tangential = Vector2<T>::Zero();  ///< against the displacement
  };

  /// @param width w of an annulus
  AnnularContact(const T& mu, const T& stiffness_ratio, double width)
      : mu_(mu), ratio_(stiffness_ratio), width_(width) {}

  /// The mean force of a step in which the compression goes evenly from `from` to `to` and the body
  /// is displaced by `moved` along the surface. The normal one is exact, so that a way in and out
  /// takes no work; the tangential one never exceeds mu times it, and never gives back more than
  /// it stored.
  Force MeanOfStep(const T& from, const T& to, const Vector2<T>& moved) const {
    Force sum;
    Walk(from, to, moved, [&](std::size_t, const Spring& spring) {
      sum.normal += spring.pressure * T(1.5 * width_);
      sum.tangential += spring.pull * (T(1.5 * width_) * ratio_);
    });
    return sum;
  }

  /// Takes that step.
  void Move(const T& from, const T& to, const Vector2<T>& moved) {
    std::vector<Vector2<T>> next;
    held_ = 0;
    Walk(from, to, moved, [&](std::size_t i, const Spring& spring) {
      next.push_back(spring.stretch);
      if (held_ == i && spring.holds) held_ = i + 1;
    });
    stretch_ = std::move(next);
  }

  /// Radius c of the disc that did not slip in the last step; 0: the whole contact slipped.
  double StickRadius() const { return static_cast<double>(held_) * width_; }

 private:
  Vector2<T> Stretch(std::size_t i) const {
    return i < stretch_.size() ? stretch_[i] : Vector2<T>(Vector2<T>::Zero());
  }

  /// One annulus over a step.
  struct Spring {
    T pressure = T(0);                        ///< mean of d - x^2 while it touches
    Vector2<T> pull = Vector2<T>::Zero();     ///< mean of the stretch, likewise
    Vector2<T> stretch = Vector2<T>::Zero();  ///< after
    bool holds = false;
  };

  /// @param old stretch. @param before, after d - x^2, negative where it does not touch
  Spring StepOf(const Vector2<T>& old, const T& before, const T& after,
                const Vector2<T>& moved) const {
    using std::sqrt;
    Spring spring;
    if (!(Value(after) > 0.0)) {  // leaves, without what it stored
      const T part = before / (before - after);
      spring.pressure = T(0.5) * part * before;
      spring.pull = old * (T(0.5) * part);
      // as much as that, but no more, can come back
      const T work = part * old.dot(moved), stored = old.squaredNorm();
      if (Value(work) < -Value(stored)) spring.pull *= -stored / work;
      return spring;
    }
    const bool touched = Value(before) > 0.0;
    const T part = touched ? T(1) : after / (after - before);
    spring.pressure = T(0.5) * part * (touched ? before + after : after);
    const Vector2<T> free = old + moved * part;
    const T limit = mu_ * after / ratio_;
    const T square = free.squaredNorm();
    spring.holds = Value(square) <= Value(limit) * Value(limit);
    spring.stretch = spring.holds ? free : Vector2<T>(free * (limit / sqrt(square)));
    spring.pull = (old + spring.stretch) * (T(0.5) * part);
    // Slip that turns round within the step would give more than what was stored: then towards the
    // stretch after, which never does.
    const Vector2<T> slipped = free - spring.stretch;
    const T lost = spring.pull.dot(slipped);
    if (touched && Value(lost) < 0.0) {
      const Vector2<T> change = spring.stretch - old;
      const T least = spring.stretch.dot(slipped) + T(0.5) * change.squaredNorm();
      spring.pull = spring.stretch - change * (T(0.5) * least / (least - lost));
    }
    return spring;
  }

  template <class Each>
  void Walk(const T& from, const T& to, const Vector2<T>& moved, const Each& each) const {
    const double deepest = std::max(Value(from), Value(to));
    for (std::size_t i = 0;; ++i) {
      const double x = (static_cast<double>(i) + 0.5) * width_;
      if (!(x * x < deepest)) break;
      each(i, StepOf(Stretch(i), from - T(x * x), to - T(x * x), moved));
    }
  }

  T mu_, ratio_;
  double width_;
  std::vector<Vector2<T>> stretch_;
  std::size_t held_ = 0;
};

/// Steps of IntegrateAnnularContact, in its units.
struct AnnularOptions {
  double width = 1.0 / 24.0;  ///< of an annulus; the contact radius of a central impact is 1.05
  double step = 0.02;         ///< of time; a central impact lasts 3.2
  double stiffness = 1.0;     ///< k [N/m^(3/2)], of the history alone
};

/// Integrates du/dt = A F with that contact, by the mean of velocities before and after each step
/// (implicit, of second order). The normal force takes no net work in any contact, friction never
/// gives any.
/// @param history if given, receives the impact over time.
template <typename T>
ImpactResult<T> IntegrateAnnularContact(const Contact<T>& contact, const T& mu,
                                        const T& stiffness_ratio,
                                        const AnnularOptions& options = {},
                                        ContactHistory* history = nullptr) {
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  if (!Value(contact.inverse_mass).allFinite() || !Value(contact.velocity).allFinite()) {
    return NoAnswer<T>();
  }
  constexpr int kMaxSteps = 100'000, kMaxPasses = 50;
  const T mass = T(1) / contact.inverse_mass(2, 2), speed = -contact.velocity[2];
  const Eigen::Matrix<T, 3, 3> a = contact.inverse_mass * mass;
  const double energy = Value(mass) * Value(speed) * Value(speed);
  const double length = std::pow(energy / options.stiffness, 0.4);
  AnnularContact<T> annuli(mu, stiffness_ratio, options.width);
  Vector3 velocity = contact.velocity / speed, impulse = Vector3::Zero();
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  T compression = T(0), compression_impulse = T(0), work = T(0);
  bool turned = false;
  ImpactResult<T> result;
  const T h = T(options.step);
  for (int step = 0;; ++step) {
    if (step == kMaxSteps) return NoAnswer<T>();
    Vector3 after = velocity, mean = velocity, force = Vector3::Zero();
    T next = compression;
    double change = 1.0;
    // Derivatives follow the values by one pass.
    for (int pass = 0, settled = 0; settled < 2; ++pass) {
      if (pass == kMaxPasses) return NoAnswer<T>();
      mean = (velocity + after) * T(0.5);
      next = compression - h * mean[2];
      const auto of_step =
          annuli.MeanOfStep(compression, next, Vector2<T>(mean.template head<2>() * h));
      force << -of_step.tangential, of_step.normal;
      const Vector3 better = velocity + a * force * h;
      change = (Value(better) - Value(after)).norm();
      after = better;
      if (change <= 1e-13 * (1.0 + Value(after).norm())) ++settled;
    }
    annuli.Move(compression, next, Vector2<T>(mean.template head<2>() * h));
    if (!turned && Value(after[2]) >= 0.0) {
      turned = true;
      compression_impulse = impulse[2] + force[2] * h * (velocity[2] / (velocity[2] - after[2]));
    }
    impulse += force * h;
    work += force[2] * mean[2] * h;
    velocity = after;
    compression = next;
    const bool ends = !(Value(compression) > 0.0);
    const bool slips = !(annuli.StickRadius() > 0.0);
    // All slips where the contact ends.
    if (!ends || result.modes.empty()) {
      const bool stuck = !result.modes.empty() && result.modes.back() != ContactMode::kSlip;
      result.modes.push_back(!slips  ? ContactMode::kStick
                             : stuck ? ContactMode::kReverseSlip
                                     : ContactMode::kSlip);
    }
    if (history != nullptr) {
      place += Value(mean) * options.step;
      ContactSample sample;
      sample.time = (step + 1) * options.step * length / Value(speed);
      sample.displacement = place * length;
      sample.velocity = Value(velocity) * Value(speed);
      sample.force = Value(force) * (energy / length);
      sample.impulse = Value(impulse) * (Value(mass) * Value(speed));
      sample.mode = result.modes.back();
      history->push_back(sample);
    }
    if (ends) break;
  }
  result.impulse = impulse * (mass * speed);
  result.compression_impulse = compression_impulse * (mass * speed);
  result.restitution_impulse = result.impulse[2] - result.compression_impulse;
  result.energy.normal_work = work * (mass * speed * speed);
  SetVelocityAndFrictionWork(contact, result);
  return result;
}

/// Spheres after Hertz and Mindlin with slip that spreads inwards from the edge, and the memory of
/// its annuli. The impulse is that of steps and annuli, good to about 1e-3 of the friction; normal
/// restitution is 1 where the contact does not couple.
///
/// Beside `mindlin-deresiewicz`, which has one spring for the whole area.
///
/// Source: chatterjee1997 5.2.2 (I4).
struct MawBarberFawcettLaw {
  static const LawInfo& Info();

  /// @param parameters mu, nu
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return IntegrateAnnularContact<T>(contact, parameters[0], MindlinStiffnessRatio(parameters[1]));
  }

  /// The same with its history, k in N/m^(3/2).
  static void Follow(const Contact<double>& contact, std::span<const double> parameters,
                     double stiffness, ContactHistory* history) {
    IntegrateAnnularContact<double>(contact, parameters[0], MindlinStiffnessRatio(parameters[1]),
                                    {.stiffness = stiffness}, history);
  }
};

}  // namespace percuss::solver
