// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "solver/integration/dormand_prince.h"

namespace percuss::synthesis {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using Vector6d = Eigen::Matrix<double, 6, 1>;

constexpr double kShortestFlight = 2e-3;  // then the ball stays on the surface [s]
constexpr double kBeyondEnd = 0.5;        // exposures and rolling shutters look beyond the end [s]
constexpr double kLongest = 60.0;         // [s]
constexpr double kLoudSettling = 0.1;     // an impact that is a bounce though it ends flights [m/s]

Quaterniond TurnedBy(const Vector3d& rotation, const Quaterniond& q) {
  const double angle = rotation.norm();
  if (!(angle > 0.0)) return q;
  return (Quaterniond(Eigen::AngleAxisd(angle, rotation / angle)) * q).normalized();
}

double Gap(const BallSpec& spec, const Vector3d& p) {
  return spec.surface_normal.dot(p) - spec.radius;
}

double KineticEnergyOf(const BallSpec& spec, const BallState& s) {
  const double inertia = spec.inertia_factor * spec.mass * spec.radius * spec.radius;
  return 0.5 * spec.mass * s.v.squaredNorm() + 0.5 * inertia * s.w.squaredNorm();
}

double RestitutionAt(const BallRestitution& e, std::size_t bounce, double speed) {
  const double value = e.values.at(std::min(bounce, e.values.size() - 1));
  return std::clamp(value + e.speed_slope * speed, 0.0, 1.0);
}

// Gives the ball the tangential impulse that friction with this normal impulse does; whether the
// contact point then rests.
bool AddFriction(const BallSpec& spec, double normal_impulse, BallState* s, Vector3d* impulse) {
  const Vector3d& n = spec.surface_normal;
  const Vector3d arm = -spec.radius * n;
  Vector3d slip = s->v + s->w.cross(arm);
  slip -= n.dot(slip) * n;
  const double speed = slip.norm();
  const double to_stick = spec.mass * speed / (1.0 + 1.0 / spec.inertia_factor);
  const double most = spec.mu * normal_impulse;
  *impulse = Vector3d::Zero();
  if (speed > 0.0) *impulse = -std::min(most, to_stick) / speed * slip;
  const double inertia = spec.inertia_factor * spec.mass * spec.radius * spec.radius;
  s->v += *impulse / spec.mass;
  s->w += arm.cross(*impulse) / inertia;
  return to_stick <= most;
}

}  // namespace

const char* BallPhaseName(BallPhase phase) {
  switch (phase) {
    case BallPhase::kHeld:
      return "held";
    case BallPhase::kFlight:
      return "flight";
    case BallPhase::kContact:
      return "contact";
    case BallPhase::kRolling:
      return "rolling";
  }
  return "";
}

BounceTruth BounceOfBall(const BallSpec& spec, const BallState& before, double e) {
  const Vector3d& n = spec.surface_normal;
  const double speed = -n.dot(before.v);
  const double normal_impulse = (1.0 + e) * spec.mass * speed;
  BounceTruth bounce;
  bounce.before = bounce.after = before;
  bounce.e = e;
  Vector3d friction;
  bounce.sticks = AddFriction(spec, normal_impulse, &bounce.after, &friction);
  bounce.impulse = normal_impulse * n + friction;
  bounce.after.v += normal_impulse / spec.mass * n;
  bounce.dissipated = KineticEnergyOf(spec, before) - KineticEnergyOf(spec, bounce.after);
  return bounce;
}

Vector3d BallAcceleration(const BallSpec& spec, const Vector3d& v, const Vector3d& w) {
  Vector3d a = spec.gravity;
  const double speed = v.norm();
  if (!(spec.drag_coefficient > 0.0) || !(speed > 0.0)) return a;
  const double area = std::numbers::pi * spec.radius * spec.radius;
  const double by_mass = 0.5 * spec.air_density * area / spec.mass;
  a -= by_mass * spec.drag_coefficient * speed * v;
  const Vector3d across = w.cross(v);
  const double size = across.norm();
  if (spec.lift && size > 0.0) {
    const double spin = spec.radius * size / (speed * speed);  // S
    a += by_mass * spin / (2.022 * spin + 0.981) * speed * speed / size * across;
  }
  return a;
}

void BallMotion::Add(double t, const BallState& state, const Vector3d& a, bool cubic) {
  knots_.push_back({t, state, a, cubic});
}

BallState BallMotion::Between(const Knot& from, const Knot& to, double t) const {
  BallState s = from.state;
  const double h = to.t - from.t, d = t - from.t;
  if (!(h > 0.0)) return s;
  const double x = d / h;
  const Vector3d step = to.state.p - from.state.p;
  if (from.cubic) {
    const Vector3d v0 = h * from.state.v, v1 = h * to.state.v;
    const Vector3d c2 = 3.0 * step - 2.0 * v0 - v1, c3 = v0 + v1 - 2.0 * step;
    s.p += x * (v0 + x * (c2 + x * c3));
    s.v = (v0 + x * (2.0 * c2 + 3.0 * x * c3)) / h;
    const Vector3d w_rise = to.state.w - from.state.w;
    s.w += x * w_rise;
    s.q = TurnedBy(d * (from.state.w + 0.5 * x * w_rise), from.state.q);
    return s;
  }
  // p = p0 + v0 d + a0 d^2 / 2 + what the other end asks for beyond that parabola.
  const Vector3d& a0 = from.a;
  const Vector3d place = step - h * from.state.v - 0.5 * h * h * a0;
  const Vector3d rate = h * (to.state.v - from.state.v - h * a0), bend = h * h * (to.a - a0);
  const Vector3d c3 = 10.0 * place - 4.0 * rate + 0.5 * bend;
  const Vector3d c4 = -15.0 * place + 7.0 * rate - bend;
  const Vector3d c5 = 6.0 * place - 3.0 * rate + 0.5 * bend;
  s.p += d * from.state.v + 0.5 * d * d * a0 + x * x * x * (c3 + x * (c4 + x * c5));
  s.v += d * a0 + x * x / h * (3.0 * c3 + x * (4.0 * c4 + 5.0 * x * c5));
  s.q = TurnedBy(d * from.state.w, from.state.q);
  return s;
}

BallState BallMotion::At(double t) const {
  const double time = std::clamp(t, 0.0, knots_.back().t);
  const auto after = std::upper_bound(knots_.begin(), knots_.end(), time,
                                      [](double x, const Knot& knot) { return x < knot.t; });
  if (after == knots_.end()) return knots_.back().state;
  return Between(*std::prev(after), *after, time);
}

// From the last knot to the touch, or to the limit.
void BallMotion::Fly(const BallSpec& spec, double limit) {
  const Vector3d& n = spec.surface_normal;
  const Vector3d w = knots_.back().state.w;
  const double pull = -n.dot(spec.gravity);
  const bool air = spec.drag_coefficient > 0.0;
  const auto rate = [&](const Vector6d& y, Vector6d& out) {
    out.head<3>() = y.tail<3>();
    out.tail<3>() = BallAcceleration(spec, y.tail<3>(), w);
  };
  solver::DormandPrince<Vector6d> steps;
  Vector6d y, y_rate;
  y << knots_.back().state.p, knots_.back().state.v;
  rate(y, y_rate);
  knots_.back().a = y_rate.tail<3>();
  const double by_mass = 0.5 * spec.air_density * std::numbers::pi * spec.radius * spec.radius /
                         spec.mass * (spec.drag_coefficient + (spec.lift ? 0.5 : 0.0));
  while (knots_.back().t < limit) {
    const Knot from = knots_.back();
    const double rise = n.dot(y.tail<3>()), gap = std::max(Gap(spec, y.head<3>()), 0.0);
    // The time to the touch without air bounds the step of a flight that has just begun.
    const double to_touch = (rise + std::sqrt(rise * rise + 2.0 * pull * gap)) / pull;
    double h = to_touch;
    if (air) {
      // The 5th order leaves (h / time constant of the air)^6 of a way: 1e-15.
      const double constant = 1.0 / (by_mass * (y.tail<3>().norm() + 1.0));
      h = std::min({2e-3, 4e-3 * constant, std::max(0.2 * to_touch, 1e-4)});
    }
    h = std::min(h, limit - from.t + 1e-12);
    steps.Step(rate, y, y_rate, h);
    BallState state = from.state;
    state.p = steps.end().head<3>();
    state.v = steps.end().tail<3>();
    state.q = TurnedBy(h * w, from.state.q);
    const Knot to{from.t + h, state, steps.end_rate().tail<3>(), false};
    const bool touches = air ? Gap(spec, state.p) < 0.0 : h == to_touch;
    if (!touches) {
      y = steps.end();
      y_rate = steps.end_rate();
      knots_.push_back(to);
      continue;
    }
    double low = from.t, high = to.t;
    for (int k = 0; k < 60 && air; ++k) {
      const double middle = 0.5 * (low + high);
      (Gap(spec, Between(from, to, middle).p) > 0.0 ? low : high) = middle;
    }
    Knot touch = to;
    touch.t = high;
    if (air) {
      touch.state = Between(from, to, high);
      touch.a = BallAcceleration(spec, touch.state.v, w);
    }
    touch.state.p -= Gap(spec, touch.state.p) * n;  // rounding
    touch.state.phase = BallPhase::kContact;        // says that it touches
    knots_.push_back(touch);
    return;
  }
}

// Stays on the surface from the last knot on, in steps in each of which friction acts as in a
// bounce with the normal impulse of that step.
void BallMotion::Roll(const BallSpec& spec, double limit) {
  constexpr double kStep = 5e-4;  // [s]
  const Vector3d& n = spec.surface_normal;
  const double pull = -n.dot(spec.gravity);
  const Vector3d along = spec.gravity + pull * n;
  BallState s = knots_.back().state;
  s.phase = BallPhase::kRolling;
  s.v -= n.dot(s.v) * n;
  double t = knots_.back().t;
  Add(t, s, Vector3d::Zero(), true);
  while (t < limit) {
    const BallState from = s;
    s.v += kStep * along;
    Vector3d friction;
    AddFriction(spec, kStep * spec.mass * pull, &s, &friction);
    s.p += 0.5 * kStep * (from.v + s.v);
    s.q = TurnedBy(0.5 * kStep * (from.w + s.w), from.q);
    t += kStep;
    Add(t, s, Vector3d::Zero(), true);
  }
}

BallMotion::BallMotion(const BallSpec& spec) : release(spec.hold) {
  const Vector3d& n = spec.surface_normal;
  if (!(Gap(spec, spec.start) >= 0.0)) {
    throw std::invalid_argument(
        fmt::format("BallMotion: start: found a centre {:g} m above the surface, allowed at least "
                    "the radius, {:g} m",
                    n.dot(spec.start), spec.radius));
  }
  const bool counts = spec.bounces > 0;
  double limit = counts ? kLongest : spec.duration + kBeyondEnd;
  end = counts ? 0.0 : spec.duration;
  BallState s;
  s.p = spec.start;
  Add(0.0, s, Vector3d::Zero());
  Add(spec.hold, s, Vector3d::Zero());
  s.v = spec.velocity;
  s.w = spec.angular_velocity;
  s.phase = BallPhase::kFlight;
  Add(spec.hold, s, Vector3d::Zero());
  while (knots_.back().t < limit) {
    Fly(spec, limit);
    const BallState before = knots_.back().state;
    const double touch = knots_.back().t;
    if (before.phase != BallPhase::kContact) break;
    if (counts && end == 0.0 && static_cast<int>(bounces.size()) == spec.bounces) {
      end = touch;
      limit = touch + kBeyondEnd;
    }
    const double speed = -n.dot(before.v);
    double e = RestitutionAt(spec.e, bounces.size(), speed);
    const bool settles = 2.0 * e * speed / -n.dot(spec.gravity) < kShortestFlight;
    if (settles) e = 0.0;
    BounceTruth bounce = BounceOfBall(spec, before, e);
    bounce.time = touch;
    bounce.time_end = touch + spec.contact_time;
    bounce.after.phase = BallPhase::kFlight;
    const Vector3d way = 0.5 * spec.contact_time * (before.v + bounce.after.v);
    bounce.after.p += way - n.dot(way) * n;
    bounce.after.q =
        TurnedBy(0.5 * spec.contact_time * (before.w + bounce.after.w), bounce.before.q);
    if (spec.contact_time > 0.0) Add(touch, before, Vector3d::Zero(), true);
    Add(bounce.time_end, bounce.after, Vector3d::Zero());
    if (!settles || speed > kLoudSettling) bounces.push_back(bounce);
    if (!settles) continue;
    if (counts && end == 0.0) {
      end = bounce.time_end;
      limit = end + kBeyondEnd;
    }
    Roll(spec, limit);
    break;
  }
  if (counts && end == 0.0) {
    throw std::invalid_argument(
        fmt::format("BallMotion: bounces: found {} in {:g} s, allowed a ball that bounces {} times",
                    bounces.size(), kLongest, spec.bounces));
  }
  std::erase_if(bounces, [&](const BounceTruth& bounce) { return bounce.time >= end; });
}

}  // namespace percuss::synthesis
