// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/compliant/annular_contact.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "solver/impact_history.h"
#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

constexpr double kMu = 0.3, kRatio = 0.8, kWidth = 1e-3;  // a thousand annuli

/// A contact of d = 1, so of radius 1 and the normal force 1, without tangential force.
AnnularContact<double> Pressed() {
  AnnularContact<double> contact(kMu, kRatio, kWidth);
  contact.Move(0.0, 1.0, Eigen::Vector2d::Zero());
  return contact;
}

/// F_t at d = 1.
Eigen::Vector2d ForceAtRest(AnnularContact<double> contact) {
  return contact.Try(1.0, 1.0, Eigen::Vector2d::Zero()).tangential;
}

/// Displacement at which all of that contact slips.
constexpr double kFullSlip = kMu / kRatio;

// Of T/(mu N) under a constant normal force, by the displacement over kFullSlip.
double Cattaneo(double displacement) { return 1.0 - std::pow(1.0 - displacement, 1.5); }

// T/(mu N) = 1 - (1 - delta/delta_max)^(3/2), c/a = (1 - T/(mu N))^(1/3) (Cattaneo 1938, Mindlin
// 1949), and in full slip mu N.
TEST(AnnularContact, IsThatOfCattaneoAndMindlin) {
  AnnularContact<double> contact = Pressed();
  constexpr int kSteps = 20;
  for (int i = 1; i <= kSteps; ++i) {
    contact.Move(1.0, 1.0, {0.0, kFullSlip / kSteps});
    const double expected = Cattaneo(static_cast<double>(i) / kSteps);
    EXPECT_NEAR(ForceAtRest(contact).y() / kMu, expected, 2e-6) << i;
    EXPECT_EQ(ForceAtRest(contact).x(), 0.0);
    if (i < kSteps) {
      EXPECT_NEAR(contact.StickRadius(), std::cbrt(1.0 - expected), kWidth) << i;
    }
  }
  contact.Move(1.0, 1.0, {0.0, kFullSlip});
  EXPECT_NEAR(ForceAtRest(contact).y(), kMu, 2e-6);
  EXPECT_EQ(contact.StickRadius(), 0.0);
}

// Mindlin and Deresiewicz 1953: back from T* the force falls by twice what it rose over half the
// displacement, a loop closes, and takes, with t = T*/(mu N),
//     9 (2 - nu) mu^2 N^2/(10 G a) (1 - (1 - t)^(5/3) - 5/6 t (1 + (1 - t)^(2/3))).
TEST(AnnularContact, LoopsAreThoseOfMindlinAndDeresiewicz) {
  for (const double reach : {0.3, 0.6, 0.9}) {  // of kFullSlip
    AnnularContact<double> contact = Pressed();
    contact.Move(1.0, 1.0, {reach * kFullSlip, 0.0});
    const double top = ForceAtRest(contact).x();
    constexpr int kSteps = 4000;
    const double step = 2.0 * reach * kFullSlip / kSteps;
    double loss = 0.0, force = top;
    for (const double way : {-1.0, 1.0}) {
      const double from = ForceAtRest(contact).x();
      for (int i = 1; i <= kSteps; ++i) {
        contact.Move(1.0, 1.0, {way * step, 0.0});
        const double next = ForceAtRest(contact).x();
        loss += 0.5 * (force + next) * way * step;
        force = next;
        const double gone = i * step / kFullSlip;
        EXPECT_NEAR(force, from + way * 2.0 * kMu * Cattaneo(0.5 * gone), 4e-6) << i;
      }
    }
    EXPECT_NEAR(force, top, 1e-9);
    const double t = top / kMu;
    const double bracket =
        1.0 - std::pow(1.0 - t, 5.0 / 3.0) - 5.0 / 6.0 * t * (1.0 + std::pow(1.0 - t, 2.0 / 3.0));
    // delta_max = 3 (2 - nu) mu N/(16 G a)
    EXPECT_NEAR(loss, 4.8 * kMu * kFullSlip * bracket, 1e-3 * loss) << reach;
  }
}

// Mindlin and Deresiewicz: where T grows with N by less than mu nothing slips.
TEST(AnnularContact, ForcesThatGrowTogetherDoNotSlip) {
  AnnularContact<double> contact(kMu, kRatio, kWidth);
  constexpr double kShare = 0.9;  // of mu
  constexpr int kSteps = 2000;
  for (int i = 0; i < kSteps; ++i) {
    const double from = static_cast<double>(i) / kSteps, to = (i + 1.0) / kSteps;
    contact.Move(from, to, {kShare * kFullSlip * (to - from), 0.0});
  }
  EXPECT_NEAR(ForceAtRest(contact).x(), kShare * kMu, 1e-3);
  EXPECT_GT(contact.StickRadius(), 0.95);
  AnnularContact<double> over(kMu, kRatio, kWidth);
  over.Move(0.0, 1.0, {1.1 * kFullSlip, 0.0});
  EXPECT_EQ(over.StickRadius(), 0.0);
}

/// A solid sphere at the incidence psi = kappa u_t/(mu |u_n|).
Contact<double> Sphere(double psi, double mu, double nu) {
  Contact<double> contact;
  contact.inverse_mass = Eigen::Vector3d(3.5, 3.5, 1.0).asDiagonal();
  contact.velocity = {psi * mu / MindlinStiffnessRatio(nu), 0.0, -1.0};
  return contact;
}

// Maw, Barber and Fawcett 1976: slip at first where psi > 1; slip to the end where psi >= 4 chi -
// 1, chi = (1 - nu)(1 + 1/K^2)/(2 - nu), K^2 = 2/5: the force is then mu times the normal one
// throughout, and psi' = psi - 4 chi.
TEST(MawBarberFawcett, BeginsAndEndsToSlipWhereItsAuthorsSay) {
  constexpr double kPoisson = 0.3;
  const double chi = 0.5 * MindlinStiffnessRatio(kPoisson) * 3.5;
  const auto solve = [&](double psi, double mu) {
    return SolveImpact("maw-barber-fawcett", Sphere(psi, mu, kPoisson), std::array{mu, kPoisson});
  };
  for (const double mu : {0.1, 0.5}) {
    EXPECT_EQ(solve(0.95, mu).modes.front(), ContactMode::kStick);
    EXPECT_EQ(solve(1.05, mu).modes.front(), ContactMode::kSlip);
    const auto slides = solve(4.0 * chi - 0.95, mu);
    EXPECT_EQ(slides.modes, (ModeSequence{ContactMode::kSlip}));
    EXPECT_NEAR(slides.impulse.x(), -mu * slides.impulse.z(), 1e-12);
    EXPECT_NEAR(slides.contact_velocity.x() * MindlinStiffnessRatio(kPoisson) / mu, -0.95, 1e-9);
    const auto held = solve(4.0 * chi - 1.3, mu);
    EXPECT_GT(held.modes.size(), 1u);
    EXPECT_LT(-held.impulse.x(), 0.995 * mu * held.impulse.z());
    EXPECT_NEAR(held.contact_velocity.z(), 1.0, 1e-9);
  }
}

// The steps and annuli of the law against ten times as many.
TEST(MawBarberFawcett, IsGoodToAPartInAThousand) {
  for (const double psi : {0.2, 0.6, 1.0, 2.0, 3.0, 4.0, 4.7}) {
    const Contact<double> contact = Sphere(psi, 0.3, 0.3);
    const auto coarse = SolveImpact("maw-barber-fawcett", contact, std::array{0.3, 0.3});
    const auto fine = IntegrateAnnularContact<double>(contact, 0.3, MindlinStiffnessRatio(0.3),
                                                      {.width = 1.0 / 240.0, .step = 0.002});
    EXPECT_NEAR(coarse.impulse.x(), fine.impulse.x(), 1e-3 * 0.3 * fine.impulse.z()) << psi;
  }
}

// With one spring for the area instead of annuli the rebound is another one.
TEST(MawBarberFawcett, PartialSlipMatters) {
  const Contact<double> contact = Sphere(2.0, 0.3, 0.3);
  const auto annuli = SolveImpact("maw-barber-fawcett", contact, std::array{0.3, 0.3});
  const auto spring = SolveImpact("mindlin-deresiewicz", contact, std::array{0.3, 0.3});
  EXPECT_GT(std::abs(annuli.impulse.x() - spring.impulse.x()), 0.01 * spring.impulse.z());
}

// T = 2.943 d_max/u of Hertz, d_max = (5 m u^2/(4 k))^(2/5).
TEST(MawBarberFawcett, LastsAsLongAsHertzSays) {
  const Contact<double> contact = Sphere(1.0, 0.3, 0.3);
  const auto peaks =
      PeaksOf(FollowContact("maw-barber-fawcett", contact, std::array{0.3, 0.3}, 1e8));
  const double deepest = HertzMaximumCompression(1.0, 1.0, 1e8);
  EXPECT_NEAR(peaks.compression, deepest, 1e-3 * deepest);
  EXPECT_NEAR(peaks.duration, 2.9432 * deepest, 0.01 * peaks.duration);
}

}  // namespace
}  // namespace percuss::solver
