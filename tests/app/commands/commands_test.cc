// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss fit` and `percuss audit` as a user runs them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fitting/result/fit_files.h"
#include "tests/app/commands/command_test.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Answer = percuss::testing::CommandRun;

class FitCommand : public percuss::testing::CommandTest {
 protected:
  FitCommand() {
    std::mt19937 random(41);
    table_ = NoisySlidingTable(random, 0.26, 0.55, 6, true);
    body_ = folder_.Write("body.yaml",
                          "body: {shape: box, size: [0.3065, 0.0515, 0.0125], mass: 0.185}\n");
    WriteTables();
  }

  void WriteTables() {
    impacts::WriteImpactsJson(table_, {}, folder_ / "impacts.json");
    impacts::WriteImpactsCsv(table_, {}, folder_ / "impacts.csv");
  }

  Answer Run(const std::string& arguments) const { return Percuss(arguments); }

  impacts::ImpactTable table_;
  std::filesystem::path body_;
};

TEST_F(FitCommand, TakesModelsGroupsAndScatter) {
  for (std::size_t i = 0; i < table_.impacts.size(); ++i) {
    table_.impacts[i].extra["surface"] = i % 2 == 0 ? "steel" : "wood";
  }
  WriteTables();
  const Answer model =
      Run("fit impacts.json --body body.yaml --model e=linear-normal --scatter --bootstrap 20 "
          "--robust");
  EXPECT_EQ(model.exit_code, 0) << model.err;
  EXPECT_THAT(model.out, HasSubstr("e.slope"));
  EXPECT_THAT(model.out, HasSubstr("scatter of mu from trial to trial"));
  EXPECT_THAT(model.out, HasSubstr("trial bootstrap"));
  const Answer group = Run("fit impacts.csv --body body.yaml --group surface:mu");
  EXPECT_EQ(group.exit_code, 0) << group.err;
  EXPECT_THAT(group.out, HasSubstr("mu[wood]"));
  EXPECT_THAT(group.out, Not(HasSubstr("e[wood]")));

  const Answer unknown = Run("fit impacts.json --body body.yaml --model e=cubic");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("found cubic, allowed one of constant, linear-normal"));
  EXPECT_EQ(Run("fit impacts.json --body body.yaml --model f=constant").exit_code, 2);
}

// From the command line, a file of percuss measure, and the file with the body, in this order.
TEST_F(FitCommand, PredictsWithCoefficientsMeasuredElsewhere) {
  const Answer drop =
      Run("measure drop --speed-before 2 --speed-after 1.08 1.12 1.1 --speed-sigma 0.01 --json");
  ASSERT_EQ(drop.exit_code, 0) << drop.err;
  folder_.Write("drop.json", drop.out);
  const std::string fit = "fit impacts.json --law stronge --json --body ";
  const auto parameters = [&](const std::string& arguments) {
    const Answer answer = Run(fit + arguments);
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return nlohmann::json::parse(answer.out).at("laws").at("stronge").at("parameters");
  };
  const auto both = parameters("body.yaml --fix mu=0.25±0.02 --fix drop.json");
  EXPECT_EQ(both.at("mu").at("status"), "given");
  EXPECT_EQ(both.at("mu").at("sigma"), 0.02);
  EXPECT_NEAR(both.at("e").at("value").get<double>(), 0.55, 1e-9);
  EXPECT_GT(both.at("e").at("sigma").get<double>(), 0.0);
  folder_.Write("stated.yaml", ReadFile(body_) + "coefficients: {mu: 0.24 +- 0.01}\n");
  const auto stated = parameters("stated.yaml");
  EXPECT_EQ(stated.at("mu").at("value"), 0.24);
  EXPECT_EQ(stated.at("e").at("status"), "identified");
  EXPECT_EQ(parameters("stated.yaml --fix mu=0.27").at("mu").at("value"), 0.27);

  const Answer text = Run("fit impacts.json --body body.yaml --law stronge --fix mu=0.5±0.001");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("given"));
  EXPECT_THAT(text.out, HasSubstr("they disagree"));
}

TEST_F(FitCommand, RefusesGivenCoefficientsThatAreNone) {
  folder_.Write("two.json", R"({"results": [{}, {}]})");
  folder_.Write("one.json", R"({"results": [{"coefficient": "e", "value": 0.5, "sigma": null}]})");
  for (const auto& [fix, message] : std::vector<std::pair<std::string, std::string>>{
           {"mu", "--fix: found mu, allowed PARAMETER=VALUE"},
           {"mu=0.2±x", "--fix: found mu=0.2±x"},
           {"mue=0.2", "given: found mue, allowed a parameter of the laws"},
           {"e=1.5±0.1", "given: e: found 1.5, allowed 0 to 1"},
           {"none.json", "none.json"},
           {"two.json", "results: found 2 groups, allowed one"},
           {"one.json", "measure more than once"}}) {
    const Answer answer = Run("fit impacts.json --body body.yaml --fix " + fix);
    EXPECT_EQ(answer.exit_code, 2) << fix;
    EXPECT_THAT(answer.err, HasSubstr(message));
  }
}

TEST_F(FitCommand, PrintsTheTableAndWritesTheFile) {
  const Answer answer = Run("fit impacts.json --body body.yaml -o fit.json");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("stronge"));
  EXPECT_THAT(answer.out, HasSubstr("identified"));
  EXPECT_THAT(answer.out, HasSubstr("6 of 6 trials used"));
  EXPECT_THAT(answer.out, HasSubstr("all in order"));
  const FitReport report = ReadFit(folder_ / "fit.json");
  EXPECT_NEAR(report.laws[0].parameters[0].value, 0.26, 4.0 * report.laws[0].parameters[0].sigma);
  EXPECT_NEAR(report.laws[0].parameters[1].value, 0.55, 4.0 * report.laws[0].parameters[1].sigma);
  const nlohmann::json json = nlohmann::json::parse(ReadFile(folder_ / "fit.json"));
  EXPECT_EQ(json.at("inputs").at(0).at("file"), "impacts.json");
  EXPECT_EQ(json.at("inputs").at(0).at("sha256"), HashFile(folder_ / "impacts.json"));
  EXPECT_THAT(json.at("command").get<std::string>(), HasSubstr("fit impacts.json"));
}

// Every line of the table fits 100 columns (UTF-8 counted as characters).
TEST_F(FitCommand, TableFitsAHundredColumns) {
  const std::string fit =
      "fit impacts.csv --body body.yaml --law newton --law chatterjee-combined "
      "--law anitescu-potra-poisson";
  const Answer best = Run(fit), all = Run(fit + " --verbose");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  std::size_t width = 0;
  for (const char c : best.out + all.out) {
    if (c == '\n') {
      EXPECT_LE(width, 100u);
      width = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++width;
    }
  }
}

TEST_F(FitCommand, PrintsJsonOnRequest) {
  const Answer answer = Run("fit impacts.csv --body body.yaml --law newton --law stronge --json");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  const nlohmann::json json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json.at("laws").size(), 2u);
}

TEST_F(FitCommand, AcceptsAnExperimentFileAsBody) {
  const Answer answer =
      Run("fit impacts.json --body " PERCUSS_DATA_DIR "/bar-drop/experiment.yaml");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
}

TEST_F(FitCommand, NamesUnusableTrialsAndGoesOn) {
  table_.impacts[2].v.z() = 2.0;
  WriteTables();
  const Answer answer = Run("fit impacts.json --body body.yaml");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.err, HasSubstr("t2 not used: the contact point does not approach"));
  EXPECT_THAT(answer.out, HasSubstr("5 of 6 trials used"));
}

// A number that is missing is named by row and column; the other rows are used.
TEST_F(FitCommand, NamesRowAndColumnOfAMissingNumber) {
  table_.impacts[1].w_post.y() = std::nan("");
  WriteTables();
  const Answer answer = Run("fit impacts.csv --body body.yaml");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.err, HasSubstr("t1 not used: wy_post is missing"));
  EXPECT_THAT(answer.out, HasSubstr("5 of 6 trials used"));
}

// A sphere in the plane: three numbers, four or five coefficients.
// One row with text, one of a speed that cannot be, one without any uncertainty; three are sound.
TEST_F(FitCommand, UsesTheSoundRowsOfATableAndListsTheRest) {
  table_.impacts[4].covariance->setZero();
  WriteTables();
  std::istringstream rows(ReadFile(folder_ / "impacts.csv"));
  std::string text;
  for (std::string row; std::getline(rows, row); text += row + "\n") {
    if (row.starts_with("t0,")) row = "t0,one" + row.substr(row.find(',', 3));
    if (row.starts_with("t1,")) row = "t1,9" + row.substr(row.find(',', 3));
  }
  folder_.Write("impacts.csv", text);
  const Answer answer = Run("fit impacts.csv --body body.yaml");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("t0 not used: impacts.csv: row 1 (line 4), column qw: found "
                                    "\"one\", allowed a number"));
  EXPECT_THAT(answer.err, HasSubstr("t1 not used: impacts.csv: row 2 (line 5), "));
  EXPECT_THAT(answer.err, HasSubstr("t4 not used: "));
  EXPECT_THAT(answer.out, HasSubstr("3 of 6 trials used"));
}

TEST_F(FitCommand, EndsWithThreeWhereImpactsAreTooFewForTheLaw) {
  folder_.Write("ball.yaml", "body: {shape: sphere, radius: 0.02, mass: 0.03}\n");
  folder_.Write("one.csv",
                "trial,rz,vx,vz,vx_post,vz_post,wy,wy_post\na,-0.02,1,-2,0.7,1.2,0,37.5\n");
  const Answer answer = Run("fit one.csv --body ball.yaml --law chatterjee-combined");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("too few impacts: 1 of them give 3 numbers, 5 coefficients"));
}

TEST_F(FitCommand, EndsWithThreeWhenTheDataCannotAnswer) {
  for (impacts::ImpactRecord& record : table_.impacts) record.v.z() = 2.0;
  WriteTables();
  const Answer answer = Run("fit impacts.json --body body.yaml -o fit.json");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("impacts.json: no trial can be used"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "fit.json"));
}

TEST_F(FitCommand, EndsWithTwoOnBadInput) {
  const auto expect = [&](const std::string& arguments, const std::string& message) {
    const Answer answer = Run(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_THAT(answer.err, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(answer.err, '\n'), 1) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "fit.json"));
  };
  expect("fit nothing.csv --body body.yaml -o fit.json", "nothing.csv");
  expect("fit impacts.csv --body nothing.yaml -o fit.json", "nothing.yaml");
  expect("fit impacts.csv --body body.yaml --law strange -o fit.json", "strange");
  // Beside its impacts a body.yaml would be taken.
  std::filesystem::create_directory(folder_ / "alone");
  std::filesystem::copy_file(folder_ / "impacts.csv", folder_ / "alone/impacts.csv");
  expect("fit alone/impacts.csv -o fit.json", "--body: found nothing, and no alone/body.yaml");
  expect("fit impacts.csv --body body.yaml -o impacts.csv", "which is an input");
  folder_.Write("bad.csv", "trial,rz,vz,vz_post\na,-0.1,-1,quick\n");
  expect("fit bad.csv --body body.yaml -o fit.json",
         "bad.csv: row 1 (line 2), column vz_post: found \"quick\", allowed a number");
}

TEST_F(FitCommand, AdvisesTheNextDropAndPrintsTheErrorBudget) {
  folder_.Write("body.yaml",
                "body: {shape: box, size: [0.3065, 0.0515, 0.0125], mass: 0.185, "
                "sigma: {mass: 0.0005, length: 0.0002, tilt_deg: 0.1}}\n");
  const Answer answer =
      Run("fit impacts.json --body body.yaml --next-drop --error-budget -o fit.json");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("Next drop, law stronge"));
  EXPECT_THAT(answer.out, HasSubstr("all together"));
  EXPECT_THAT(answer.out, HasSubstr("Error budget of one impact (mean of 6)"));
  EXPECT_THAT(answer.out, HasSubstr("camera 1 reprojection"));
  const FitReport report = ReadFit(folder_ / "fit.json");
  ASSERT_EQ(report.next_drop.size(), 3u);  // one for each law that is fitted by default
  EXPECT_TRUE(report.next_drop[0].usable);
  EXPECT_TRUE(report.next_drop[0].static_friction);
  ASSERT_TRUE(report.laws[0].static_friction);
  EXPECT_EQ(report.laws[0].static_friction->name, "mu_s");
  EXPECT_THAT(answer.out, HasSubstr("mu_s"));
  ASSERT_TRUE(report.error_budget);
  for (const ErrorBudgetRow& row : report.error_budget->rows) {
    // The contact point follows from the pose; mass is in no velocity.
    if (row.source == "contact point" || row.source == "mass") continue;
    EXPECT_GT(row.sigma[kBudgetRestitution], 0.0) << row.source;
  }
  EXPECT_THAT(Run("fit impacts.json --body body.yaml").out, Not(HasSubstr("Error budget")));
}

// A table with a prior of the pose: coefficients that are given predict, nothing can be fitted.
TEST_F(FitCommand, PredictsOverPosesThatNobodyMeasured) {
  folder_.Write("table.csv", "down,up\n2,0.8\n2,0.1\n");
  folder_.Write("table.yaml",
                "table: table.csv\n"
                "columns: {vz: {from: down, scale: -1}, vz_post: up}\n"
                "body: {shape: box, size: [0.3, 0.05, 0.01], mass: 0.2}\n"
                "sigma: {velocity: 0.02, angular_velocity: 0.1, rotation: 0.05}\n"
                "prior: {orientation: any}\n"
                "coefficients: {mu: 0.3±0.02}\n");
  const Answer without = Run("fit table.yaml --law stronge -o fit.json");
  EXPECT_EQ(without.exit_code, 3);
  EXPECT_THAT(without.err, HasSubstr("the contact point was not measured"));
  EXPECT_THAT(without.err, HasSubstr("a prediction needs e as well, such as --fix e=VALUE±SIGMA"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "fit.json"));
  const Answer with = Run("fit table.yaml --law stronge --fix e=0.5±0.05 -o fit.json");
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_THAT(with.out, HasSubstr("Predicted over the prior of the pose, law stronge"));
  EXPECT_EQ(ReadFit(folder_ / "fit.json").over_poses.at(0).trials.size(), 2u);
}

TEST_F(FitCommand, SplitsTheErrorOfEachLaw) {
  const std::string fit = "fit impacts.json --body body.yaml --law stronge --law kane-levinson";
  const Answer answer = Run(fit + " --verbose");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("gain energy"));
  EXPECT_THAT(answer.out, HasSubstr("parameters"));
  // The one that fits best is what is printed at first.
  const Answer best = Run(fit);
  EXPECT_EQ(best.exit_code, 0) << best.err;
  EXPECT_THAT(best.out, AllOf(HasSubstr("\nstronge"), Not(HasSubstr("kane-levinson")),
                              HasSubstr("All 2 laws, trial by trial: --verbose")));
}

TEST_F(FitCommand, AuditSaysWhatIsSuspect) {
  Answer answer = Run("audit impacts.json --body body.yaml");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, Not(HasSubstr("SUSPECT")));
  for (impacts::ImpactRecord& record : table_.impacts) {
    record.w.y() *= -1.0;
    record.w_post.y() *= -1.0;
  }
  WriteTables();
  answer = Run("audit impacts.json --body body.yaml");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("SUSPECT momentum       all trials"));
  answer = Run("audit impacts.json --body body.yaml --json");
  EXPECT_FALSE(nlohmann::json::parse(answer.out).at("audit").empty());
}

}  // namespace
}  // namespace percuss::fitting
