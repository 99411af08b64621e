// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/result/fit_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fitting/audit/audit.h"
#include "fitting/audit/error_budget.h"
#include "fitting/estimate/coefficient_fit.h"
#include "fitting/estimate/scatter.h"
#include "fitting/next_drop.h"
#include "tests/base/temporary_folder.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using percuss::testing::InputErrorOf;
using percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;

const Provenance kProvenance{.format = "percuss fit 1",
                             .command = "percuss fit impacts.csv",
                             .input_hashes = {{"impacts.csv", "0123"}}};

FitReport SampleReport() {
  std::mt19937 random(31);
  impacts::ImpactTable table = NoisySlidingTable(random, 0.26, 0.55, 3, false);
  table.impacts[2].v.z() = 3.0;  // not usable
  FitReport report;
  report.laws = FitCoefficients(table, Bar(), {.laws = {"stronge", "newton"}});
  report.audit = AuditImpacts(PrepareImpacts(table, Bar()));
  report.next_drop = {AdviseNextDrop(report.laws[0], PrepareImpacts(table, Bar()))};
  report.error_budget =
      CalcErrorBudget(report.laws[0], PrepareImpacts(table, Bar()), {.mass = 0.001});
  ParameterEstimate& mu = report.laws[0].parameters[0];
  mu = {.name = "mu",
        .value = 0.3,
        .ci95 = {0.3, std::numeric_limits<double>::infinity()},
        .status = ParameterStatus::kLowerBound,
        .best = 0.7};
  report.laws[1].parameters.push_back(
      {.name = "k", .best = 1e6, .reason = "velocities depend on k and b by k b^2 [J] alone"});
  return report;
}

// Everything in the report is in the text, so equal texts mean an exact round trip.
TEST(FitFiles, RoundTripIsExact) {
  const TemporaryFolder folder;
  const FitReport report = SampleReport();
  const auto file = folder / "fit.json";
  WriteFit(report, kProvenance, file);
  const FitReport read = ReadFit(file);
  EXPECT_EQ(FitReportJson(read, kProvenance), FitReportJson(report, kProvenance));
  ASSERT_EQ(read.laws.size(), 2u);
  EXPECT_EQ(read.laws[1].law, "newton");
  EXPECT_EQ(read.laws[1].parameters.back().reason, report.laws[1].parameters.back().reason);
  EXPECT_EQ(read.laws[0].parameters[0].ci95[1], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(read.laws[0].parameters[0].sigma));
  EXPECT_EQ(read.laws[0].parameters[1].value, report.laws[0].parameters[1].value);
  EXPECT_EQ(read.laws[0].trials[1].dissipation_predicted.sigma,
            report.laws[0].trials[1].dissipation_predicted.sigma);
  EXPECT_EQ(read.laws[0].trials[2].reason, report.laws[0].trials[2].reason);
  EXPECT_EQ(read.audit.size(), report.audit.size());
  ASSERT_EQ(read.next_drop.size(), 1u);
  EXPECT_EQ(read.next_drop[0].d_optimal.information, report.next_drop[0].d_optimal.information);
  ASSERT_TRUE(read.error_budget);
  EXPECT_EQ(read.error_budget->num_impacts, 2);
}

TEST(FitFiles, KeepsModelsScatterAndBootstrap) {
  std::mt19937 random(32);
  FitReport report;
  report.laws = FitCoefficients(NoisySlidingTable(random, 0.26, 0.55, 8, false), Bar(),
                                {.models = {{"e", FindParameterModel("linear-normal")}},
                                 .scatter = true,
                                 .num_bootstraps = 20,
                                 .cross_validate = false});
  const TemporaryFolder folder;
  WriteFit(report, kProvenance, folder / "fit.json");
  const FitReport read = ReadFit(folder / "fit.json");
  EXPECT_EQ(FitReportJson(read, kProvenance), FitReportJson(report, kProvenance));
  EXPECT_EQ(read.laws[0].models, report.laws[0].models);
  EXPECT_EQ(read.laws[0].parameters[2].name, "e.slope");
  EXPECT_EQ(read.laws[0].parameters[0].bootstrap95, report.laws[0].parameters[0].bootstrap95);
  ASSERT_TRUE(read.laws[0].scatter);
  EXPECT_EQ(read.laws[0].scatter->parameters[1].value, report.laws[0].scatter->parameters[1].value);
}

TEST(FitFiles, KeepsGivenParameters) {
  std::mt19937 random(33);
  FitReport report;
  report.laws = FitCoefficients(NoisySlidingTable(random, 0.26, 0.55, 4, false), Bar(),
                                {.given = {{"mu", {0.25, 0.01}}}, .cross_validate = false});
  const TemporaryFolder folder;
  WriteFit(report, kProvenance, folder / "fit.json");
  const FitReport read = ReadFit(folder / "fit.json");
  EXPECT_EQ(FitReportJson(read, kProvenance), FitReportJson(report, kProvenance));
  EXPECT_EQ(read.laws[0].parameters[1].status, ParameterStatus::kGiven);
  ASSERT_TRUE(read.laws[0].agreement);
  EXPECT_EQ(read.laws[0].agreement->fitted.size(), 2u);
}

TEST(FitFiles, KeepsPredictionsOverPosesAndAdviceOnStaticFriction) {
  FitReport report;
  PosePrediction trial{.trial = "A", .approaching = 0.75};
  trial.prediction.num_draws = 900.0;
  trial.prediction.velocity[4] = {-1.5, -1.25, {-2.0, -1.0}};
  trial.prediction.dissipation = {0.4, 0.25, {0.125, 0.375}};
  trial.modes = {{"slip", 0.75}, {"slip, stick", 0.25}};
  report.over_poses = {{"stronge", "", {trial, {.trial = "B", .reason = "vz is missing"}}},
                       {"smith", "e is missing", {}}};
  NextDropAdvice advice;
  advice.reason = "not all fitted";
  advice.law = "stronge";
  advice.static_friction = {true, "", {0.25, 0.75}, false, 0.5, {.pitch_deg = 15.0, .speed = 2.0}};
  report.next_drop = {advice};
  const TemporaryFolder folder;
  WriteFit(report, kProvenance, folder / "fit.json");
  const FitReport read = ReadFit(folder / "fit.json");
  EXPECT_EQ(FitReportJson(read, kProvenance), FitReportJson(report, kProvenance));
  ASSERT_EQ(read.over_poses.size(), 2u);
  EXPECT_EQ(read.over_poses[0].trials[0].prediction.velocity[4].in95[0], -2.0);
  EXPECT_EQ(read.over_poses[0].trials[0].modes[1].second, 0.25);
  EXPECT_EQ(read.over_poses[0].trials[0].given_impulse.num_draws, 0.0);
  EXPECT_EQ(read.over_poses[0].trials[1].reason, "vz is missing");
  EXPECT_EQ(read.over_poses[1].reason, "e is missing");
  EXPECT_EQ(read.next_drop[0].static_friction->critical_friction, 0.5);
  const nlohmann::json json = nlohmann::json::parse(FitReportJson(report, kProvenance));
  EXPECT_FALSE(json.at("over_poses")
                   .at("stronge")
                   .at("trials")
                   .at(0)
                   .at("prediction")
                   .at("dissipation")
                   .at("inside"));
}

// The names of DESIGN.md section 5, which other programs read.
TEST(FitFiles, HasTheAgreedNames) {
  const nlohmann::json json = nlohmann::json::parse(FitReportJson(SampleReport(), kProvenance));
  EXPECT_EQ(json.at("format"), "percuss fit 1");
  EXPECT_EQ(json.at("inputs").at(0).at("file"), "impacts.csv");
  const nlohmann::json& law = json.at("laws").at("stronge");
  EXPECT_EQ(law.at("parameters").at("mu").at("status"), "lower_bound");
  EXPECT_TRUE(law.at("parameters").at("mu").at("ci95").at(1).is_null());
  EXPECT_EQ(law.at("parameters").at("e").at("status"), "identified");
  EXPECT_TRUE(law.at("trials").at(0).at("used"));
  EXPECT_EQ(law.at("trials").at(0).at("modes"), nlohmann::json({"slip"}));
  EXPECT_EQ(law.at("trials").at(0).at("case"), "0");
  EXPECT_GT(law.at("trials").at(0).at("dissipation_measured").at("sigma"), 0.0);
  EXPECT_FALSE(law.at("trials").at(2).at("used"));
  for (const char* name : {"cost", "dof", "aicc", "velocity_error_mean", "energy_error_rms"}) {
    EXPECT_TRUE(law.at(name).is_number()) << name;
  }
  EXPECT_TRUE(law.at("cross_validated").at("velocity_error_mean").is_number());
  EXPECT_TRUE(json.at("floor").at("velocity_error_mean").is_number());
  EXPECT_TRUE(json.at("audit").at(0).at("ok").is_boolean());
  for (const char* part : {"data", "law", "parameters"}) {
    EXPECT_TRUE(law.at("error_split").at(part).is_number()) << part;
  }
  EXPECT_EQ(law.at("energy_gains"), 0);
  EXPECT_TRUE(law.at("trials").at(0).at("best_of_law").is_number());
  EXPECT_TRUE(json.at("next_drop").at("stronge").at("d_optimal").at("speed").is_number());
  EXPECT_GT(json.at("next_drop")
                .at("stronge")
                .at("per_parameter")
                .at("mu")
                .at("interval_factors")
                .at("mu"),
            0.0);
  EXPECT_EQ(json.at("error_budget").at("rows").at(0).at("source"), "pixels");
  EXPECT_GT(json.at("error_budget").at("sigma").at("restitution"), 0.0);
}

TEST(FitFiles, NamesWhatIsBroken) {
  const TemporaryFolder folder;
  const nlohmann::json good = nlohmann::json::parse(FitReportJson(SampleReport(), kProvenance));
  const auto complaint = [&](const std::string& content) {
    const auto file = folder.Write("fit.json", content);
    return InputErrorOf([&] { ReadFit(file); });
  };
  EXPECT_THAT(complaint("{"), HasSubstr("this is not valid JSON"));
  EXPECT_THAT(complaint("{}"), HasSubstr("format: the field is missing"));
  EXPECT_THAT(complaint(R"({"format": "percuss fit 9"})"), HasSubstr("allowed percuss fit 1"));
  nlohmann::json bad = good;
  bad["laws"]["stronge"]["parameters"]["e"]["status"] = "sure";
  EXPECT_THAT(complaint(bad.dump()),
              HasSubstr("laws.stronge.parameters.e.status: found \"sure\", allowed identified"));
  bad = good;
  bad["laws"]["stronge"]["dof"] = "many";
  EXPECT_THAT(complaint(bad.dump()), HasSubstr("dof: found \"many\", allowed a whole number"));
  bad = good;
  bad["laws"]["stronge"]["trials"][1].erase("used");
  EXPECT_THAT(complaint(bad.dump()), HasSubstr("trials[1].used: the field is missing"));
  bad = good;
  bad["laws"]["stronge"]["trials"][1]["v_measured"] = {1, 2};
  EXPECT_THAT(complaint(bad.dump()), HasSubstr("allowed a list of 3 numbers"));
}

}  // namespace
}  // namespace percuss::fitting
