// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Jet derivatives of the impact against central differences (fourth order, best of several steps,
// so that neither their truncation nor their rounding decides). Borders between modes, where no
// derivative exists, are left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/law_derivatives.h"

namespace percuss::solver {
namespace {

constexpr std::size_t kOutputs = 6;
using Jet = LawJet;
template <typename T>
using Outputs = std::array<T, kOutputs>;

template <typename T>
Outputs<T> OutputsOf(const ImpactResult<T>& result) {
  return {result.impulse[0],          result.impulse[1],         result.impulse[2],
          result.compression_impulse, result.energy.normal_work, result.energy.friction_work};
}

// The largest error, relative to the largest derivative of that output; -1 on a border.
constexpr std::array kAll = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
double WorstError(std::string_view law, const std::vector<double>& x,
                  std::span<const int> inputs = kAll) {
  const ImpactResult<Jet> result = SolvePacked(law, ToJets(x));
  const Outputs<Jet> exact = OutputsOf(result);
  Outputs<double> scale;
  for (std::size_t m = 0; m < kOutputs; ++m) scale[m] = LargestDerivative(exact[m]) + 1e-12;
  const auto at = [&](const std::vector<double>& moved) -> std::optional<Outputs<double>> {
    const ImpactResult<double> near = SolvePacked(law, moved);
    if (near.sun_case != result.sun_case || !(near.modes == result.modes)) return std::nullopt;
    return OutputsOf(near);
  };
  return WorstDerivativeError(x, inputs, exact, scale, at);
}

std::vector<double> Pack(const Contact<double>& contact, double mu, double e) {
  return solver::Pack(contact, std::array{mu, e});
}

void ExpectDerivatives(int kind, int wanted) {
  std::mt19937 random(100 + static_cast<unsigned>(kind));
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 3 * wanted; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.5 * uniform(random));
    const double mu = 0.02 + uniform(random);
    const double e = 0.05 + 0.9 * uniform(random);
    Eigen::Matrix3d& a = contact.inverse_mass;
    if (kind == 1) {  // planar: the closed form, whose out-of-plane derivatives count as well
      reference::MakePlanar(contact);
      contact.velocity[0] *= 0.5;
    }
    if (kind == 2) a = (a.trace() * Eigen::Matrix3d::Identity()).eval();  // a ball
    const char* law = std::array{"newton", "poisson", "stronge"}[static_cast<std::size_t>(i) % 3];
    const double error = WorstError(law, Pack(contact, mu, e));
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << law << " " << i;
  }
  EXPECT_GE(tested, wanted);
}

TEST(DarbouxKellerDerivatives, MatchDifferencesInSpace) { ExpectDerivatives(0, 200); }
TEST(DarbouxKellerDerivatives, MatchDifferencesInThePlane) { ExpectDerivatives(1, 200); }
TEST(DarbouxKellerDerivatives, MatchDifferencesForABall) { ExpectDerivatives(2, 200); }

// Slip that stops and resumes, in space: rare, so searched for.
TEST(DarbouxKellerDerivatives, MatchDifferencesWhereSlipReverses) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 20000 && tested < 20; ++i) {
    Contact<double> contact = reference::RandomContact(random, 2.0);
    const Eigen::Vector2d drift = contact.inverse_mass.topRightCorner<2, 1>();
    contact.velocity.head<2>() = -0.3 * uniform(random) * drift.normalized();
    const std::vector<double> x = Pack(contact, 0.1 + 0.6 * uniform(random), 0.6);
    if (SolvePacked("stronge", x).modes.back() != ContactMode::kReverseSlip) continue;
    const double error = WorstError("stronge", x);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << i;
  }
  EXPECT_GE(tested, 10);
}

// In the plane every reversal is a border to space, so only the planar inputs have derivatives.
TEST(DarbouxKellerDerivatives, MatchDifferencesWhereSlipReversesInThePlane) {
  constexpr std::array kPlanar = {0, 2, 3, 6, 8, 9, 10};
  std::mt19937 random(19);
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 300; ++i) {
    Contact<double> contact = reference::RandomContact(random, 2.0);
    const Eigen::Matrix3d& a = contact.inverse_mass;
    reference::MakePlanar(contact);
    contact.velocity[0] = -uniform(random) * a(0, 2) / std::abs(a(0, 2));
    const double mu = 0.9 * uniform(random) * std::abs(a(0, 2)) / a(0, 0);
    const char* law = std::array{"newton", "poisson", "stronge"}[static_cast<std::size_t>(i) % 3];
    const std::vector<double> x = Pack(contact, 0.01 + mu, 0.1 + 0.8 * uniform(random));
    if (SolvePacked(law, x).modes.back() != ContactMode::kReverseSlip) continue;
    const double error = WorstError(law, x, kPlanar);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << law << " " << i;
  }
  EXPECT_GE(tested, 50);
}

// At e = 0, where restitution has no length, the derivative by e is that from inside.
TEST(DarbouxKellerDerivatives, ByRestitutionExistsAtZero) {
  std::mt19937 random(23);
  for (int i = 0; i < 30; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.0);
    for (const char* law : {"newton", "poisson", "stronge"}) {
      std::vector<double> x = Pack(contact, 0.4, 0.0);
      const auto exact = SolvePacked(law, ToJets(x)).impulse;
      x[10] = 1e-6;
      const Eigen::Vector3d near = SolvePacked(law, x).impulse;
      for (int m = 0; m < 3; ++m) {
        const double difference = (near[m] - exact[m].a) / 1e-6;
        const double scale = exact[2].v[10] + std::abs(exact[m].v[10]);
        EXPECT_NEAR(exact[m].v[10], difference, 1e-4 * scale) << law;
      }
    }
  }
}

// A contact that sticks from rest has derivatives by its slip, those of a slip that stops at once.
TEST(DarbouxKellerDerivatives, BySlipExistWhereTheContactSticksFromRest) {
  std::mt19937 random(29);
  for (int i = 0; i < 30; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.0);
    contact.velocity.head<2>().setZero();
    const std::vector<double> x = Pack(contact, 5.0, 0.6);
    const ImpactResult<Jet> exact = SolvePacked("stronge", ToJets(x));
    EXPECT_EQ(exact.sun_case, "5");
    for (int k = 0; k < 2; ++k) {
      std::vector<double> moved = x;
      moved[static_cast<std::size_t>(k)] = 1e-7;
      const ImpactResult<double> near = SolvePacked("stronge", moved);
      EXPECT_EQ(near.sun_case, "1");
      for (int m = 0; m < 3; ++m) {
        const Jet& output = exact.impulse[m];
        EXPECT_NEAR(output.v[k], (near.impulse[m] - output.a) / 1e-7,
                    1e-4 * LargestDerivative(output));
      }
    }
  }
}

}  // namespace
}  // namespace percuss::solver
