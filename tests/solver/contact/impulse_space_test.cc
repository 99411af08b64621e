// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Impulse space against chatterjee1997 (AT3, AT4, AT7, AT8; digest 3.3, 3.4, 3.31) and its own
// definitions on random contacts.

#include "solver/contact/impulse_space.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <array>
#include <numbers>
#include <random>
#include <stdexcept>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/solver/algebraic/chatterjee_setups.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

Vector3d VelocityAfter(const Contact<double>& contact, const Vector3d& impulse) {
  return contact.velocity + contact.inverse_mass * impulse;
}

Vector3d RandomDirection(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vector3d{normal(random), normal(random), normal(random)}.normalized();
}

bool Holds(const EnergyEllipsoid& ellipsoid, const Vector3d& impulse) {
  const Vector3d scaled = (ellipsoid.axes.transpose() * (impulse - ellipsoid.centre))
                              .cwiseQuotient(ellipsoid.semi_axes);
  return scaled.squaredNorm() <= 1.0 + 1e-12;
}

TEST(EnergyEllipsoid, HoldsTheImpulsesThatLoseEnough) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 2000; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 3.0);
    const double energy = LocalEnergy(contact, contact.velocity);
    const double loss = energy * uniform(random);
    const EnergyEllipsoid ellipsoid = EllipsoidOfLoss(contact, loss);
    EXPECT_LT(VelocityAfter(contact, ellipsoid.centre).norm(), 1e-11);
    for (const double radius : {0.999, 1.0, 1.001}) {
      const Vector3d P =
          ellipsoid.centre +
          ellipsoid.axes * (radius * RandomDirection(random)).cwiseProduct(ellipsoid.semi_axes);
      const double change = EnergyChange(contact, P);
      if (radius == 1.0) {
        EXPECT_NEAR(change, -loss, 1e-10 * energy);
      } else {
        EXPECT_EQ(Holds(ellipsoid, P), change <= -loss);
      }
    }
  }
}

TEST(EnergyEllipsoid, PassesThroughNoImpulseAndShrinksToAPoint) {
  const Contact<double> contact = PlanarContactOf(1.0, 0.45, 0.5, -1.0, -0.3, 0.0);
  EXPECT_TRUE(Holds(EllipsoidOfLoss(contact), Vector3d::Zero()));
  EXPECT_FALSE(Holds(EllipsoidOfLoss(contact), 1e-6 * contact.velocity));
  const double energy = LocalEnergy(contact, contact.velocity);
  EXPECT_NEAR(energy, 0.5 * (1.0 + 2 * 0.45 * 0.3 + 0.5 * 0.09), 1e-15);
  EXPECT_LT(EllipsoidOfLoss(contact, energy).semi_axes.norm(), 1e-7);
  EXPECT_THROW(EllipsoidOfLoss(contact, 1.01 * energy), std::invalid_argument);
}

// Normality: the ellipsoid through P has the normal u', so it lies on one side of its tangent
// plane; the change of energy grows at the rate u' . dP.
TEST(EnergyEllipsoid, HasTheVelocityAfterAsItsNormal) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 2.0);
    const Vector3d P = RandomDirection(random);
    const Vector3d step = 1e-4 * RandomDirection(random);
    const double slope = (EnergyChange(contact, P + step) - EnergyChange(contact, P - step)) / 2.0;
    EXPECT_NEAR(slope, VelocityAfter(contact, P).dot(step), 1e-13);
    const Vector3d d = RandomDirection(random);
    EXPECT_EQ(d.dot(contact.velocity) < 0.0, EnergyChange(contact, 1e-9 * d) < 0.0);
    const Vector3d most = MostDissipativeAlong(contact, d);
    EXPECT_NEAR(VelocityAfter(contact, most).dot(d), 0.0, 1e-13);
    EXPECT_LE(EnergyChange(contact, most), EnergyChange(contact, 1.1 * most));
    EXPECT_LE(EnergyChange(contact, most), EnergyChange(contact, 0.9 * most));
  }
}

TEST(ImpulseSpace, HasItsPlanesAndLines) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 2.0);
    const ImpulseLine line = LineOfSticking(contact);
    for (const double x : {0.0, 1.0, 3.0}) {
      const Vector3d P = line.point + x * line.direction;
      EXPECT_LT(VelocityAfter(contact, P).head<2>().norm(), 1e-12 * (1.0 + P.norm()));
      EXPECT_EQ(P[2], x);
    }
    for (const double e : {0.0, 0.4, 1.0}) {
      const ImpulsePlane plane = PlaneOfRestitution(contact, e);
      const Vector3d P = RandomDirection(random);
      EXPECT_NEAR(plane.normal.dot(P) - plane.offset,
                  VelocityAfter(contact, P)[2] + e * contact.velocity[2], 1e-13);
    }
    const NamedImpulses at = NamedImpulsesOf(contact);
    const double energy = LocalEnergy(contact, contact.velocity);
    EXPECT_NEAR(VelocityAfter(contact, at.A)[2], 0.0, 1e-14);
    EXPECT_NEAR(VelocityAfter(contact, at.B)[2], -contact.velocity[2], 1e-14);
    EXPECT_LT((VelocityAfter(contact, at.G) + contact.velocity).norm(), 1e-11);
    EXPECT_NEAR(EnergyChange(contact, at.B), 0.0, 1e-14);
    EXPECT_NEAR(EnergyChange(contact, at.G), 0.0, 1e-11 * energy);
    EXPECT_NEAR(EnergyChange(contact, at.C), -energy, 1e-11 * energy);
    // C lies where the line of sticking meets the plane of maximum compression, and BG is parallel
    // to that plane.
    const ImpulsePlane compression = PlaneOfRestitution(contact, 0.0);
    EXPECT_LT((line.point + at.C[2] * line.direction - at.C).norm(), 1e-11 * at.C.norm());
    EXPECT_NEAR(compression.normal.dot(at.C), compression.offset, 1e-11);
    EXPECT_NEAR(compression.normal.dot(at.G - at.B), 0.0, 1e-11);
  }
}

// AT3, digits as printed: the pendulum whose second mass is without bound (here 1e12).
TEST(ImpulseSpace, HasTheGeometryOfThePendulum) {
  const Contact<double> contact = ChatterjeePendulum(1e12, 0.0);
  const NamedImpulses at = NamedImpulsesOf(contact);
  EXPECT_LT((at.A - FromChatterjee(3.236068, 0.0)).norm(), 1e-6);
  EXPECT_LT((at.B - FromChatterjee(6.472136, 0.0)).norm(), 1e-6);  // D of the figure
  const auto brach = [&](double e) {
    return SolveImpact("brach", contact, std::array{e, 0.5}).impulse;
  };
  const Vector3d plastic = brach(0.0);  // B of the figure
  EXPECT_LT((plastic - FromChatterjee(1.274624, 0.637312)).norm(), 1e-6);
  EXPECT_LT((brach(1.0) - FromChatterjee(2.549248, 1.274624)).norm(), 1e-6);  // E
  // Routh goes from B towards A with the normal impulse of B times 1 + e.
  const Contact<double> large = ChatterjeePendulum(1e9, 0.0);
  for (const double e : {0.0, 0.3, 0.8, 1.0}) {
    const Vector3d P = SolveImpact("wang-mason", large, std::array{0.5, e}).impulse;
    EXPECT_NEAR(P[2], 1.274624 * (1.0 + e), 1e-6);
    const Vector3d along = (at.A - plastic).normalized();
    EXPECT_LT((P - plastic).cross(along).norm(), 1e-6);
  }
}

// AT8: for unlimited friction and r_t = 1, law I starts at the angle atan(2 m22 v_t / (m11 v_n)).
// Its impulse for r_n = 0 is on the energy ellipsoid, in that direction.
TEST(ImpulseSpace, HasTheDirectionOfUnlimitedFriction) {
  const Contact<double> contact = PlanarContactOf(1.0, 0.45, 0.5, -1.0, -0.3, 0.0);
  const double beta = 16.69924423 * std::numbers::pi / 180.0;
  EXPECT_NEAR(std::tan(beta), 2.0 * 0.5 * 0.3, 1e-9);
  const Vector3d printed = FromChatterjee(0.815068493, 0.244520548);
  EXPECT_NEAR(printed[0] / printed[2], std::tan(beta), 1e-8);
  // The law's first branch: e_n = r_n = 0 puts it on the plane of maximum compression.
  const Vector3d brach = SolveImpact("brach", contact, std::array{0.0, std::tan(beta)}).impulse;
  EXPECT_LT((brach - printed).norm(), 1e-8);
}

// Where C has P_n < 0 no impulse that pushes stops all motion.
TEST(ImpulseSpace, MayHaveItsCentreOutOfReach) {
  const Contact<double> contact = PlanarContactOf(1.0, -0.6, 0.5, -0.5, -1.0, 0.0);
  EXPECT_LT(NamedImpulsesOf(contact).C[2], 0.0);
  EXPECT_FALSE(TestAccess(contact, 1e9, NamedImpulsesOf(contact).C).pushes);
}

TEST(TestAccess, TellsWhichConditionFails) {
  Contact<double> contact;
  contact.inverse_mass = Vector3d(3.0, 3.0, 1.0).asDiagonal();
  contact.velocity = {0.6, 0.0, -1.0};
  const auto access = [&](double t, double n) { return TestAccess(contact, 0.3, {t, 0.0, n}); };
  EXPECT_TRUE(access(-0.1, 1.5).All());
  EXPECT_FALSE(access(-0.1, -1.5).pushes);
  EXPECT_FALSE(access(-0.5, 1.5).in_cone);
  EXPECT_TRUE(access(-0.5, 1.5).pushes);
  EXPECT_FALSE(access(-0.1, 0.8).separates);
  EXPECT_TRUE(access(-0.1, 0.8).dissipates);
  EXPECT_FALSE(access(-0.1, 2.2).dissipates);
  EXPECT_TRUE(access(-0.1, 2.2).separates);
  // On the border each condition holds within its tolerance, and not without it.
  EXPECT_TRUE(access(-0.3 * 1.5, 1.5).in_cone);
  EXPECT_TRUE(access(0.0, 2.0).dissipates);
  EXPECT_TRUE(access(0.0, 1.0).separates);
  EXPECT_FALSE(access(0.0, 1.0 - 1e-9).separates);
  EXPECT_TRUE(TestAccess(contact, 0.3, {0.0, 0.0, 1.0 - 1e-9}, 1e-8).separates);
}

TEST(AccessibleImpulse, CoversTheRegionFromInsideToItsBoundary) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 5000; ++i) {
    Contact<double> contact = reference::RandomContact(random, 3.0);
    if (i % 4 == 0) contact.velocity[2] *= 0.01;
    const double mu = 0.01 + 1.5 * uniform(random);
    const Vector3d d = RandomDirection(random);
    const StarPoint edge = AccessibleImpulse(contact, mu, d, 1.0);
    ASSERT_TRUE(std::isfinite(edge.reach));
    ASSERT_GT(edge.reach, 0.0);
    ASSERT_TRUE(TestAccess(contact, mu, edge.impulse, 1e-9).All()) << i;
    ASSERT_TRUE(
        TestAccess(contact, mu, AccessibleImpulse(contact, mu, d, uniform(random)).impulse, 1e-9)
            .All());
    ASSERT_FALSE(
        TestAccess(contact, mu, AccessibleImpulse(contact, mu, d, 1.0 + 1e-6).impulse, 0.0).All())
        << i;
  }
}

// The mean of reach^3 over all directions is the volume. With unlimited friction and a blow along n
// without coupling the region is half the energy ellipsoid, above maximum compression.
TEST(AccessibleImpulse, MeasuresTheRegion) {
  Contact<double> contact;
  contact.inverse_mass = Vector3d(3.0, 2.0, 1.0).asDiagonal();
  contact.velocity = {0.0, 0.0, -1.0};
  std::mt19937 random(7);
  double sum = 0.0, squares = 0.0;
  constexpr int kSamples = 20000;
  for (int i = 0; i < kSamples; ++i) {
    const double reach = AccessibleImpulse(contact, 1e6, RandomDirection(random), 1.0).reach;
    sum += std::pow(reach, 3);
    squares += std::pow(reach, 6);
  }
  const double mean = sum / kSamples;
  const double sigma = std::sqrt((squares / kSamples - mean * mean) / kSamples);
  const Vector3d semi_axes = EllipsoidOfLoss(contact).semi_axes;
  const double volume = 2.0 / 3.0 * std::numbers::pi * semi_axes.prod();
  EXPECT_NEAR(4.0 / 3.0 * std::numbers::pi * mean / volume, 1.0, 4.0 * sigma / mean);
}

// The region is convex.
TEST(AccessibleImpulse, StaysAccessibleInBetween) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 2000; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 2.0);
    const double mu = 0.05 + uniform(random);
    const Vector3d P = AccessibleImpulse(contact, mu, RandomDirection(random), 1.0).impulse;
    const Vector3d Q = AccessibleImpulse(contact, mu, RandomDirection(random), 1.0).impulse;
    EXPECT_TRUE(TestAccess(contact, mu, P + uniform(random) * (Q - P), 1e-9).All());
  }
}

// digest 3.31: where tangential and normal motion do not couple, every law with Newton's, Poisson's
// or Stronge's e stays in the strip -u_n / A_nn <= P_n <= -2 u_n / A_nn, a sliver of the region
// near grazing; Drumwright and Shell's leaves it.
TEST(ImpulseSpace, ConfinesTheLawsToAStripWithoutCoupling) {
  Contact<double> contact;
  contact.inverse_mass = Vector3d(3.0, 3.0, 1.0).asDiagonal();
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 300; ++i) {
    contact.velocity = {1.0, 0.0, -uniform(random) - 1e-3};
    const std::array parameters = {uniform(random), uniform(random)};
    for (const char* law : {"newton", "poisson", "stronge", "wang-mason", "anitescu-potra-newton",
                            "anitescu-potra-poisson", "mirtich"}) {
      const double p = SolveImpact(law, contact, parameters).impulse[2];
      EXPECT_GE(p, -contact.velocity[2] * (1.0 - 1e-12)) << law;
      EXPECT_LE(p, -2.0 * contact.velocity[2] * (1.0 + 1e-12)) << law;
    }
  }
  contact.velocity = {1.0, 0.0, -0.01};
  EXPECT_GT(SolveImpact("drumwright-shell", contact, std::array{0.1, 0.0}).impulse[2], 0.05);
}

// digest 3.31: Routh's outcomes for 0 <= e <= 1 are one and the same path between p_C and 2 p_C;
// Kane and Levinson's follow the cone while slipping and the line of sticking while sticking.
TEST(ImpulseSpace, HoldsTheCurvesOfTheOneParameterLaws) {
  const double mu = 0.5;
  const Contact<double> contact = ChatterjeePendulum(20.0, 0.0);
  const ImpulseLine line = LineOfSticking(contact);
  for (double e = 0.0; e <= 1.0; e += 0.05) {
    const auto routh = SolveImpact("wang-mason", contact, std::array{mu, e});
    const double p = routh.impulse[2];
    const auto longer = SolveImpact("wang-mason", contact, std::array{mu, 1.0});
    EXPECT_NEAR(p, (1.0 + e) * 0.5 * longer.impulse[2], 1e-13);
    const auto kane = SolveImpact("anitescu-potra-newton", contact, std::array{mu, e});
    for (const auto& result : {routh, kane}) {
      const Vector3d& P = result.impulse;
      if (result.modes.back() == ContactMode::kStick) {
        EXPECT_LT((line.point + P[2] * line.direction - P).norm(), 1e-13);
      } else {
        EXPECT_NEAR(FrictionConeExcess(P, mu), 0.0, 1e-14);
      }
    }
    EXPECT_TRUE(TestAccess(contact, mu, routh.impulse).All());
  }
  // At e = 0.8 the latter leaves the energy ellipsoid (Table 7.1), and nothing else.
  const Vector3d gain = SolveImpact("anitescu-potra-newton", contact, std::array{mu, 0.8}).impulse;
  const Accessibility access = TestAccess(contact, mu, gain);
  EXPECT_FALSE(access.dissipates);
  EXPECT_TRUE(access.pushes && access.in_cone && access.separates);
}

}  // namespace
}  // namespace percuss::solver
