// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// What a fit may hold beyond coefficients: the split of its error, scatter, advice, error budget.

#include <gtest/gtest.h>

#include "report/report.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The text version of the report of a run.
std::string Markdown(const SampleRun& run) {
  const TemporaryFolder folder;
  run.Write(folder.Path());
  WriteReport(folder.Path());
  return ReadText(folder.Path() / "report.md");
}

SampleRun RunWithEverything() {
  SampleRun run;
  Json& law = run.fit["laws"]["stronge"];
  law["error_split"] = {{"data", 0.0123}, {"law", 0.0234}, {"parameters", 0.0345}};
  law["energy_gains"] = 3;
  law["scatter"] = {
      {"parameters",
       {{"mu",
         {{"value", 0.0467},
          {"ci95", {0.021, 0.083}},
          {"compatible_with_zero", false},
          {"mean", 0.26},
          {"next95", {0.168, 0.352}}}}}},
      {"noise_scale", 1.0},
      {"held_out_inside_95", {{"components", 0.951}, {"impacts", 0.94}}},
      {"next_impact",
       {{{"as_trial", "a-slide"}, {"v_sigma", {0.01, 0.02, 0.03}}, {"w_sigma", {0.1, 0.2, 0.3}}}}}};
  const Json drop = {{"pitch_deg", 35},
                     {"roll_deg", 10},
                     {"incidence_deg", 45},
                     {"speed", 3},
                     {"modes", {"slip"}},
                     {"information", 0.4},
                     {"interval_factors", {{"mu", 0.61}, {"e", 0.87}}}};
  run.fit["next_drop"]["stronge"] = {{"usable", true},
                                     {"reason", ""},
                                     {"static_friction",
                                      {{"usable", true},
                                       {"reason", ""},
                                       {"between", {0.31, 0.55}},
                                       {"open_above", false},
                                       {"critical_friction", 0.4321},
                                       {"drop", drop}}},
                                     {"d_optimal", drop},
                                     {"per_parameter", {{"mu", drop}}}};
  const Json values = {{"restitution", 0.0071},
                       {"impulse_ratio", 0.0029},
                       {"dissipated_energy", 0.0013},
                       {"dissipated_share", 0.0017}};
  const Json row = {{"source", "mass"}, {"size", 0.001},   {"unit", "kg"},
                    {"sigma", values},  {"share", values}, {"counterpart", ""}};
  Json thesis = row;
  thesis["source"] = "length ruler";
  thesis["counterpart"] = "dimensions";
  run.fit["error_budget"] = {
      {"impacts", 4}, {"value", values}, {"sigma", values}, {"rows", {row}}, {"thesis", {thesis}}};
  return run;
}

TEST(FitTables, ShowTheSplitOfTheErrorAndTheEnergyGains) {
  const std::string text = Markdown(RunWithEverything());
  EXPECT_TRUE(Has(text, "what is data, law and parameter"));
  for (const char* shown : {"1.23", "2.34", "3.45"}) EXPECT_TRUE(Has(text, shown)) << shown;
  EXPECT_TRUE(Has(text, "trials that gain energy"));
}

TEST(FitTables, ShowTheScatterAndTheNextImpact) {
  const std::string text = Markdown(RunWithEverything());
  EXPECT_TRUE(Has(text, "differ from impact to impact"));
  for (const char* shown : {"0.0467", "0.168", "0.352", "95.1", "differs"}) {
    EXPECT_TRUE(Has(text, shown)) << shown;
  }
  EXPECT_TRUE(Has(text, "What the next impact would show"));
  EXPECT_TRUE(Has(text, "0.0392"));  // 1.96 times 0.02
}

TEST(FitTables, ShowTheNextDropAndTheErrorBudget) {
  const std::string text = Markdown(RunWithEverything());
  EXPECT_TRUE(Has(text, "How to drop next"));
  EXPECT_TRUE(Has(text, "mu 0.61 times"));
  EXPECT_TRUE(Has(text, "all together"));
  EXPECT_TRUE(Has(text, "(0.432 or more holds)"));  // mu\_s in Markdown
  EXPECT_TRUE(Has(text, "| 35 |"));                 // places of a grid: no more digits
  EXPECT_TRUE(Has(text, "Error budget of one impact, mean of 4"));
  EXPECT_TRUE(Has(text, "length ruler"));
  EXPECT_TRUE(Has(text, "0.0071"));
}

// A file of an earlier version, or a fit that was not asked for it.
TEST(FitTables, ShowGivenCoefficientsBesideFittedOnes) {
  SampleRun run;
  Json& law = run.fit["laws"]["stronge"];
  const Json fitted = law["parameters"];
  law["parameters"]["mu"] = {{"value", 0.243},         {"sigma", 0.01},     {"best", 0.243},
                             {"ci95", {0.223, 0.263}}, {"status", "given"}, {"weak", false}};
  law["agreement"] = {
      {"fitted", fitted}, {"chi_square", 23.1}, {"dof", 1}, {"probability", 1.5e-6}};
  const std::string text = Markdown(run);
  EXPECT_TRUE(Has(text, "mu was given as 0.243 ± 0.010"));
  EXPECT_TRUE(Has(text, "given, not fitted"));
  EXPECT_TRUE(Has(text, "stronge, all fitted to these impacts"));
  EXPECT_TRUE(Has(text, "What these impacts say themselves contradicts the given value"));
  EXPECT_TRUE(Has(text, "were estimated, as far as they were not given"));
}

TEST(FitTables, AreLeftOutWhereTheFileHasNone) {
  const std::string text = Markdown(SampleRun());
  EXPECT_FALSE(Has(text, "differ from impact to impact"));
  EXPECT_FALSE(Has(text, "How to drop next"));
  EXPECT_FALSE(Has(text, "Error budget"));
}

}  // namespace
}  // namespace percuss::report
