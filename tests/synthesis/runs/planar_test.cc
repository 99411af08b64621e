// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// `percuss synthesize` of a planar experiment with one camera, then `percuss run` on what it made.
// Source of truth: truth.json, which the second program does not see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files/files.h"
#include "impacts/impact_files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tests/truth.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// One that slides all the way, one that turns round and one that stops.
const char* const kSpec = R"(
name: rod
planar: true
calibration_pairs: 8
trials:
  - {name: slide}
  - {name: reverse, velocity: [0.2, 0, -2.1], orientation: [0.852525, 0, 0.522687, 0]}
  - {name: stick, angular_velocity: [0, 0, 0], orientation: [0.731689, 0, 0.681639, 0]}
)";

/// Squared error of the six velocities in the plane, in sigmas.
double ChiSquare(const impacts::ImpactRecord& impact, const json& truth) {
  const json &pre = truth.at("pre"), &post = truth.at("post");
  Eigen::VectorXd error(impacts::kImpactDimension);
  error << Eigen::VectorXd::Zero(6), impact.v - truth::Vector(pre.at("v")),
      impact.w - truth::Vector(pre.at("omega")), impact.v_post - truth::Vector(post.at("v")),
      impact.w_post - truth::Vector(post.at("omega"));
  const std::vector<int> free = {impacts::kV,     impacts::kV + 2,     impacts::kW + 1,
                                 impacts::kVPost, impacts::kVPost + 2, impacts::kWPost + 1};
  const Eigen::MatrixXd covariance = (*impact.covariance)(free, free);
  const Eigen::VectorXd e = error(free);
  return e.dot(covariance.ldlt().solve(e));
}

TEST(PlanarSynthesizeAndRun, OneCameraMeasuresADroppedRod) {
  const testing::TemporaryFolder folder;
  folder.Write("spec.yaml", kSpec);
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", "spec.yaml", "-o", "made"}, folder.Path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_FALSE(fs::exists(folder / "made/calibration/right"));
  fs::rename(folder / "made/truth.json", folder / "truth.json");
  const testing::ProgramRun run =
      testing::RunPercuss({"run", "made/experiment.yaml", "-o", "out"}, folder.Path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, ::testing::Not(::testing::HasSubstr("leaves the plane")));

  const json truth = json::parse(ReadFile(folder / "truth.json"));
  const auto impacts = impacts::ReadImpacts(folder / "out/impacts.json").impacts;
  ASSERT_EQ(impacts.size(), 3U);
  for (const impacts::ImpactRecord& impact : impacts) {
    const json& exact = truth.at("trials").at(impact.trial).at("impact");
    EXPECT_EQ(impact.v.y(), 0.0);
    EXPECT_EQ(impact.w_post.x(), 0.0);
    EXPECT_EQ(impact.r.y(), 0.0);
    // A pixel is 0.94 mm: a tenth of one over 24 frames, 0.2 s.
    EXPECT_LT((impact.v - truth::Vector(exact.at("pre").at("v"))).norm(), 0.6e-3);
    EXPECT_LT((impact.v_post - truth::Vector(exact.at("post").at("v"))).norm(), 0.6e-3);
    EXPECT_LT((impact.w - truth::Vector(exact.at("pre").at("omega"))).norm(), 0.02);
    EXPECT_LT((impact.w_post - truth::Vector(exact.at("post").at("omega"))).norm(), 0.02);
    EXPECT_LT((impact.r - truth::Vector(exact.at("contact_offset"))).norm(), 1e-4);
    // Chi-square with 6 degrees of freedom is beyond 22.5 once in a thousand times.
    EXPECT_LT(ChiSquare(impact, exact), 22.5);
  }
  const json fit = json::parse(ReadFile(folder / "out/fit.json"));
  const json& parameters = fit.at("laws").at("stronge").at("parameters");
  EXPECT_NEAR(parameters.at("mu").at("value").get<double>(), 0.26, 0.002);
  EXPECT_NEAR(parameters.at("e").at("value").get<double>(), 0.55, 0.002);
}

}  // namespace
}  // namespace percuss
