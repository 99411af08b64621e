// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Laws of nature and derivatives of the stage algebra of sun2017.

#include "solver/rigid/sun_laws.h"

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "solver/law_registry.h"
#include "solver/rigid/sliding_friction.h"
#include "solver/solve_impact.h"
#include "tests/solver/rigid/dimensionless_impact.h"
#include "tests/solver/rigid/stage_setups.h"

namespace percuss::solver {
namespace {

using Eigen::Vector3d;

// What is promised: pushing impulses in both stages, the energy identity, the frictionless limit,
// no dependence on the tangents in the plane. Energy and the cone are not promised by all.
TEST(SunLaws, KeepTheLawsTheyPromise) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 5000; ++i) {
    const bool planar = i % 2 == 0;
    const Contact<double> contact =
        planar ? RandomPlanarContact(random) : reference::RandomContact(random, 1.5);
    const double mu = i % 7 == 0 ? 0.0 : 1.5 * uniform(random);
    const double e = uniform(random);
    for (const char* name : {"sun-planar", "sun-planar-work", "sun-spatial"}) {
      const LawInfo& law = FindLaw(name);
      if (law.domain == LawDomain::kPlanar && !planar) continue;
      const std::array parameters = {mu, e};
      const ImpactResult<double> result = SolveImpact(name, contact, parameters);
      ASSERT_TRUE(result.impulse.allFinite());
      EXPECT_GE(result.compression_impulse, 0.0);
      EXPECT_GE(result.restitution_impulse, 0.0);
      EXPECT_NEAR(result.compression_impulse + result.restitution_impulse, result.impulse[2],
                  1e-12 * result.impulse[2]);
      EXPECT_LT((contact.inverse_mass * result.impulse + contact.velocity - result.contact_velocity)
                    .norm(),
                1e-12);
      EXPECT_NEAR(result.energy.normal_work + result.energy.friction_work,
                  0.5 * result.impulse.dot(contact.velocity + result.contact_velocity), 1e-11);
      EXPECT_FALSE(result.sun_case.empty());
      EXPECT_FALSE(result.modes.empty());
      if (law.coulomb) {
        EXPECT_LE(result.impulse.head<2>().norm(), mu * result.impulse[2] * (1.0 + 1e-9));
        EXPECT_GE(result.contact_velocity[2], -1e-12);
        EXPECT_LE(result.energy.friction_work, 1e-12);
      }
      if (mu == 0.0 && std::string_view(name) != "sun-planar-work") {
        EXPECT_NEAR(result.impulse[2],
                    -(1.0 + e) * contact.velocity[2] / contact.inverse_mass(2, 2),
                    1e-12 * result.impulse[2]);
      }
      if (law.domain == LawDomain::kPlanar) {
        const Contact<double> turned = Turned(contact, 0.7);
        const ImpactResult<double> again = SolveImpact(name, turned, parameters);
        EXPECT_LT(
            (again.impulse - Turned({contact.inverse_mass, result.impulse}, 0.7).velocity).norm(),
            1e-10 * result.impulse.norm());
        EXPECT_EQ(again.sun_case, result.sun_case);
      }
    }
  }
}

TEST(SunLaws, AnswerNanToArgumentsThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Contact<double> contact = ContactOf({.gamma = 2.5, .p = 0.3});
  contact.velocity[0] = nan;
  const std::array parameters = {0.3, 0.5};
  const std::span<const double> view(parameters);
  EXPECT_TRUE(std::isnan(SunPlanarLaw().Solve(contact, view).impulse[2]));
  EXPECT_TRUE(std::isnan(SunSpatialLaw().Solve(contact, view).impulse[2]));
  contact.velocity[0] = 0.3;
  contact.inverse_mass(2, 2) = nan;
  EXPECT_TRUE(std::isnan(SunPlanarLaw().Solve(contact, view).impulse[2]));
  EXPECT_TRUE(std::isnan(SunSpatialLaw().Solve(contact, view).impulse[2]));
}

// SunJet derivatives against central differences of fourth order, away from borders of cases and
// from jumps within one.
constexpr int kInputs = 11;  // u (3), lower triangle of A (6), mu, e
using SunJet = ceres::Jet<double, kInputs>;

template <typename T>
struct Solved {
  Eigen::Matrix<T, 5, 1> outputs;
  std::string_view sun_case;
};

template <typename T, class Law>
Solved<T> SolveInputs(const Law& law, const std::array<T, kInputs>& x) {
  Contact<T> contact;
  std::size_t k = 0;
  for (int i = 0; i < 3; ++i) contact.velocity[i] = x[k++];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      contact.inverse_mass(i, j) = contact.inverse_mass(j, i) = x[k++];
    }
  }
  const ImpactResult<T> result = law(contact, x[9], x[10]);
  Solved<T> solved{.outputs = {}, .sun_case = result.sun_case};
  solved.outputs << result.impulse, result.compression_impulse, result.energy.normal_work;
  return solved;
}

// Largest error relative to the largest derivative of that output; -1 on a border.
template <class Law>
double WorstError(const Law& law, const std::array<double, kInputs>& x,
                  const std::vector<int>& inputs) {
  std::array<SunJet, kInputs> jets;
  for (int k = 0; k < kInputs; ++k) jets[k] = SunJet(x[k], k);
  const Solved<SunJet> exact = SolveInputs<SunJet>(law, jets);
  double worst = 0.0;
  for (const int k : inputs) {
    double best = std::numeric_limits<double>::infinity();
    for (const double h : {1e-3, 2e-4, 4e-5, 1e-5, 3e-6}) {
      bool border = false;
      const auto at = [&](double steps) {
        std::array<double, kInputs> moved = x;
        moved[k] += steps * h;
        const Solved<double> solved = SolveInputs<double>(law, moved);
        border = border || solved.sun_case != exact.sun_case;
        return solved.outputs;
      };
      const Eigen::Matrix<double, 5, 1> difference =
          (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * h);
      const bool jumps = (at(1) - 2.0 * at(0) + at(-1)).norm() > 0.5 * (at(1) - at(-1)).norm() + h;
      border = border || jumps;
      if (border) return -1.0;
      double error = 0.0;
      for (int m = 0; m < 5; ++m) {
        const double scale = exact.outputs[m].v.cwiseAbs().maxCoeff() + 1e-12;
        error = std::max(error, std::abs(difference[m] - exact.outputs[m].v[k]) / scale);
      }
      best = std::min(best, error);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

template <class Law>
void ExpectDerivatives(const Law& law, bool planar, std::size_t cases) {
  const std::vector<int> inputs =
      planar ? std::vector{0, 2, 3, 6, 8, 9, 10} : std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::mt19937 random(19);
  std::uniform_real_distribution<double> uniform;
  std::map<std::string_view, int> tested;
  for (int i = 0; i < 400; ++i) {
    const Contact<double> contact =
        planar ? RandomPlanarContact(random) : reference::RandomContact(random, 1.5);
    const Eigen::Matrix3d& a = contact.inverse_mass;
    const Vector3d& u = contact.velocity;
    const std::array<double, kInputs> x = {u[0],
                                           u[1],
                                           u[2],
                                           a(0, 0),
                                           a(1, 0),
                                           a(1, 1),
                                           a(2, 0),
                                           a(2, 1),
                                           a(2, 2),
                                           0.02 + uniform(random),
                                           0.05 + 0.9 * uniform(random)};
    const double error = WorstError(law, x, inputs);
    if (error < 0.0) continue;
    ++tested[SolveInputs<double>(law, x).sun_case];
    EXPECT_LT(error, 1e-6) << i << " case " << SolveInputs<double>(law, x).sun_case;
  }
  EXPECT_GE(tested.size(), cases);
}

TEST(SunLaws, DerivativesMatchDifferencesInThePlane) {
  for (const auto restitution :
       {StageRestitution::kNewton, StageRestitution::kImpulse, StageRestitution::kFullMassWork,
        StageRestitution::kEndVelocityWork}) {
    const auto law = [&](const auto& contact, const auto& mu, const auto& e) {
      return SolveStagesInPlane(contact, mu, Value(mu), e, restitution);
    };
    ExpectDerivatives(law, true, 5);
  }
}

TEST(SunLaws, DerivativesMatchDifferencesInSpace) {
  for (const auto restitution :
       {StageRestitution::kNewton, StageRestitution::kImpulse, StageRestitution::kFullMassWork,
        StageRestitution::kEndVelocityWork}) {
    const auto law = [&](const auto& contact, const auto& mu, const auto& e) {
      return SolveStagesInSpace(contact, mu, Value(mu), e, restitution);
    };
    ExpectDerivatives(law, false, 9);
  }
}

// From rest, where slip resumes in a direction that depends on A: case 6.
TEST(SunLaws, DerivativesMatchDifferencesWhereSlipStartsFromRest) {
  const auto law = [](const auto& contact, const auto& mu, const auto& e) {
    return SolveStagesInSpace(contact, mu, Value(mu), e, StageRestitution::kImpulse);
  };
  std::mt19937 random(23);
  int tested = 0;
  for (int i = 0; i < 200; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 2.0);
    const Eigen::Matrix3d& a = contact.inverse_mass;
    const std::array<double, kInputs> x = {
        0.0, 0.0, contact.velocity[2], a(0, 0), a(1, 0), a(1, 1), a(2, 0), a(2, 1), a(2, 2),
        0.1, 0.6};
    if (SolveInputs<double>(law, x).sun_case != "6") continue;
    const double error = WorstError(law, x, {2, 3, 4, 5, 6, 7, 8, 9, 10});
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << i;
  }
  EXPECT_GE(tested, 50);
}

}  // namespace
}  // namespace percuss::solver
