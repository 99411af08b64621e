// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Laws by the constants of their material, fitted to impacts of several speeds. The impacts are
// those of the closed form of a central contact, which shares no code with the laws.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "fitting/audit/audit.h"
#include "fitting/estimate/coefficient_fit.h"
#include "fitting/next_drop.h"
#include "fitting/result/parameter_model.h"
#include "solver/restitution/restitution_curves.h"
#include "tests/fitting/speed_impacts.h"

namespace percuss::fitting {
namespace {

constexpr int kDrops = 24;

LawFit FitSpeeds(const impacts::ImpactTable& table, const std::string& law,
                 const GivenParameters& given = {}, const ParameterModels& models = {}) {
  return FitCoefficients(table, RatesBall(),
                         {.laws = {law},
                          .models = models,
                          .given = given,
                          .cross_validate = false,
                          .static_friction = false,
                          .split_error = false})
      .front();
}

const ParameterEstimate& EstimateNamed(const LawFit& fit, const std::string& name) {
  const auto found = std::ranges::find(fit.parameters, name, &ParameterEstimate::name);
  if (found == fit.parameters.end()) throw std::runtime_error(fit.law + " has no " + name);
  return *found;
}

void ExpectFound(const LawFit& fit, const std::string& name, double truth, double relative_sigma) {
  const ParameterEstimate& found = EstimateNamed(fit, name);
  EXPECT_EQ(found.status, ParameterStatus::kIdentified) << name;
  EXPECT_NEAR(found.value, truth, 3.0 * found.sigma) << name;
  EXPECT_LT(found.sigma, relative_sigma * truth) << name;
  EXPECT_LE(found.ci95[0], truth) << name;
  EXPECT_GE(found.ci95[1], truth) << name;
}

impacts::ImpactTable Speeds(unsigned seed, const LayerTruth& truth = {}) {
  std::mt19937 random(seed);
  return NoisySpeeds(random, truth, kDrops);
}

TEST(Rates, TheLayerIsFoundAsFarAsVelocitiesTell) {
  const LayerTruth truth;
  const LawFit fit = FitSpeeds(Speeds(1), "boundary-layer-material");
  ASSERT_TRUE(fit.converged) << fit.message;
  EXPECT_GT(fit.cost_probability, 1e-3) << fit.message;
  ExpectFound(fit, "mu", truth.mu, 0.02);
  ExpectFound(fit, "k b^2", truth.stiffness * truth.width * truth.width, 0.2);
  ExpectFound(fit, "damping", truth.damping, 0.05);
  for (const char* name : {"k", "b"}) {
    EXPECT_EQ(EstimateNamed(fit, name).status, ParameterStatus::kUnidentified);
    EXPECT_TRUE(std::isnan(EstimateNamed(fit, name).value));
    EXPECT_THAT(EstimateNamed(fit, name).reason, ::testing::HasSubstr("k b^2 [J] alone"));
    EXPECT_THAT(EstimateNamed(fit, name).reason, ::testing::HasSubstr("duration"));
  }
}

// With the width from elsewhere the stiffness follows, and the width's error counts in it twice.
TEST(Rates, AWidthThatIsGivenTellsTheStiffness) {
  const LayerTruth truth;
  const auto table = Speeds(1);
  const LawFit exact = FitSpeeds(table, "boundary-layer-material", {{"b", {truth.width, 0.0}}});
  ExpectFound(exact, "k", truth.stiffness, 0.2);
  EXPECT_EQ(EstimateNamed(exact, "b").status, ParameterStatus::kGiven);
  const LawFit rough =
      FitSpeeds(table, "boundary-layer-material", {{"b", {truth.width, 0.1 * truth.width}}});
  const double own = EstimateNamed(exact, "k").sigma,
               of_width = 2.0 * 0.1 * EstimateNamed(exact, "k").value;
  EXPECT_NEAR(EstimateNamed(rough, "k").sigma, std::hypot(own, of_width), 0.05 * of_width);
  const LawFit by_stiffness =
      FitSpeeds(table, "boundary-layer-material", {{"k", {truth.stiffness, 0.0}}});
  ExpectFound(by_stiffness, "b", truth.width, 0.1);
}

// A rigid law with one mu cannot follow; with a mu that may grow it says that it does; the layer
// needs one coefficient less than that and explains the impacts better.
TEST(Rates, FrictionThatSeemsToGrowWithSpeedIsThatOfALayer) {
  const auto table = Speeds(2);
  const LawFit rigid = FitSpeeds(table, "stronge");
  EXPECT_LT(rigid.cost_probability, 1e-6);
  const LawFit growing =
      FitSpeeds(table, "stronge", {}, {{"mu", FindParameterModel("linear-normal")}});
  EXPECT_EQ(EstimateNamed(growing, "mu.slope").status, ParameterStatus::kIdentified);
  EXPECT_GT(EstimateNamed(growing, "mu.slope").ci95[0], 0.0);
  const LawFit layer = FitSpeeds(table, "boundary-layer-material");
  EXPECT_GT(layer.cost_probability, 0.01);
  EXPECT_LT(layer.aicc, growing.aicc);
  EXPECT_LT(growing.aicc, rigid.aicc);
}

// At one speed friction is worth mu R(kappa), one number: the energy is bounded or open, and mu not
// known much better than the energy.
TEST(Rates, OneSpeedDoesNotTellFrictionFromTheLayer) {
  std::mt19937 random(3);
  const auto table = NoisySpeeds(random, {}, kDrops, 2.0, 2.0);
  const LawFit fit = FitSpeeds(table, "boundary-layer-material");
  EXPECT_NE(EstimateNamed(fit, "k b^2").status, ParameterStatus::kIdentified);
  EXPECT_GT(FitSpeeds(table, "stronge").cost_probability, 0.01);
}

// Impacts of a rigid surface bound the energy of a layer from below.
TEST(Rates, ARigidSurfaceIsABoundOfTheLayer) {
  const LawFit fit = FitSpeeds(Speeds(4, {.stiffness = 2e10}), "boundary-layer-material");
  EXPECT_EQ(EstimateNamed(fit, "k b^2").status, ParameterStatus::kLowerBound);
  EXPECT_GT(EstimateNamed(fit, "k b^2").value, 2.0);
  EXPECT_LT(EstimateNamed(fit, "k b^2").value, 2e4);
}

// With a reference speed the dashpot is that of the material, and restitution falls with speed.
TEST(Rates, ADashpotOfTheMaterialMakesRestitutionFall) {
  const LayerTruth truth{.damping = 0.2, .reference_speed = 1.0};
  const auto table = Speeds(5, truth);
  const LawFit fit = FitSpeeds(table, "boundary-layer-material", {{"reference_speed", {1.0, 0.0}}});
  EXPECT_GT(fit.cost_probability, 1e-3) << fit.message;
  ExpectFound(fit, "mu", truth.mu, 0.02);
  ExpectFound(fit, "k b^2", truth.stiffness * truth.width * truth.width, 0.2);
  ExpectFound(fit, "damping", truth.damping, 0.05);
  EXPECT_LT(FitSpeeds(table, "boundary-layer-material").cost_probability, 1e-6);
}

// Of a spring with a dashpot only c/sqrt(k) counts, and it does not see the speed.
TEST(Rates, ASpringWithADashpotIsFoundByTheirRatio) {
  const auto table = Speeds(6, {.stiffness = 2e10});
  const double e = solver::RestitutionOfNonlinearDashpot(LayerTruth{}.damping);
  const LawFit fit = FitSpeeds(table, "kelvin-voigt");
  EXPECT_GT(fit.cost_probability, 1e-3) << fit.message;
  const ParameterEstimate& ratio = EstimateNamed(fit, "c/sqrt(k)");
  EXPECT_EQ(ratio.status, ParameterStatus::kIdentified);
  // zeta = c sqrt(A_nn / k) / 2 with A_nn = 20/kg
  const double zeta = 0.5 * ratio.value * std::sqrt(20.0);
  EXPECT_NEAR(solver::RestitutionOfLinearDashpot(zeta), e, 0.01);
  EXPECT_EQ(EstimateNamed(fit, "k").status, ParameterStatus::kUnidentified);
  const LawFit given = FitSpeeds(table, "kelvin-voigt", {{"k", {4e6, 0.0}}});
  EXPECT_NEAR(EstimateNamed(given, "c").value, 2e3 * ratio.value, 1e-3 * 2e3 * ratio.value);
}

// What the other tools of a fit say of factors of which only the product counts.
TEST(Rates, FactorsDoNotScatterAndHaveNoAdvice) {
  const auto data = PrepareImpacts(Speeds(1), RatesBall());
  const LawFit fit = FitCoefficients(data, {.laws = {"boundary-layer-material"},
                                            .scatter = true,
                                            .num_bootstraps = 20,
                                            .split_error = false})
                         .front();
  for (const ScatterEstimate& one : fit.scatter->parameters) {
    EXPECT_EQ(std::isnan(one.value), one.parameter == "k" || one.parameter == "b");
  }
  EXPECT_TRUE(std::isfinite(EstimateNamed(fit, "k b^2").bootstrap95[0]));
  EXPECT_TRUE(std::isfinite(fit.cross_validated_velocity_error_mean));
  EXPECT_THAT(AdviseNextDrop(fit, data).reason, ::testing::HasSubstr("k b^2 alone"));
}

// In a layer friction exceeds mu times the impulse by the factor R, and a mu that grows with speed
// exceeds what it is at rest: neither makes an impact suspect.
TEST(Rates, NoImpactIsSuspectForItsSpeed) {
  const auto data = PrepareImpacts(Speeds(2), RatesBall());
  const auto frictions = [&](const FitOptions& options) {
    const std::vector<LawFit> fits = FitCoefficients(data, options);
    const auto findings = AuditImpacts(data, {.fits = &fits});
    return std::ranges::count_if(findings, [](const AuditFinding& finding) {
      return finding.text.starts_with("ratio of tangential");
    });
  };
  EXPECT_EQ(frictions({.laws = {"boundary-layer-material"}}), 0);
  EXPECT_EQ(
      frictions({.laws = {"stronge"}, .models = {{"mu", FindParameterModel("linear-normal")}}}), 0);
  EXPECT_EQ(frictions({.laws = {"stronge"}}), kDrops);
}

TEST(Rates, AModelOfAFactorIsRefused) {
  EXPECT_THROW(FitSpeeds(Speeds(1), "boundary-layer-material", {},
                         {{"k", FindParameterModel("linear-normal")}}),
               std::invalid_argument);
}

// data/speed-drops is what the documents show.
TEST(Rates, TheTableOfTheDocumentsIsThatOfItsReadme) {
  std::ifstream file(std::string(PERCUSS_DATA_DIR) + "/speed-drops/impacts.csv");
  ASSERT_TRUE(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), ToCsv(Speeds(7)));
}

}  // namespace
}  // namespace percuss::fitting
