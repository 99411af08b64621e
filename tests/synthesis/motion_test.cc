// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the laws of mechanics.

#include "synthesis/scene/motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/synthesis/spec_of.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector3d;

Vector3d AngularMomentum(const solver::Body& body, const State& state) {
  const Eigen::Matrix3d R = state.q_WB.toRotationMatrix();
  return R * body.inertia * R.transpose() * state.w;
}

TEST(Motion, FreeFlightConservesEnergyAndAngularMomentum) {
  const SceneSpec spec = SmallSpec();
  const TrialSpec& trial = spec.trials[0];
  const solver::Body& body = spec.body.body;
  const Motion motion = PlanMotion(spec, trial);
  const auto energy = [&](const State& state) {
    return KineticEnergy(body, state).sum() - body.mass * trial.gravity.dot(state.p_WB);
  };
  const std::array<std::array<double, 2>, 2> flights = {
      {{motion.release, motion.impact_time - 1e-9}, {motion.impact_time, motion.end}}};
  for (const auto& [first, last] : flights) {
    const State start = motion.At(first);
    const Vector3d momentum = AngularMomentum(body, start);
    for (int k = 1; k <= 20; ++k) {
      const double since = (last - first) * k / 20.0;
      const State state = motion.At(first + since);
      EXPECT_NEAR(energy(state) / energy(start), 1.0, 1e-9);
      EXPECT_LT((AngularMomentum(body, state) - momentum).norm(), 1e-9 * momentum.norm());
      const Vector3d fall = start.p_WB + since * start.v + 0.5 * since * since * trial.gravity;
      EXPECT_LT((state.p_WB - fall).norm(), 1e-10);
    }
  }
}

TEST(Motion, TheImpactObeysTheBalanceOfMomentumAndEnergy) {
  const SceneSpec spec = SmallSpec();
  const solver::Body& body = spec.body.body;
  const Motion motion = PlanMotion(spec, spec.trials[0]);
  const ImpactTruth& impact = motion.impact;
  const Vector3d& P = impact.result.impulse;
  EXPECT_LT((body.mass * (impact.after.v - impact.before.v) - P).norm(), 1e-12);
  const Vector3d change =
      AngularMomentum(body, impact.after) - AngularMomentum(body, impact.before);
  EXPECT_LT((change - impact.contact_offset.cross(P)).norm(), 1e-12);
  const double lost =
      KineticEnergy(body, impact.before).sum() - KineticEnergy(body, impact.after).sum();
  EXPECT_NEAR(lost, -impact.result.energy.normal_work - impact.result.energy.friction_work, 1e-12);
  EXPECT_GT(lost, 0.0);
  // Sliding friction: |P_t| = mu P_n while the direction holds, less where it turns.
  EXPECT_LE(P.head<2>().norm(), 0.26 * P.z() * (1.0 + 1e-12));

  // What was asked for is what the flight before arrives with.
  const State arriving = motion.At(motion.impact_time - 1e-10);
  EXPECT_LT((arriving.v - spec.trials[0].velocity).norm(), 1e-8);
  EXPECT_LT((arriving.w - spec.trials[0].angular_velocity).norm(), 1e-8);
  EXPECT_LT(arriving.q_WB.angularDistance(spec.trials[0].orientation), 1e-8);
  EXPECT_NEAR(impact.contact_point.z(), 0.0, 1e-15);
}

TEST(Motion, IsCarriedFromRestToItsReleaseWithoutAJump) {
  const SceneSpec spec = SmallSpec();
  const Motion motion = PlanMotion(spec, spec.trials[0]);
  const State rest = motion.At(-1.0), start = motion.At(motion.actuator_start);
  EXPECT_EQ(rest.v.norm(), 0.0);
  EXPECT_EQ((rest.p_WB - start.p_WB).norm(), 0.0);
  constexpr double kStep = 1e-6;
  for (const double time : {motion.actuator_start, 0.5 * (motion.actuator_start + motion.release),
                            motion.release, motion.impact_time}) {
    const State before = motion.At(time - kStep), after = motion.At(time + kStep);
    EXPECT_LT((after.p_WB - before.p_WB - kStep * (before.v + after.v)).norm(), 1e-10);
    EXPECT_LT(after.q_WB.angularDistance(before.q_WB), kStep * 40.0);
  }
  const State middle = motion.At(0.5 * (motion.actuator_start + motion.release));
  const State release = motion.At(motion.release);
  EXPECT_LT((middle.v - 0.5 * release.v).norm(), 1e-12);
  // The velocity is the derivative of the place, the angular velocity that of the orientation.
  const State later = motion.At(0.5 * (motion.actuator_start + motion.release) + kStep);
  EXPECT_LT(((later.p_WB - middle.p_WB) / kStep - middle.v).norm(), 1e-4);
  const Eigen::AngleAxisd turn(later.q_WB * middle.q_WB.conjugate());
  EXPECT_LT((turn.angle() / kStep * turn.axis() - middle.w).norm(), 1e-3);
  EXPECT_EQ(motion.Phase(0.0), "held");
  EXPECT_EQ(motion.Phase(motion.release - kStep), "carried");
  EXPECT_EQ(motion.Phase(motion.release + kStep), "pre-flight");
  EXPECT_EQ(motion.Phase(motion.impact_time + kStep), "post-flight");
}

// A ball that jumps at e v comes back after 2 e v / g, and its clip ends before.
TEST(Motion, FindsTheSecondContact) {
  const SceneSpec spec = SpecOf(
      "{body: {shape: sphere, radius: 0.03, mass: 0.1, marker_diameter: 0.008,"
      " markers: {A: [0.03, 0, 0], B: [0, 0.03, 0], C: [0, 0, 0.03]}},"
      " parameters: {mu: 0.2, e: 0.5},"
      " trials: [{velocity: [0.3, 0, -2], angular_velocity: [0, 0, 0], post_flight: 0.5}]}");
  const Motion motion = PlanMotion(spec, spec.trials[0]);
  EXPECT_NEAR(motion.second_contact - motion.impact_time, 2.0 * 0.5 * 2.0 / 9.80665, 1e-9);
  EXPECT_LT(motion.end, motion.second_contact);
  EXPECT_GT(motion.end, motion.second_contact - 0.01);
}

TEST(Motion, GravityOfASlopeActsAlongTheSurface) {
  const SceneSpec spec = SpecOf("trials: [{gravity: [2.0389, 0, -9.5923]}]");
  const Motion motion = PlanMotion(spec, spec.trials[0]);
  const Vector3d gained = motion.At(motion.impact_time - 1e-9).v - motion.At(motion.release).v;
  EXPECT_NEAR(gained.x(), 2.0389 * 0.2095, 1e-7);
}

TEST(Motion, TakesAnyLawOfTheRegistry) {
  const SceneSpec spec = SpecOf("{law: poisson, parameters: {mu: 0.3, e: 0.4}}");
  const Motion motion = PlanMotion(spec, spec.trials[0]);
  EXPECT_NEAR(motion.impact.result.restitution_impulse / motion.impact.result.compression_impulse,
              0.4, 1e-9);
}

// Forces by Newton's law from second differences of the place.
TEST(Motion, SlidesWithItsFrictionOnATiltedPlate) {
  SceneSpec spec = SmallSpec();
  TrialSpec trial = spec.trials[0];
  trial.gravity = {0.0, 0.0, -9.81};
  trial.orientation.setIdentity();
  trial.slide = SlideSpec{.mu_k = 0.25, .mu_s = 0.3, .start = 0.1, .tilt_rate = 0.3};
  const Motion motion = PlanMotion(spec, trial);
  const auto ratio = [&](double time) {
    constexpr double kStep = 2e-3;
    const Vector3d acceleration =
        (motion.At(time + kStep).p_WB - 2.0 * motion.At(time).p_WB + motion.At(time - kStep).p_WB) /
        (kStep * kStep);
    const Vector3d force = acceleration - trial.gravity;
    const Eigen::Quaterniond turn = motion.At(time).q_WB;
    return -force.dot(turn * Vector3d::UnitX()) / force.dot(turn * Vector3d::UnitZ());
  };
  for (const double since : {0.05, 0.15, 0.25})
    EXPECT_NEAR(ratio(motion.slide_start + since), 0.25, 2e-4);
  EXPECT_NEAR(ratio(motion.slide_start - 0.01), 0.3, 0.005);
  EXPECT_EQ(motion.Phase(motion.slide_start - 0.01), "carried");
  EXPECT_EQ(motion.Phase(motion.slide_start + 0.01), "sliding");
}

TEST(Motion, RefusesASlideThatFrictionHolds) {
  SceneSpec spec = SmallSpec();
  TrialSpec trial = spec.trials[0];
  trial.gravity = {1.0, 0.0, -9.8};
  trial.orientation.setIdentity();
  trial.slide = SlideSpec{.mu_k = 0.25};
  EXPECT_THROW(PlanMotion(spec, trial), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::synthesis
