// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Slides from a rendered experiment to coefficients, as a user runs it. Source of truth: the scene.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kSlideScene =
    "calibration_pairs: 10\n"
    "trials:\n"
    "  - {name: slope, gravity: [3.673, 0, -9.093], slide: {mu_k: 0.25, way: 0.12, start: 0.4}}\n"
    "  - {name: tilted, slide: {mu_k: 0.25, mu_s: 0.3, tilt_rate_deg: 20, way: 0.12, start: "
    "0.2}}\n";

void ExpectNear(const json& number, double truth, double bound) {
  const double error = number.at("value").get<double>() - truth;
  EXPECT_LT(std::abs(error), bound);
  EXPECT_LT(std::abs(error), 3.0 * number.at("sigma").get<double>());
}

TEST(SlideRun, GivesBothCoefficientsFromRenderedVideos) {
  const testing::TemporaryFolder folder;
  WriteFileAtomically(folder / "scene.yaml", kSlideScene);
  const auto made = testing::RunPercuss({"synthesize", "scene.yaml", "-o", "made"}, folder.Path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto run = testing::RunPercuss({"run", "made/experiment.yaml", "-o", "out"}, folder.Path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("track slope: mu_k 0.2"));
  const json slope = json::parse(ReadFile(folder / "out/tracks/slope/trial.json")).at("slide");
  const json tilted = json::parse(ReadFile(folder / "out/tracks/tilted/trial.json")).at("slide");
  ExpectNear(slope.at("mu_k"), 0.25, 0.002);
  EXPECT_TRUE(slope.at("mu_s").at("value").is_null());
  EXPECT_THAT(slope.at("mu_s_reason"), HasSubstr("the slope does not change"));
  ExpectNear(tilted.at("mu_k"), 0.25, 0.002);
  ExpectNear(tilted.at("mu_s"), 0.3, 0.01);
  EXPECT_THAT(ReadFile(folder / "out/slides.csv"), HasSubstr("tilted,ok,from-rest,true"));
  EXPECT_THAT(ReadFile(folder / "out/report.md"), HasSubstr("Slides on a plate"));

  const auto measured = testing::RunPercuss({"measure", "slide", "--video", "made/experiment.yaml",
                                             "--trial", "tilted", "-o", "slide.json"},
                                            folder.Path());
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const json results = json::parse(ReadFile(folder / "slide.json")).at("results");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].at("coefficient"), "mu_k");
  EXPECT_EQ(results[1].at("coefficient"), "mu_s");
  ExpectNear(results[1], 0.3, 0.01);
}

}  // namespace
}  // namespace percuss
