// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "solver/body/scalar.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/contact/contact.h"
#include "solver/contact/planar_contact.h"
#include "solver/law/impact_law.h"
#include "solver/restitution/hertz.h"

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
/// @tparam kAxes directions along the surface: 1 for a motion in a plane, else 2
template <typename T, int kAxes = 2>
class AnnularContact {
 public:
  using Vector = Eigen::Matrix<T, kAxes, 1>;
  struct Force {
    T normal = T(0);
    Vector tangential = Vector::Zero();  ///< against the displacement
  };

  /// @param width w of an annulus
  AnnularContact(const T& mu, const T& stiffness_ratio, double width)
      : ratio_(stiffness_ratio), reach_(mu / stiffness_ratio), width_(width) {}

  /// The mean force of a step in which the compression goes evenly from `from` to `to` and the body
  /// is displaced by `moved` along the surface. The normal one is exact, so that a way in and out
  /// takes no work; the tangential one never exceeds mu times it, and never gives back more than
  /// it stored.
  Force Try(const T& from, const T& to, const Vector& moved) {
    Force sum;
    tried_.clear();
    tried_held_ = 0;
    const double deepest = std::max(Value(from), Value(to));
    for (std::size_t i = 0;; ++i) {
      const double x = (static_cast<double>(i) + 0.5) * width_;
      if (!(x * x < deepest)) break;
      const Spring spring = StepOf(Stretch(i), from - T(x * x), to - T(x * x), moved);
      sum.normal += spring.pressure;
      sum.tangential += spring.pull;
      tried_.push_back(spring.stretch);
      if (tried_held_ == i && spring.holds) tried_held_ = i + 1;
    }
    const T whole = T(1.5 * width_);
    sum.normal *= whole;
    sum.tangential *= whole * ratio_;
    return sum;
  }

  /// Takes the step that was tried last.
  void Keep() {
    std::swap(stretch_, tried_);
    held_ = tried_held_;
  }

  void Move(const T& from, const T& to, const Vector& moved) {
    Try(from, to, moved);
    Keep();
  }

  /// Becomes the same contact, as far as it has moved, without derivatives.
  template <typename S>
  void TakeValues(const AnnularContact<S, kAxes>& other) {
    stretch_.clear();
    for (const auto& stretch : other.stretch_) stretch_.push_back(Value(stretch));
    held_ = other.held_;
  }

  /// Radius c of the disc that did not slip in the last step; 0: the whole contact slipped.
  double StickRadius() const { return static_cast<double>(held_) * width_; }

 private:
  template <typename S, int kOther>
  friend class AnnularContact;

  Vector Stretch(std::size_t i) const {
    return i < stretch_.size() ? stretch_[i] : Vector(Vector::Zero());
  }

  /// One annulus over a step.
  struct Spring {
    T pressure = T(0);                ///< mean of d - x^2 while it touches
    Vector pull = Vector::Zero();     ///< mean of the stretch, likewise
    Vector stretch = Vector::Zero();  ///< after
    bool holds = false;
  };

  /// Along `vector`, as long as asked for.
  static Vector Along(const Vector& vector, const T& length) {
    using std::sqrt;
    if constexpr (kAxes == 1) {
      return Vector(Value(vector[0]) < 0.0 ? T(-length) : length);
    } else {
      return vector * (length / sqrt(vector.squaredNorm()));
    }
  }

  /// @param old stretch. @param before, after d - x^2, negative where it does not touch
  Spring StepOf(const Vector& old, const T& before, const T& after, const Vector& moved) const {
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
    Vector free = old + moved;
    T part = T(1);
    if (touched) {
      spring.pressure = T(0.5) * (before + after);
    } else {
      part = after / (after - before);
      spring.pressure = T(0.5) * part * after;
      free = old + moved * part;
    }
    const T limit = reach_ * after;
    spring.holds = Value(free).squaredNorm() <= Value(limit) * Value(limit);
    if (spring.holds) {  // nothing slips
      spring.stretch = free;
      spring.pull = (old + free) * (touched ? T(0.5) : T(0.5) * part);
      return spring;
    }
    spring.stretch = Along(free, limit);
    spring.pull = (old + spring.stretch) * (T(0.5) * part);
    // Slip that turns round within the step would give more than what was stored: then towards the
    // stretch after, which never does.
    const Vector slipped = free - spring.stretch;
    if (touched && Value(spring.pull).dot(Value(slipped)) < 0.0) {
      const T lost = spring.pull.dot(slipped);
      const Vector change = spring.stretch - old;
      const T least = spring.stretch.dot(slipped) + T(0.5) * change.squaredNorm();
      spring.pull = spring.stretch - change * (T(0.5) * least / (least - lost));
    }
    return spring;
  }

  T ratio_, reach_;  ///< kappa, mu / kappa
  double width_;
  std::vector<Vector> stretch_, tried_;
  std::size_t held_ = 0, tried_held_ = 0;
};

/// Steps of IntegrateAnnularContact, in its units.
struct AnnularOptions {
  double width = 1.0 / 16.0;  ///< of an annulus; the contact radius of a central impact is 1.05
  double step = 0.03;         ///< of time; a central impact lasts 3.2
  double stiffness = 1.0;     ///< k [N/m^(3/2)], of the history alone
};

namespace internal {

/// IntegrateAnnularContact of a motion along kAxes directions of the surface and its normal, the
/// columns of `axes` in the contact frame.
template <typename T, int kAxes>
ImpactResult<T> IntegrateAnnuli(const Contact<T>& contact,
                                const Eigen::Matrix<double, 3, kAxes + 1>& axes, const T& mu,
                                const T& stiffness_ratio, const AnnularOptions& options,
                                ContactHistory* history) {
  using Vector = Eigen::Matrix<T, kAxes + 1, 1>;
  constexpr int kMaxSteps = 100'000, kMaxPasses = 50;
  const T mass = T(1) / contact.inverse_mass(2, 2), speed = -contact.velocity[2];
  const Eigen::Matrix<T, 3, kAxes + 1> out = axes.template cast<T>();
  const Eigen::Matrix<T, kAxes + 1, kAxes + 1> a =
      out.transpose() * contact.inverse_mass * out * mass;
  const Eigen::Matrix<double, kAxes + 1, kAxes + 1> a_value = Value(a);
  const double energy = Value(mass) * Value(speed) * Value(speed);
  const double length = std::pow(energy / options.stiffness, 0.4);
  AnnularContact<T, kAxes> annuli(mu, stiffness_ratio, options.width);
  AnnularContact<double, kAxes> values(Value(mu), Value(stiffness_ratio), options.width);
  Vector velocity = out.transpose() * contact.velocity / speed;
  Vector impulse = Vector::Zero(), force = Vector::Zero(), force_before = Vector::Zero();
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  T compression = T(0), compression_impulse = T(0), work = T(0);
  bool turned = false;
  ImpactResult<T> result;
  const double h = options.step;
  // The end of a step from a guess of it: the next guess; `mean` and `next` of the step.
  const auto pass = [h](auto& of, const auto& matrix, const auto& from, const auto& depth,
                        const auto& guess, auto& mean, auto& next, auto& pushed) {
    using S = std::decay_t<decltype(depth)>;
    mean = (from + guess) * S(0.5);
    next = depth - S(h) * mean[kAxes];
    const auto mean_force =
        of.Try(depth, next, Eigen::Matrix<S, kAxes, 1>(mean.template head<kAxes>() * S(h)));
    pushed << -mean_force.tangential, mean_force.normal;
    return Eigen::Matrix<S, kAxes + 1, 1>(from + matrix * pushed * S(h));
  };
  for (int step = 0;; ++step) {
    if (step == kMaxSteps) return NoAnswer<T>();
    Vector after = velocity + a * (force * T(2) - force_before) * T(h), mean = velocity;
    force_before = force;
    T next = compression;
    if constexpr (kIsAutodiff<T>) values.TakeValues(annuli);
    auto& settling = [&]() -> AnnularContact<double, kAxes>& {
      if constexpr (kIsAutodiff<T>) {
        return values;
      } else {
        return annuli;
      }
    }();
    Eigen::Matrix<double, kAxes + 1, 1> value = Value(after), value_mean, value_force;
    const Eigen::Matrix<double, kAxes + 1, 1> value_before = Value(velocity);
    double value_next = 0.0;
    for (int passes = 0;; ++passes) {
      if (passes == kMaxPasses) return NoAnswer<T>();
      const auto better = pass(settling, a_value, value_before, Value(compression), value,
                               value_mean, value_next, value_force);
      const double change = (better - value).norm();
      value = better;
      // A pass leaves some h^2 of the error.
      if (change <= 1e-11 * (1.0 + value.norm())) break;
    }
    if constexpr (kIsAutodiff<T>) {
      // Derivatives follow, as fast.
      for (Eigen::Index i = 0; i <= kAxes; ++i) after[i] += T(value[i] - Value(after[i]));
      for (int follow = 0; follow < 2; ++follow) {
        after = pass(annuli, a, velocity, compression, after, mean, next, force);
      }
    } else {
      after = value;
      mean = value_mean;
      next = value_next;
      force = value_force;
    }
    annuli.Keep();
    if (!turned && Value(after[kAxes]) >= 0.0) {
      turned = true;
      compression_impulse =
          impulse[kAxes] +
          force[kAxes] * T(h) * (velocity[kAxes] / (velocity[kAxes] - after[kAxes]));
    }
    impulse += force * T(h);
    work += force[kAxes] * mean[kAxes] * T(h);
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
      place += axes * Value(mean) * options.step;
      ContactSample sample;
      sample.time = (step + 1) * options.step * length / Value(speed);
      sample.displacement = place * length;
      sample.velocity = axes * Value(velocity) * Value(speed);
      sample.force = axes * Value(force) * (energy / length);
      sample.impulse = axes * Value(impulse) * (Value(mass) * Value(speed));
      sample.mode = result.modes.back();
      history->push_back(sample);
    }
    if (ends) break;
  }
  result.impulse = out * impulse * (mass * speed);
  result.compression_impulse = compression_impulse * (mass * speed);
  result.restitution_impulse = result.impulse[2] - result.compression_impulse;
  result.energy.normal_work = work * (mass * speed * speed);
  SetVelocityAndFrictionWork(contact, result);
  return result;
}

}  // namespace internal

/// Integrates du/dt = A F with that contact, by the mean of velocities before and after each step
/// (implicit, of second order). The normal force takes no net work in any contact, friction never
/// gives any.
/// @param history if given, receives the impact over time.
template <typename T>
ImpactResult<T> IntegrateAnnularContact(const Contact<T>& contact, const T& mu,
                                        const T& stiffness_ratio,
                                        const AnnularOptions& options = {},
                                        ContactHistory* history = nullptr) {
  if (!Value(contact.inverse_mass).allFinite() || !Value(contact.velocity).allFinite()) {
    return NoAnswer<T>();
  }
  if (const auto tangent = PlaneOfAll(contact)) {
    Eigen::Matrix<double, 3, 2> plane = Eigen::Matrix<double, 3, 2>::Zero();
    plane.col(0).head<2>() = *tangent;
    plane(2, 1) = 1.0;
    return internal::IntegrateAnnuli<T, 1>(contact, plane, mu, stiffness_ratio, options, history);
  }
  return internal::IntegrateAnnuli<T, 2>(contact, Eigen::Matrix3d::Identity(), mu, stiffness_ratio,
                                         options, history);
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
