// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Algebraic laws against laws of nature, and against their own defining conditions, on random
// contacts (chatterjee1997 digest 5, AT12).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "solver/law/impact_law.h"
#include "solver/restitution/restitution_coefficients.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/law_jets.h"
#include "tests/solver/law/random_impacts.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr std::array kSpatial = {"chatterjee-1", "chatterjee-2",        "chatterjee-3",
                                 "smith",        "chatterjee-combined", "kane-levinson"};

void ExpectLawsOfNature(const char* name, Motion motion) {
  SCOPED_TRACE(name);
  const LawInfo& law = FindLaw(name);
  RandomImpacts random(42);
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    const Contact<double> contact = random.Next(motion);
    const std::vector<double> parameters = random.Parameters(law);
    const ImpactResult<double> result = SolveImpact(name, contact, parameters);
    const Vector3d& p = result.impulse;
    const Vector3d& u_end = result.contact_velocity;
    const double scale = contact.velocity.norm() + contact.inverse_mass.norm() * p.norm();
    ASSERT_GT(p[2], 0.0);
    ASSERT_LE(p.head<2>().norm() - parameters[0] * p[2], 1e-12 * p.norm());
    ASSERT_GE(u_end[2], -1e-12 * scale);
    ASSERT_LT((u_end - contact.velocity - contact.inverse_mass * p).norm(), 1e-13 * scale);
    const double before = Energy(contact, contact.velocity);
    // Of the exact energy balance; differences of energies would lose digits.
    const double change = 0.5 * p.dot(contact.velocity + u_end);
    if (law.dissipative) {
      ASSERT_LE(change, 1e-12 * before);
    }
    ASSERT_NEAR(result.energy.normal_work + result.energy.friction_work, change, 1e-12 * before);
    if (motion != Motion::kSpatial) {
      ASSERT_LE(std::abs(p[1]), 1e-14 * p.norm());
    }
  }
}

TEST(AlgebraicLawProperties, KeepTheLawsOfNatureInSpace) {
  for (const char* law : kSpatial) ExpectLawsOfNature(law, Motion::kSpatial);
}

TEST(AlgebraicLawProperties, KeepTheLawsOfNatureInThePlane) {
  for (const char* law : kSpatial) ExpectLawsOfNature(law, Motion::kPlanar);
  ExpectLawsOfNature("pfeiffer-glocker", Motion::kPlanar);
  ExpectLawsOfNature("bilinear", Motion::kUncoupled);
}

// u_n' = -e u_n where that is part of the law, and its bounds where it is not.
TEST(AlgebraicLawProperties, KeepTheirNormalRestitution) {
  RandomImpacts random(5);
  double largest_of_first = 0.0;
  for (int i = 0; i < 5000; ++i) {
    const Contact<double> contact = random.Next(i % 2 == 0 ? Motion::kSpatial : Motion::kPlanar);
    for (const char* name :
         {"chatterjee-1", "chatterjee-2", "chatterjee-3", "smith", "kane-levinson"}) {
      const std::vector<double> parameters = random.Parameters(FindLaw(name));
      const ImpactResult<double> result = SolveImpact(name, contact, parameters);
      const double e_n = NewtonRestitution(contact.velocity, result.contact_velocity);
      const double rounding =
          1e-13 * contact.inverse_mass.norm() * result.impulse.norm() / -contact.velocity[2];
      if (name == std::string("chatterjee-1")) {
        largest_of_first = std::max(largest_of_first, e_n);
      } else if (name == std::string("chatterjee-3")) {
        EXPECT_LE(e_n, parameters[1] + rounding);
      } else {
        EXPECT_NEAR(e_n, parameters[1], rounding) << name;
      }
    }
  }
  EXPECT_GT(largest_of_first, 1.0);  // law I, near grazing
}

// Every law is Newton's restitution without friction.
TEST(AlgebraicLawProperties, AreNewtonRestitutionWithoutFriction) {
  RandomImpacts random(8);
  for (int i = 0; i < 1000; ++i) {
    for (const char* name : kSpatial) {
      const Contact<double> contact = random.Next(Motion::kSpatial);
      std::vector<double> parameters = random.Parameters(FindLaw(name));
      parameters[0] = 0.0;
      const Vector3d impulse = SolveImpact(name, contact, parameters).impulse;
      const Vector3d newton(
          0, 0, -(1.0 + parameters[1]) * contact.velocity[2] / contact.inverse_mass(2, 2));
      // Law III keeps a bound on energy even so, and may end below e.
      if (name == std::string("chatterjee-3") || name == std::string("chatterjee-combined")) {
        EXPECT_EQ(impulse.head<2>().norm(), 0.0);
        EXPECT_LE(impulse[2], newton[2] * (1.0 + 1e-12));
      } else {
        EXPECT_LT((impulse - newton).norm(), 1e-12 * newton.norm()) << name;
      }
    }
  }
}

// Twice the velocity gives twice the impulse; so does half the inverse mass, at the same velocity.
// Units (tens of orders of magnitude) do not matter.
TEST(AlgebraicLawProperties, AreHomogeneous) {
  RandomImpacts random(9);
  const auto expect = [&](const char* name, Motion motion) {
    for (int i = 0; i < 300; ++i) {
      const Contact<double> contact = random.Next(motion);
      const std::vector<double> parameters = random.Parameters(FindLaw(name));
      const ImpactResult<double> result = SolveImpact(name, contact, parameters);
      if (std::isnan(result.impulse[2])) continue;
      for (const double factor : {2.0, 1e-12, 1e12}) {
        Contact<double> faster = contact, heavier = contact;
        faster.velocity *= factor;
        heavier.inverse_mass /= factor;
        const double tolerance = 1e-11 * factor * result.impulse.norm();
        EXPECT_LT((SolveImpact(name, faster, parameters).impulse - factor * result.impulse).norm(),
                  tolerance)
            << name << i;
        EXPECT_LT((SolveImpact(name, heavier, parameters).impulse - factor * result.impulse).norm(),
                  tolerance)
            << name << i;
      }
    }
  };
  for (const char* name : kSpatial) expect(name, Motion::kSpatial);
  for (const char* name : {"brach", "brach-3d", "ivanov", "ivanov-3d"}) {
    expect(name, Motion::kSpatial);
  }
  expect("pfeiffer-glocker", Motion::kPlanar);
  expect("bilinear", Motion::kUncoupled);
}

// The choice of the tangents does not matter, with slip and without it.
TEST(AlgebraicLawProperties, TurnWithTheTangents) {
  RandomImpacts random(10);
  const auto expect = [&](const char* name, Motion motion) {
    for (int i = 0; i < 400; ++i) {
      Contact<double> contact = random.Next(motion);
      if (i % 4 == 0) contact.velocity.head<2>().setZero();
      const std::vector<double> parameters = random.Parameters(FindLaw(name));
      const Matrix3d turn =
          Eigen::AngleAxisd(random.Uniform(0.0, 6.3), Vector3d::UnitZ()).toRotationMatrix();
      Contact<double> turned;
      turned.inverse_mass = turn * contact.inverse_mass * turn.transpose();
      turned.inverse_mass = (0.5 * (turned.inverse_mass + turned.inverse_mass.transpose())).eval();
      turned.velocity = turn * contact.velocity;
      const ImpactResult<double> a = SolveImpact(name, contact, parameters);
      const ImpactResult<double> b = SolveImpact(name, turned, parameters);
      if (std::isnan(a.impulse[2])) {
        EXPECT_TRUE(std::isnan(b.impulse[2]));
        continue;
      }
      EXPECT_LT((b.impulse - turn * a.impulse).norm(), 1e-10 * a.impulse.norm()) << name << i;
      EXPECT_EQ(a.modes, b.modes);
    }
  };
  for (const char* name : kSpatial) expect(name, Motion::kSpatial);
  for (const char* name : {"brach", "brach-3d", "ivanov", "ivanov-3d"}) {
    expect(name, Motion::kSpatial);
  }
  expect("pfeiffer-glocker", Motion::kPlanar);
  expect("bilinear", Motion::kUncoupled);
}

// Law I has no impulse across the slip; Smith's is against a mean of the slips: both lie between
// the slips before and after, P_t = -(a u_t + b u_t') with a, b >= 0.
TEST(AlgebraicLawProperties, MeetTheSpanConditionWhereTheyMust) {
  RandomImpacts random(14);
  for (int i = 0; i < 5000; ++i) {
    const Contact<double> contact = random.Next(Motion::kSpatial);
    for (const char* name : {"chatterjee-1", "smith"}) {
      const ImpactResult<double> result =
          SolveImpact(name, contact, random.Parameters(FindLaw(name)));
      Eigen::Matrix2d slips;
      slips << contact.velocity.head<2>(), result.contact_velocity.head<2>();
      if (std::abs(slips.determinant()) < 1e-6 * slips.squaredNorm()) continue;
      const Vector2d weights = -slips.inverse() * result.impulse.head<2>();
      const double rounding = 1e-9 * weights.norm();
      EXPECT_GE(weights.minCoeff(), -rounding) << name << i;
      if (name == std::string("chatterjee-1")) {
        EXPECT_LE(std::abs(weights[1]), rounding);
      }
    }
  }
}

TEST(AlgebraicLaws, AreNotANumberForArgumentsThatAreNot) {
  const Contact<double> good = RandomImpacts(1).Next(Motion::kUncoupled);
  const auto expect_nan = [](const char* name, const Contact<double>& contact,
                             const std::vector<double>& parameters) {
    const ImpactResult<double> result =
        SolveByName(name, contact, std::span<const double>(parameters));
    EXPECT_TRUE(result.impulse.array().isNaN().all()) << name;
  };
  for (const LawInfo& law : Laws()) {
    if (law.source.find("chatterjee1997") == std::string_view::npos) continue;
    const std::string name(law.name);
    if (name == "newton" || name == "poisson" || name == "stronge") continue;
    const std::vector<double> parameters = RandomImpacts(2).Parameters(law);
    for (const double bad : std::array<double, 2>{NAN, INFINITY}) {
      Contact<double> contact = good;
      contact.velocity[0] = bad;
      expect_nan(name.c_str(), contact, parameters);
      contact = good;
      contact.inverse_mass(1, 2) = bad;
      expect_nan(name.c_str(), contact, parameters);
      std::vector<double> moved = parameters;
      moved[0] = bad;
      expect_nan(name.c_str(), good, moved);
    }
  }
}

TEST(CombinedChatterjee, DividesSharesAboveOneByTheirSum) {
  RandomImpacts random(5);
  for (int i = 0; i < 20; ++i) {
    const Contact<double> contact = random.Next(Motion::kSpatial);
    const auto solve = [&](double s_1, double s_2) {
      return SolveImpact("chatterjee-combined", contact, std::array{0.3, 0.5, 0.2, s_1, s_2})
          .impulse;
    };
    EXPECT_LT((solve(0.9, 0.3) - solve(0.75, 0.25)).norm(), 1e-14 * solve(0.75, 0.25).norm());
  }
}

}  // namespace
}  // namespace percuss::solver
