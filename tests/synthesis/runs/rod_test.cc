// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// `percuss run` on the rendered rods. Source of truth: truth.json, which the program does not see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
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

/// Runs a data set and checks its coefficients against the truth.
void RunAndCheck(const fs::path& data, const fs::path& out, double bound) {
  const testing::ProgramRun run = testing::RunPercuss(
      {"run", (data / "experiment.yaml").string(), "-o", out.string(), "--law", "stronge"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json truth = json::parse(ReadFile(data / "truth.json"));
  const json fit = json::parse(ReadFile(out / "fit.json"));
  for (const char* name : {"mu", "e"}) {
    const json& found = fit.at("laws").at("stronge").at("parameters").at(name);
    EXPECT_NEAR(found.at("value"), double(truth.at(name)), bound) << name;
    EXPECT_NEAR(found.at("value"), double(truth.at(name)), 3.0 * double(found.at("sigma")));
  }
}

TEST(RodRun, TwoCamerasMeasureARodAndTheTurnThatNothingShows) {
  const testing::TemporaryFolder folder;
  const fs::path data = fs::path(PERCUSS_DATA_DIR) / "rod-drop";
  RunAndCheck(data, folder / "out", 0.001);
  const json truth = json::parse(ReadFile(data / "truth.json"));
  const auto table = impacts::ReadImpacts(folder / "out/impacts.json");
  ASSERT_EQ(table.impacts.size(), 4U);
  for (const impacts::ImpactRecord& impact : table.impacts) {
    const json& exact = truth.at("trials").at(impact.trial).at("impact");
    EXPECT_LT((impact.v - truth::Vector(exact.at("pre").at("v"))).norm(), 1e-3);
    // Eight frames, and a tenth of a pixel, 0.1 mm: three sigmas.
    EXPECT_LT((impact.v_post - truth::Vector(exact.at("post").at("v"))).norm(), 2e-3);
    EXPECT_LT((impact.r - truth::Vector(exact.at("contact_offset"))).norm(), 2e-4);
    const Eigen::Vector3d axis = impact.q_WB * Eigen::Vector3d::UnitZ();
    const auto variance_about = [&](int place) -> double {
      return axis.dot(impact.covariance->block<3, 3>(place, place) * axis);
    };
    const auto sigma_about = [&](int place) { return std::sqrt(variance_about(place)); };
    // Across the axis bands tell; about it the prior, and the impulse at the rim.
    const Eigen::Vector3d w = impact.w - truth::Vector(exact.at("pre").at("omega"));
    EXPECT_LT((w - axis.dot(w) * axis).norm(), 0.03) << impact.trial;
    EXPECT_GT(sigma_about(impacts::kW), 3.0);  // 5, with what the flight tells of it
    EXPECT_LT(sigma_about(impacts::kW), 8.0);
    const double spin = axis.dot(truth::Vector(exact.at("post").at("omega")));
    EXPECT_GT(std::abs(spin), 15.0);
    EXPECT_NEAR(axis.dot(impact.w_post), spin, 3.0 * sigma_about(impacts::kWPost));
    EXPECT_LT(sigma_about(impacts::kWPost), 10.0);
    EXPECT_LT(std::abs(variance_about(impacts::kRotation)), 1e-15);
  }
}

TEST(RodRun, OneCameraMeasuresARodInAPlane) {
  const testing::TemporaryFolder folder;
  RunAndCheck(fs::path(PERCUSS_DATA_DIR) / "rod-plane", folder / "out", 0.002);
}

TEST(RodRun, OtherStatesAreRefused) {
  const testing::TemporaryFolder folder;
  const fs::path data = fs::path(PERCUSS_DATA_DIR) / "rod-drop";
  const testing::ProgramRun run =
      testing::RunPercuss({"run", (data / "experiment.yaml").string(), "-o",
                           (folder / "out").string(), "--states", "rts"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, ::testing::HasSubstr("allowed where markers are bands on the axis is arcs"));
}

}  // namespace
}  // namespace percuss
