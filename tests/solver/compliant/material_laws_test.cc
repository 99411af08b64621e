// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/compliant/material_laws.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "solver/impact_history.h"
#include "solver/restitution/restitution_curves.h"
#include "solver/solve_impact.h"
#include "tests/solver/compliant/central_layer.h"
#include "tests/solver/law/random_impacts.h"

namespace percuss::solver {
namespace {

using Eigen::Vector3d;

/// A ball that slides throughout.
Contact<double> Ball(double mass, double speed) {
  Contact<double> contact;
  contact.inverse_mass = Vector3d(3.5, 3.5, 1.0).asDiagonal();
  contact.inverse_mass /= mass;
  contact.velocity = Vector3d(10.0, 0.0, -1.0) * speed;
  return contact;
}

// Digest of natsiavas 5.3 A4 and 8: k = 10 N/m, b = 1 m, A = k b / c = 2, mass 1. Friction is worth
// mu R at every speed, e is the same with the printed scaling and falls with a dashpot of the
// material. R of both is that of the closed form; the digest prints that of the first.
TEST(BoundaryLayerMaterial, FrictionSeemsToGrowWithSpeed) {
  struct Row {
    double speed, factor, falling_e;
  };
  constexpr double kMu = 0.1;
  for (const auto& [speed, factor, falling_e] :
       {Row{0.25, 1.00157, 0.92303}, Row{0.5, 1.00631, 0.85685}, Row{1.0, 1.02554, 0.74843},
        Row{2.0, 1.10698, 0.59362}, Row{4.0, 1.51918, 0.41072}}) {
    const Contact<double> ball = Ball(1.0, speed);
    const auto result =
        SolveImpact("boundary-layer-material", ball, std::array{kMu, 10.0, 1.0, 0.5});
    EXPECT_NEAR(result.impulse.head<2>().norm() / (kMu * result.impulse[2]), factor, 6e-6);
    EXPECT_NEAR(result.contact_velocity[2] / speed, 0.74843, 6e-6);
    const auto falling =
        SolveImpact("boundary-layer-material", ball, std::array{kMu, 10.0, 1.0, 0.5, 1.0});
    EXPECT_NEAR(falling.contact_velocity[2] / speed, falling_e, 6e-6);
    const auto closed = closed_form::SolveCentralLayer(10.0 / (speed * speed), 0.5 * speed);
    EXPECT_NEAR(falling.impulse.head<2>().norm() / (kMu * falling.impulse[2]),
                closed.impulse_factor, 1e-9);
  }
}

TEST(BoundaryLayerMaterial, IsTheLayerOfItsKappa) {
  RandomImpacts random(3);
  for (int i = 0; i < 20; ++i) {
    const Contact<double> contact = random.Next(Motion::kSpatial);
    const double kappa =
        5.0 * contact.inverse_mass(2, 2) / (contact.velocity[2] * contact.velocity[2]);
    if (kappa < 0.1 || kappa > 1e4) continue;
    const Vector3d expected =
        SolveImpact("boundary-layer", contact, std::array{0.4, kappa, 0.3}).impulse;
    const Vector3d impulse =
        SolveImpact("boundary-layer-material", contact, std::array{0.4, 5e4, 0.01, 0.3}).impulse;
    EXPECT_LT((impulse - expected).norm(), 1e-9 * expected.norm()) << i;
  }
}

// Two layers of one k b^2 give one impulse; the duration (1 + e) u / (A_nn k b) tells them apart.
TEST(BoundaryLayerMaterial, OnlyTheDurationTellsStiffnessFromWidth) {
  const Contact<double> ball = Ball(0.05, 2.0);
  const std::array thin = {0.2, 2e6, 1e-3, 0.4}, wide = {0.2, 5e5, 2e-3, 0.4};
  const auto of_thin = SolveImpact("boundary-layer-material", ball, thin);
  const auto of_wide = SolveImpact("boundary-layer-material", ball, wide);
  EXPECT_LT((of_thin.impulse - of_wide.impulse).norm(), 1e-12 * of_thin.impulse.norm());
  const double e = RestitutionOfNonlinearDashpot(0.4);
  for (const auto& parameters : {thin, wide}) {
    // the stiffness that is asked for gives way to the law's own
    const auto peaks = PeaksOf(FollowContact("boundary-layer-material", ball, parameters, 1.0));
    const double expected = (1.0 + e) * 2.0 / (20.0 * parameters[1] * parameters[2]);
    EXPECT_NEAR(peaks.duration, expected, 1e-9 * expected);
    EXPECT_LT(peaks.compression, parameters[2]);
  }
}

// Beyond the bounds of `boundary-layer` its bounds count: a rigid surface, or the softest layer.
TEST(BoundaryLayerMaterial, StaysWithinTheBoundsOfTheLayer) {
  const auto impulse = [](double k) {
    return SolveImpact("boundary-layer-material", Ball(1.0, 1.0), std::array{0.2, k, 1e-3, 0.0})
        .impulse;
  };
  EXPECT_EQ(impulse(1e11), impulse(1e12));
  EXPECT_NEAR(impulse(1e12).head<2>().norm() / impulse(1e12)[2], 0.2 * (1.0 + 1.0 / 3e4), 1e-6);
  EXPECT_EQ(impulse(1.0), impulse(1e3));
}

TEST(KelvinVoigt, RestitutionDependsOnMassAndNotOnSpeed) {
  constexpr double kStiffness = 4e5, kDashpot = 60.0;
  for (const double mass : {0.02, 0.1, 2.0}) {
    const double zeta = 0.5 * kDashpot / std::sqrt(kStiffness * mass);
    for (const double speed : {0.3, 3.0}) {
      const auto result =
          SolveImpact("kelvin-voigt", Ball(mass, speed), std::array{0.1, kStiffness, kDashpot});
      EXPECT_NEAR(result.contact_velocity[2] / speed, RestitutionOfLinearDashpot(zeta), 1e-9);
    }
  }
}

// Four times the spring and twice the dashpot: the same impulse in half the time.
TEST(KelvinVoigt, OnlyTheDurationTellsSpringFromDashpot) {
  const Contact<double> ball = Ball(0.1, 1.0);
  const std::array soft = {0.1, 1e5, 30.0}, stiff = {0.1, 4e5, 60.0};
  const auto of_soft = PeaksOf(FollowContact("kelvin-voigt", ball, soft, 1.0));
  const auto of_stiff = PeaksOf(FollowContact("kelvin-voigt", ball, stiff, 1.0));
  EXPECT_NEAR(of_soft.duration, 2.0 * of_stiff.duration, 1e-9 * of_soft.duration);
  const Vector3d impulse = SolveImpact("kelvin-voigt", ball, soft).impulse;
  EXPECT_LT((impulse - SolveImpact("kelvin-voigt", ball, stiff).impulse).norm(),
            1e-12 * impulse.norm());
}

}  // namespace
}  // namespace percuss::solver
