// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: numbers by hand, and exact impacts with drawn errors.

#include "fitting/audit/contact_numbers.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

solver::Body SmallBall() {
  solver::Body body{.shape = solver::Sphere{0.1}, .mass = 0.5};
  body.inertia = solver::UniformInertia(body.shape, body.mass);
  return body;
}

// Slips all along with mu = 0.3: 2 m/s down, 1 m/s up, 1 m/s along x slowed by 0.3 times 3 m/s. The
// ball turns: what the contact point loses of its slip is 7/2 of that.
TEST(ContactNumbers, AreThoseOfASlippingBall) {
  impacts::ImpactTable table;
  impacts::ImpactRecord& impact = table.impacts.emplace_back();
  impact.trial = "slip";
  impact.r = {0, 0, -0.1};
  impact.normal = {0, 0, 1};
  impact.v = {4, 0, -2};
  impact.v_post = {4 - 0.3 * 3, 0, 1};
  impact.w_post = {0, 0.3 * 3 / (0.4 * 0.1), 0};
  impact.covariance = impacts::ImpactCovariance::Zero();
  impact.covariance->diagonal().setConstant(1e-6);
  const auto numbers = CalcContactNumbers(PrepareImpacts(table, SmallBall()));
  ASSERT_EQ(numbers.size(), 1u);
  const ContactNumbers& one = numbers[0];
  EXPECT_EQ(one.trial, "slip");
  EXPECT_NEAR(one.approach.value, 2.0, 1e-12);
  EXPECT_NEAR(one.slip.value, 4.0, 1e-12);
  EXPECT_NEAR(one.incidence_deg.value, std::atan(2.0) * 180.0 / M_PI, 1e-12);
  EXPECT_NEAR(one.e_n.value, 0.5, 1e-12);
  // 4 - 3.5 * 0.9 = 0.85 is left.
  EXPECT_NEAR(one.e_t.value, -0.85 / 4.0, 1e-12);
  EXPECT_NEAR(one.impulse_ratio.value, 0.3, 1e-12);
  // P in proportion to (-0.9, 0, 3): P . u' = -0.9 * 0.85 + 3, P . u = -3.6 - 6.
  EXPECT_NEAR(one.eta.value, (3.0 - 0.765) / 9.6, 1e-12);
  // e_n = 1 / 2 with (0.001 / 2)^2 (1 + e^2) of variance.
  EXPECT_NEAR(one.e_n.sigma, 0.001 / 2.0 * std::sqrt(1.25), 1e-5);
}

TEST(ContactNumbers, SayNothingOfWhatNobodyMeasured) {
  impacts::ImpactTable table;
  impacts::ImpactRecord& impact = table.impacts.emplace_back();
  impact.trial = "before alone";
  impact.r = {0, 0, -0.1};
  impact.normal = {0, 0, 1};
  impact.v = {0.0005, 0, -2};
  impact.v_post = {0, 0, 1};
  impact.covariance = impacts::ImpactCovariance::Zero();
  impact.covariance->diagonal().setConstant(1e-6);
  ContactNumbers one = CalcContactNumbers(PrepareImpacts(table, SmallBall())).at(0);
  EXPECT_TRUE(std::isnan(one.e_t.value));  // 0.5 mm/s of slip are no slip
  EXPECT_FALSE(std::isnan(one.e_n.value));
  impact.covariance->diagonal().tail<6>().setConstant(impacts::kUnmeasuredSigma *
                                                      impacts::kUnmeasuredSigma);
  one = CalcContactNumbers(PrepareImpacts(table, SmallBall())).at(0);
  EXPECT_TRUE(std::isnan(one.e_n.value));
  EXPECT_TRUE(std::isnan(one.eta.value));
  EXPECT_TRUE(std::isnan(one.impulse_ratio.value));
  EXPECT_NEAR(one.approach.value, 2.0, 1e-12);
}

// Drawn errors of states and calibration: 95 % intervals hold the numbers of the exact impact.
TEST(ContactNumbers, SigmasHold) {
  std::mt19937 random(11);
  constexpr int kDraws = 600;
  std::array<int, 5> held{};
  for (int draw = 0; draw < kDraws; ++draw) {
    impacts::ImpactTable exact;
    exact.impacts.push_back(
        ExactImpactInMode(random, "drop", 0.3, 0.5, solver::ContactMode::kSlip));
    impacts::ImpactTable noisy = exact;
    impacts::ImpactRecord& record = noisy.impacts[0];
    record.covariance = TrackerCovariance(random);
    AddError(DrawNormal(random, *record.covariance), record);
    const ContactNumbers truth = CalcContactNumbers(PrepareImpacts(exact, Bar())).at(0),
                         seen = CalcContactNumbers(PrepareImpacts(noisy, Bar())).at(0);
    constexpr std::array<ValueWithSigma ContactNumbers::*, 5> kNumbers = {
        &ContactNumbers::incidence_deg, &ContactNumbers::e_n, &ContactNumbers::e_t,
        &ContactNumbers::eta, &ContactNumbers::impulse_ratio};
    for (std::size_t k = 0; k < kNumbers.size(); ++k) {
      const ValueWithSigma& number = seen.*kNumbers[k];
      held[k] += std::abs(number.value - (truth.*kNumbers[k]).value) < 1.96 * number.sigma;
    }
  }
  for (const int count : held) {
    EXPECT_GE(count, 0.925 * kDraws);
    EXPECT_LE(count, 0.975 * kDraws);
  }
}

}  // namespace
}  // namespace percuss::fitting
