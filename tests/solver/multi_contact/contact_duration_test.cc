// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: the rigid impact itself, and chatterjee2019 T9 with the sphere of digest 3.5.

#include "solver/multi_contact/contact_duration.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/solver/multi_contact/multi_contact_setups.h"

namespace percuss::solver {
namespace {

constexpr double kPlane = std::numeric_limits<double>::infinity();

ViscoElastoplasticLaw Law(double radius, double damping) {
  return MakeViscoElastoplasticLaw({206e9, 0.3, 350e6}, radius, {102e9, 0.4, 120e6}, kPlane, 290,
                                   damping);
}

MultiImpactOptions WithPath(double e) {
  MultiImpactOptions options;
  options.restitution = {e};
  options.record_path = true;
  return options;
}

MultiImpactProblem FallingSphere() {
  Body sphere;
  sphere.shape = Sphere{0.5};
  sphere.mass = 1.0;
  sphere.inertia = UniformInertia(sphere.shape, 1.0);
  return BodyImpact(sphere, Eigen::Matrix3d::Identity(), {0, 0, -4.43}, {0, 0, 0},
                    {testing::SpatialPoint({0, 0, -0.5}, 0.35, 0.6)});
}

// T9: the sphere of B5 on a plane; tolerances are the printed digits.
TEST(ContactDuration, T9SphereOnPlane) {
  const MultiImpactProblem problem = FallingSphere();
  const MultiImpactSummary summary = SolveMultiImpact(problem, WithPath(0.5));
  const ContactDuration duration = AugmentEvent(problem, summary, 0, Law(0.5, 0.1));
  ASSERT_EQ(duration.status, DurationStatus::kSolved) << duration.reason;
  EXPECT_NEAR(duration.compression_time, 8.48e-5, 1e-7);
  EXPECT_NEAR(duration.compression_force, 8.438e4, 20.0);
  const double most = duration.deformation.maxCoeff();
  const double last = duration.deformation(duration.deformation.rows() - 1, 0);
  EXPECT_NEAR(most, 2.420e-4, 1e-7);
  EXPECT_NEAR(last, 1.693e-4, 1e-7);
  EXPECT_NEAR(duration.times.back(), 1.331e-4, 1e-7);
  EXPECT_NEAR(summary.velocity[2], 2.215, 1e-9);
  // (2/5) f_c (d_c - d_f) = W_nf - W_nc.
  const double gained = summary.events[0].energy.normal_work - duration.compression_work;
  EXPECT_NEAR(0.4 * duration.compression_force * (most - last), gained, 1e-4 * gained);
}

// T9: momentum. The forces in time add up to the impulse of the rigid impact, which is unchanged.
TEST(ContactDuration, T9ForcesAddUpToTheImpulse) {
  for (const bool oblique : {false, true}) {
    MultiImpactProblem problem = FallingSphere();
    if (oblique) problem.speeds[0] = 5.0;
    const MultiImpactSummary summary = SolveMultiImpact(problem, WithPath(0.5));
    const ContactDuration duration = AugmentEvent(problem, summary, 0, Law(0.5, 0.1));
    ASSERT_EQ(duration.status, DurationStatus::kSolved) << duration.reason;
    Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
    for (std::size_t k = 1; k < duration.times.size(); ++k) {
      impulse += 0.5 * (duration.times[k] - duration.times[k - 1]) *
                 (duration.force.row(k) + duration.force.row(k - 1)).transpose();
    }
    EXPECT_LT((impulse - summary.impulse).norm(), 1e-3 * summary.impulse.norm());
  }
}

// Recording the path changes nothing.
TEST(ContactDuration, T9RigidVelocitiesStay) {
  const MultiImpactProblem problem = testing::FaceSample(0.3, {0.8, 0.3, -1}, {0.5, -0.4, 2});
  MultiImpactOptions plain = WithPath(0.4);
  plain.record_path = false;
  const MultiImpactSummary a = SolveMultiImpact(problem, plain);
  const MultiImpactSummary b = SolveMultiImpact(problem, WithPath(0.4));
  ASSERT_EQ(a.status, MultiImpactStatus::kSolved);
  EXPECT_LT((a.speeds - b.speeds).norm(), 1e-6 * a.speeds.norm());
  const ContactDuration duration = AugmentEvent(problem, b, 0, Law(0.01, 10.0));
  ASSERT_EQ(duration.status, DurationStatus::kSolved) << duration.reason;
  EXPECT_EQ(duration.normal_force.cols(), static_cast<Eigen::Index>(b.events[0].points.size()));
  EXPECT_GE(duration.normal_force.minCoeff(), 0.0);
}

TEST(ContactDuration, NeedsAPath) {
  const MultiImpactProblem problem = FallingSphere();
  MultiImpactOptions plain = WithPath(0.5);
  plain.record_path = false;
  const MultiImpactSummary summary = SolveMultiImpact(problem, plain);
  EXPECT_THROW(AugmentEvent(problem, summary, 0, Law(0.5, 0.1)), std::invalid_argument);
  EXPECT_THROW(AugmentEvent(problem, summary, 3, Law(0.5, 0.1)), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::solver
