// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Sources of truth: laws of motion in closed form, the solver's laws of impact.

#include "synthesis/ball/ball_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "solver/solve_impact.h"

namespace percuss::synthesis {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

double BallEnergy(const BallSpec& spec, const BallState& s) {
  const double inertia = spec.inertia_factor * spec.mass * spec.radius * spec.radius;
  return 0.5 * spec.mass * s.v.squaredNorm() + 0.5 * inertia * s.w.squaredNorm() -
         spec.mass * spec.gravity.dot(s.p);
}

BallSpec SpinningBall() {
  BallSpec spec;
  spec.velocity = {0.6, 0.1, 0.2};
  spec.angular_velocity = {30.0, -80.0, 15.0};
  spec.surface_normal = Vector3d(0.1, -0.05, 1.0).normalized();
  spec.e = {{0.85, 0.7, 0.75}, -0.01};
  spec.mu = 0.12;
  return spec;
}

TEST(BallMotion, EnergyFallsByWhatEachBounceDissipatesAndByNothingElse) {
  const BallSpec spec = SpinningBall();
  const BallMotion motion(spec);
  ASSERT_GE(motion.bounces.size(), 3U);
  const Vector3d& n = spec.surface_normal;
  BallState released = motion.At(motion.release);
  double energy = BallEnergy(spec, released);
  double from = motion.release;
  for (const BounceTruth& bounce : motion.bounces) {
    for (const double share : {0.1, 0.5, 0.99}) {
      const double t = from + share * (bounce.time - from);
      EXPECT_NEAR(BallEnergy(spec, motion.At(t)), energy, 1e-12);
    }
    EXPECT_NEAR(BallEnergy(spec, bounce.before), energy, 1e-12);
    // The impulses of a sphere's bounce do not act on each other: work is impulse times mean
    // velocity of the contact point, along the normal and along the surface.
    const auto contact_velocity = [&](const BallState& s) -> Vector3d {
      return s.v + s.w.cross(-spec.radius * n);
    };
    const Vector3d mean = 0.5 * (contact_velocity(bounce.before) + contact_velocity(bounce.after));
    EXPECT_NEAR(bounce.dissipated, -bounce.impulse.dot(mean), 1e-13);
    EXPECT_GT(bounce.dissipated, 0.0);
    const double fall = -n.dot(bounce.before.v);
    EXPECT_NEAR(n.dot(bounce.after.v), bounce.e * fall, 1e-12);
    energy -= bounce.dissipated;
    from = bounce.time_end;
  }
  EXPECT_NEAR(motion.bounces[0].e, 0.85 + 0.01 * n.dot(motion.bounces[0].before.v), 1e-12);
  EXPECT_NEAR(motion.bounces[1].e, 0.70 + 0.01 * n.dot(motion.bounces[1].before.v), 1e-12);
  EXPECT_FALSE(motion.bounces[0].sticks);
}

TEST(BallMotion, BouncesAreThoseOfStrongesLaw) {
  BallSpec spec;
  for (const double mu : {0.05, 0.2, 0.6}) {
    for (const double inertia_factor : {0.4, 2.0 / 3.0}) {
      spec.mu = mu;
      spec.inertia_factor = inertia_factor;
      BallState before;
      before.v = {1.1, -0.4, -2.3};
      before.w = {20.0, 70.0, -35.0};
      const Vector3d arm(0.0, 0.0, -spec.radius);
      const Matrix3d inertia =
          inertia_factor * spec.mass * spec.radius * spec.radius * Matrix3d::Identity();
      solver::Contact<double> contact;
      contact.inverse_mass = solver::InverseContactMass<double>(
          spec.mass, inertia, Eigen::Quaterniond::Identity(), arm, Matrix3d::Identity());
      contact.velocity = before.v + before.w.cross(arm);
      const double parameters[] = {mu, 0.7};  // mu, e
      const Vector3d impulse = solver::SolveImpact("stronge", contact, parameters).impulse;
      const BounceTruth bounce = BounceOfBall(spec, before, 0.7);
      EXPECT_LT((bounce.impulse - impulse).norm(), 1e-7 * impulse.norm()) << mu;
      EXPECT_LT((bounce.after.v - before.v - impulse / spec.mass).norm(), 1e-6);
      EXPECT_LT((inertia * (bounce.after.w - before.w) - arm.cross(impulse)).norm(), 1e-10);
    }
  }
}

TEST(BallMotion, AFlightWithoutAirIsAParabola) {
  const BallSpec spec = SpinningBall();
  const BallMotion motion(spec);
  const BounceTruth& first = motion.bounces[0];
  EXPECT_NEAR(spec.surface_normal.dot(first.before.p), spec.radius, 1e-15);
  EXPECT_EQ((motion.At(0.5 * spec.hold).p - spec.start).norm(), 0.0);
  EXPECT_EQ(motion.At(0.5 * spec.hold).v.norm(), 0.0);
  EXPECT_STREQ(BallPhaseName(motion.At(0.5 * spec.hold).phase), "held");
  for (const double share : {0.0, 0.3, 0.9, 0.999}) {
    const double d = share * (first.time - spec.hold);
    const BallState s = motion.At(spec.hold + d);
    const Vector3d p = spec.start + d * spec.velocity + 0.5 * d * d * spec.gravity;
    EXPECT_LT((s.p - p).norm(), 1e-13);
    EXPECT_LT((s.v - spec.velocity - d * spec.gravity).norm(), 1e-12);
    const Eigen::Quaterniond q(
        Eigen::AngleAxisd(d * spec.angular_velocity.norm(), spec.angular_velocity.normalized()));
    EXPECT_LT(s.q.angularDistance(q), 1e-7);
    EXPECT_EQ(s.phase, BallPhase::kFlight);
  }
}

// v = v_t tanh(g t / v_t), fallen v_t^2 / g ln cosh(g t / v_t); after a bounce upwards with v_0,
// the way up takes v_t / g atan(v_0 / v_t).
TEST(BallMotion, AFallInAirIsTheClosedForm) {
  BallSpec spec;
  spec.velocity.setZero();
  spec.start = {0.0, 0.0, 3.0};
  spec.drag_coefficient = 0.47;
  const BallMotion motion(spec);
  const double g = spec.gravity.norm();
  const double terminal = std::sqrt(
      2.0 * spec.mass * g /
      (spec.air_density * std::numbers::pi * spec.radius * spec.radius * spec.drag_coefficient));
  for (const double d : {0.01, 0.2, 0.6}) {
    const BallState s = motion.At(spec.hold + d);
    EXPECT_NEAR(s.v.z(), -terminal * std::tanh(g * d / terminal), 1e-10);
    const double fallen = terminal * terminal / g * std::log(std::cosh(g * d / terminal));
    EXPECT_NEAR(s.p.z(), 3.0 - fallen, 1e-10);
  }
  const BounceTruth& first = motion.bounces[0];
  const double way = 3.0 - spec.radius;
  const double time = terminal / g * std::acosh(std::exp(g * way / (terminal * terminal)));
  EXPECT_NEAR(first.time, spec.hold + time, 1e-10);
  EXPECT_NEAR(first.before.p.z(), spec.radius, 1e-14);
  const double v0 = first.after.v.z();
  const double up = terminal / g * std::atan(v0 / terminal);
  EXPECT_NEAR(motion.At(first.time + up).v.z(), 0.0, 1e-9);
  const double height = terminal * terminal / (2.0 * g) * std::log1p(std::pow(v0 / terminal, 2));
  EXPECT_NEAR(motion.At(first.time + up).p.z(), spec.radius + height, 1e-10);
}

// Against the formula of the header, by Heun's method with steps of 20 us.
TEST(BallMotion, SpinBendsAFlightToTheSideItTurnsTo) {
  BallSpec spec;
  spec.drag_coefficient = 0.5;
  spec.velocity = {4.0, 0.0, 1.0};
  spec.start = {0.0, 0.0, 2.0};
  const auto after = [&](const Vector3d& w) {
    spec.angular_velocity = w;
    return BallMotion(spec).At(spec.hold + 0.4);
  };
  const BallState plain = after(Vector3d::Zero());
  EXPECT_LT(after({0.0, 150.0, 0.0}).p.z(), plain.p.z() - 0.05);   // top spin dives
  EXPECT_GT(after({0.0, -150.0, 0.0}).p.z(), plain.p.z() + 0.05);  // back spin carries
  EXPECT_GT(after({0.0, 0.0, 150.0}).p.y(), 0.05);                 // turns left seen from above
  EXPECT_LT(std::abs(after({150.0, 0.0, 0.0}).p.y()), 0.2);

  const Vector3d w(20.0, 90.0, -60.0);
  const double by_mass =
      0.5 * spec.air_density * std::numbers::pi * spec.radius * spec.radius / spec.mass;
  const auto acceleration = [&](const Vector3d& v) -> Vector3d {
    const double speed = v.norm(), S = spec.radius * w.cross(v).norm() / (speed * speed);
    const double lift = 1.0 / (2.022 + 0.981 / S);
    return spec.gravity +
           by_mass * speed * speed * (lift * w.cross(v).normalized() - 0.5 * v.normalized());
  };
  Vector3d p = spec.start, v = spec.velocity;
  constexpr double kStep = 2e-5;
  for (int k = 0; k < 20000; ++k) {
    const Vector3d a = acceleration(v), b = acceleration(v + kStep * a);
    p += kStep * v + 0.5 * kStep * kStep * a;
    v += 0.5 * kStep * (a + b);
  }
  EXPECT_LT((after(w).p - p).norm(), 1e-8);
  spec.lift = false;
  EXPECT_LT((after(w).p - plain.p).norm(), 1e-12);
}

TEST(BallMotion, AContactTakesItsTimeAndJoinsTheFlights) {
  BallSpec spec = SpinningBall();
  spec.contact_time = 0.006;
  const BallMotion motion(spec);
  const BounceTruth& first = motion.bounces[0];
  EXPECT_NEAR(first.time_end - first.time, 0.006, 1e-15);
  const auto near = [&](double t, const BallState& s) {
    EXPECT_LT((motion.At(t).p - s.p).norm(), 1e-7);
    EXPECT_LT((motion.At(t).v - s.v).norm(), 1e-2);
    EXPECT_LT((motion.At(t).w - s.w).norm(), 1e-1);
  };
  constexpr double kJust = 1e-8;
  near(first.time - kJust, first.before);
  near(first.time + kJust, first.before);
  near(first.time_end - kJust, first.after);
  near(first.time_end + kJust, first.after);
  EXPECT_EQ(motion.At(first.time + 0.003).phase, BallPhase::kContact);
  // Compressed by v T (1 + e) / 8 half way.
  const double fall = -spec.surface_normal.dot(first.before.v);
  EXPECT_NEAR(spec.radius - spec.surface_normal.dot(motion.At(first.time + 0.003).p),
              fall * 0.006 * (1.0 + first.e) / 8.0, 1e-12);
  EXPECT_NEAR(spec.surface_normal.dot(first.after.p), spec.radius, 1e-15);
}

// A ball that slides on ends up rolling with v_0 / (1 + c), I = c m R^2, whatever the friction.
TEST(BallMotion, ABallThatNoLongerBouncesRolls) {
  BallSpec spec;
  spec.start = {0.0, 0.0, 0.0201};
  spec.velocity = {0.5, 0.0, 0.0};
  spec.e = {{0.0}, 0.0};
  spec.mu = 0.1;
  const BallMotion motion(spec);
  const BallState at_end = motion.At(1.9);
  EXPECT_EQ(at_end.phase, BallPhase::kRolling);
  EXPECT_NEAR(at_end.v.x(), 0.5 / (1.0 + 2.0 / 3.0), 1e-9);
  EXPECT_NEAR(at_end.w.y(), at_end.v.x() / spec.radius, 1e-7);
  EXPECT_NEAR(at_end.p.z(), spec.radius, 1e-12);
  EXPECT_TRUE(motion.bounces.empty());
}

TEST(BallMotion, EndsWithTheFlightAfterTheLastBounceAskedFor) {
  BallSpec spec;
  spec.bounces = 3;
  const BallMotion three(spec);
  ASSERT_EQ(three.bounces.size(), 3U);
  spec.bounces = 4;
  EXPECT_NEAR(three.end, BallMotion(spec).bounces[3].time, 1e-14);
  spec.start.z() = 0.01;
  EXPECT_THROW(BallMotion{spec}, std::invalid_argument);
}

}  // namespace
}  // namespace percuss::synthesis
