// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "solver/body/scalar.h"
#include "solver/compliant/point_contact_model.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver::internal {

// What the tangential contact does. In kFixed the friction force is a fixed multiple of the normal
// force: a rigid contact that sticks, or slips from rest in the one direction in which it can; in
// kStraightSlip, too, but there slip may stop. In kSpringFollow slip is so fast from touch on that
// the spring's direction is that of slip but for a small lag; its own equation would be stiff.
enum class Friction {
  kNone,
  kRigidSlip,
  kStraightSlip,
  kFixed,
  kSpringStick,
  kSpringSlip,
  kSpringFollow
};

/// The equations between two events. The compression coordinate y is d, or d^(1/2) for kHertz (with
/// kSteep unloading: that of the loading curve at the same force), so that
///     f = y or y^(2n),   dt = clock ds with clock = 1 or 2 y,   dy/ds = -u_n.
/// Time and displacement, which no force depends on, are integrated where they are recorded.
template <typename T, bool kRecorded>
class PointContactSystem {
 public:
  static constexpr std::size_t kSize = kRecorded ? 11 : 7, kEvents = 4;
  enum Index : std::size_t { kY = 0, kImpulse = 1, kSpring = 4, kWork = 6, kTime = 7, kPlace = 8 };
  enum Event : std::size_t { kEnd, kTurn, kFrictionChange, kPull };
  using State = std::array<T, kSize>;
  using Vector3 = Eigen::Matrix<T, 3, 1>;

  PointContactSystem(const Eigen::Matrix<T, 3, 3>& a, const Vector3& u0,
                     const PointContactModel<T>& model)
      : a_(a), u0_(u0), model_(model), e_squared_(model.e * model.e) {}

  Friction friction = Friction::kNone;
  bool expanding = false;
  Vector2<T> fixed_ratio = Vector2<T>::Zero();  // F_t / F_n in kFixed

  Vector3 Velocity(const State& z) const {
    return u0_ + a_ * Vector3(z[kImpulse], z[kImpulse + 1], z[kImpulse + 2]);
  }
  /// In kSpringStick the force T = -F_t of the spring, in kSpringSlip the unit vector along it:
  /// T = mu F_n e. So nothing is divided by a force that goes to zero.
  Vector2<T> Spring(const State& z) const { return {z[kSpring], z[kSpring + 1]}; }

  T NormalForceAt(const State& z) const {
    const T d_rate = -Velocity(z)[2];
    return Curve(z[kY]) * (T(1) + model_.rate_factor * d_rate) +
           T(2) * model_.damping_ratio * d_rate;
  }

  Vector3 Force(const State& z) const {
    const T n = NormalForceAt(z);
    Vector2<T> t = -Spring(z);
    if (friction == Friction::kNone) t.setZero();
    if (friction == Friction::kSpringSlip) t *= model_.mu * n;
    if (friction == Friction::kFixed || friction == Friction::kStraightSlip) t = fixed_ratio * n;
    if (friction == Friction::kSpringFollow) t = FollowingDirection(z) * (-model_.mu * n);
    if (friction == Friction::kRigidSlip) {
      const Vector2<T> slip = Velocity(z).template head<2>();
      t = slip * (-model_.mu * n / Length(slip));
    }
    return {t[0], t[1], n};
  }

  State Rate(const State& z) const {
    const Vector3 u = Velocity(z);
    const Vector3 force = Force(z);
    T pace = T(1);  // ds of this system over ds of y
    if (friction == Friction::kRigidSlip) {
      const T speed = Length(u.template head<2>().eval());
      pace = speed / (T(1) + speed);
    }
    const T time = Clock(z[kY]) * pace;
    State rate;
    rate[kY] = YRate(u[2]) * pace;
    for (std::size_t i = 0; i < 3; ++i) {
      rate[kImpulse + i] = force[static_cast<int>(i)] * time;
      if constexpr (kRecorded) rate[kPlace + i] = u[static_cast<int>(i)] * time;
    }
    rate[kSpring] = rate[kSpring + 1] = T(0);
    if (friction == Friction::kSpringStick || friction == Friction::kSpringSlip) {
      const Vector2<T> spring = SpringRate(z, u, force);
      rate[kSpring] = spring[0];
      rate[kSpring + 1] = spring[1];
    }
    if constexpr (kRecorded) rate[kTime] = time;
    rate[kWork] = force[2] * u[2] * time;
    return rate;
  }

  T Event(std::size_t event, const State& z) const {
    if (event == kEnd) {
      if (!expanding) return T(-1);
      return model_.end == ContactEnd::kZeroForce ? T(-NormalForceAt(z)) : T(-z[kY]);
    }
    if (event == kTurn) return expanding ? T(-Velocity(z)[2]) : Velocity(z)[2];
    if (event == kPull) {
      const bool may_pull = expanding && friction != Friction::kNone &&
                            model_.end == ContactEnd::kZeroCompression &&
                            Value(model_.damping_ratio) > 0.0;
      return may_pull ? T(-NormalForceAt(z)) : T(-1);
    }
    if (friction == Friction::kStraightSlip) {
      return fixed_ratio.dot(Velocity(z).template head<2>());
    }
    if (friction == Friction::kSpringStick) {
      const T limit = model_.mu * NormalForceAt(z);
      return Spring(z).squaredNorm() - limit * limit;
    }
    if (friction == Friction::kSpringSlip) {
      const Vector3 u = Velocity(z);
      return -PointSlip(z, u, Force(z), Spring(z));
    }
    if (friction == Friction::kSpringFollow) {
      return -PointSlip(z, Velocity(z), Force(z), FollowingDirection(z));
    }
    return T(-1);
  }

  /// The rate, in the units of the model, at which the spring turns to the direction of slip: that
  /// at the largest force of an impact without friction.
  double TurnRate(const State& z) const {
    return Value(*model_.stiffness_ratio) * Value(Velocity(z)).template head<2>().norm() /
           Value(model_.mu);
  }

  /// The angle theta of the spring obeys theta' = r (theta_u - theta) with r = k_t |u_t| / (mu
  /// F_n): up to 1/r^2 it is theta_u - theta_u' / r.
  Vector2<T> FollowingDirection(const State& z) const {
    const Vector3 u = Velocity(z);
    const T speed = Length(u.template head<2>().eval());
    const T n = NormalForceAt(z);
    const Vector2<T> along = u.template head<2>() / speed;
    const Vector2<T> across(-along[1], along[0]);
    const Vector2<T> t = along * (-model_.mu * n);
    const T turn = across.dot((a_ * Vector3(t[0], t[1], n)).template head<2>()) / speed;
    const T inverse_rate = model_.mu * n * Clock(z[kY]) / (SpringStiffness(z[kY]) * speed);
    return along - across * (turn * inverse_rate);
  }

  /// Velocity of the point along the spring's force while it slips along e.
  T PointSlip(const State& z, const Vector3& u, const Vector3& force, const Vector2<T>& e) const {
    const T cone_rate = model_.mu * (NormalForceRate(z, u, force) - Shrinking(z, u[2]) * force[2]);
    return e.dot(u.template head<2>()) - cone_rate / SpringStiffness(z[kY]);
  }

  /// Direction in which a spring that sticks starts to slip; at touch that of the slip velocity.
  std::optional<Vector2<T>> SpringDirection(const State& z) const {
    Vector2<T> e = Spring(z);
    if (Value(e).norm() == 0.0) e = Velocity(z).template head<2>();
    if (Value(e).norm() == 0.0) return std::nullopt;
    return e / Length(e);
  }

  /// Whether a spring that sticks is at the limit of friction and would go on from there along e.
  bool SpringSlips(const State& z, const Vector2<T>& e) const {
    if (Value(*model_.stiffness_ratio) == 0.0) return false;
    const double limit = Value(model_.mu) * Value(NormalForceAt(z));
    if (Value(Spring(z)).norm() < limit * (1.0 - 1e-11)) return false;
    return Value(PointSlip(z, Velocity(z), Force(z), e)) > 0.0;
  }

  /// Leaves rest of a rigid contact; true if it sticks.
  bool LeaveRest() {
    const ContactBlocks<double> values(Value(a_), Value(model_.mu));
    friction = Friction::kFixed;
    if (values.mu >= CriticalFriction(values) * (1.0 - 1e-14)) {
      const ContactBlocks<T> a(a_, model_.mu);
      fixed_ratio = -(a.tt.inverse() * a.tn);
      return true;
    }
    fixed_ratio = FrictionAgainst(ResumedSlipDirection(values));
    return false;
  }

  /// How fast a small angle between a slip and the direction that it keeps decays, per normal
  /// impulse over speed; negative where it grows.
  double SettlingRate(const Eigen::Vector2d& slip) const {
    return -RatesAlong({Value(a_), Value(model_.mu)}, slip.normalized()).turn_slope;
  }

  /// Whether nothing turns a slip, nor any derivative of it, as in the plane.
  bool KeepsDirection(const Vector2<T>& slip) const {
    constexpr double kRounding = 1e-14;
    const Vector2<T> along = Value(slip).normalized().template cast<T>();
    const Vector2<T> across(-along[1], along[0]);
    const ContactBlocks<T> a(a_, model_.mu);
    const T drift = across.dot(slip), turn = across.dot(a.tn - a.mu * (a.tt * along));
    const double scale = SlipRateScale({Value(a_), Value(model_.mu)});
    const auto vanishes = [](const T& x, double against) {
      return std::abs(Value(x)) + LargestDerivative(x) <= kRounding * against;
    };
    return vanishes(drift, Value(slip).norm()) && vanishes(turn, scale);
  }

  void SlipAlong(const Eigen::Vector2d& direction) {
    friction = Friction::kStraightSlip;
    fixed_ratio = direction.template cast<T>() * (-model_.mu);
  }

  /// Follows slip along the direction that it keeps, if what velocity it has across is negligible.
  void Straighten(const Eigen::Vector2d& slip, double negligible) {
    const ContactBlocks<double> values(Value(a_), Value(model_.mu));
    const Eigen::Vector2d t = NearestSteadyDirection(values, slip.normalized());
    const double across = t.x() * slip.y() - t.y() * slip.x();
    if (!(std::abs(across) <= negligible && t.dot(slip) > 0.0)) return;
    friction = Friction::kStraightSlip;
    fixed_ratio = FrictionAgainst(t);
  }

  /// The impulse that stops what slip is left.
  Vector2<T> Remnant(const State& z) const {
    return -(a_.template topLeftCorner<2, 2>().inverse() * Velocity(z).template head<2>());
  }

 private:
  /// -mu t for a direction t that slip keeps, with its derivatives.
  Vector2<T> FrictionAgainst(const Eigen::Vector2d& t) const {
    const ContactBlocks<T> a(a_, model_.mu);
    const Vector2<T> along = t.template cast<T>();
    const Vector2<T> across(-along[1], along[0]);
    const double slope = RatesAlong({Value(a_), Value(model_.mu)}, t).turn_slope;
    const T angle = across.dot(a.tn - a.mu * (a.tt * along)) / (-slope);
    return (along + across * angle) * (-a.mu);
  }

  static T Length(const Vector2<T>& x) {
    using std::sqrt;
    return sqrt(x.squaredNorm());
  }
  bool Hertz() const { return model_.force == NormalForce::kHertz; }
  bool Spheres() const { return model_.exponent == 1.5; }
  // A step may pass the end, y = 0.
  static T OddPower(const T& y, double power) {
    using std::pow;
    return Value(y) < 0.0 ? T(-pow(-y, power)) : T(pow(y, power));
  }
  bool Drops() const { return expanding && model_.unloading == Unloading::kDrop; }
  bool Steep() const { return expanding && model_.unloading == Unloading::kSteep; }

  T Curve(const T& y) const {
    const T f = !Hertz() ? y : Spheres() ? T(y * y * y) : OddPower(y, 2.0 * model_.exponent);
    return Drops() ? T(e_squared_ * f) : f;
  }
  T CurveSlope(const T& y) const {
    if (!Hertz()) return T(1);
    if (Spheres()) return T(3) * y * y;
    const double power = 2.0 * model_.exponent;
    return power * OddPower(Value(y) < 0.0 ? T(-y) : y, power - 1.0);
  }
  T Clock(const T& y) const { return Hertz() ? T(T(2) * y) : T(1); }
  T YRate(const T& u_n) const { return Steep() ? T(-u_n / e_squared_) : T(-u_n); }
  // df/dd clock = df/dy: the spring's stiffness over s instead of time. Ratios of the powers of y
  // at touch are those just after.
  static T NotZero(const T& y) { return Value(y) == 0.0 ? T(y + 1e-100) : y; }
  T SpringStiffness(const T& y) const { return *model_.stiffness_ratio * CurveSlope(NotZero(y)); }
  // d(ln k_t)/ds where the area shrinks, k_t being in proportion to y^(2n - 2).
  T Shrinking(const State& z, const T& u_n) const {
    const double power = 2.0 * model_.exponent - 2.0;
    return Hertz() && expanding ? T(power * YRate(u_n) / NotZero(z[kY])) : T(0);
  }

  T NormalForceRate(const State& z, const Vector3& u, const Vector3& force) const {
    const T d_rate = -u[2];
    T slope = CurveSlope(NotZero(z[kY]));
    if (Drops()) slope *= e_squared_;
    const T d_rate_rate = -(a_.row(2).dot(force)) * Clock(z[kY]);
    return slope * YRate(u[2]) * (T(1) + model_.rate_factor * d_rate) +
           (Curve(z[kY]) * model_.rate_factor + T(2) * model_.damping_ratio) * d_rate_rate;
  }

  // In slip T stays on the cone, and what of u is across it turns it; where the force vanishes ever
  // faster, so that the rate is kept finite where no impulse is left to transfer.
  Vector2<T> SpringRate(const State& z, const Vector3& u, const Vector3& force) const {
    const T stiffness = SpringStiffness(z[kY]);
    if (friction == Friction::kSpringStick) {
      return u.template head<2>() * stiffness + Spring(z) * Shrinking(z, u[2]);
    }
    const double negligible = Hertz() ? 1e-8 : 1e-6;
    const T inverse_force = force[2] / (force[2] * force[2] + negligible * negligible);
    const Vector2<T> across(-z[kSpring + 1], z[kSpring]);
    return across * (across.dot(u.template head<2>()) * stiffness * inverse_force / model_.mu);
  }

  Eigen::Matrix<T, 3, 3> a_;
  Vector3 u0_;
  PointContactModel<T> model_;
  T e_squared_;
};

}  // namespace percuss::solver::internal
