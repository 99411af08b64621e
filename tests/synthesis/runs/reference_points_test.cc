// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Rendered markers that rest while the body drops, and a camera that is nudged before the second
// trial. Source of truth: the scene.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

const char* const kReferenceSpec = R"(
name: nudged
image_size: [640, 480]
board: {square: 0.04}   # its surface picture is seen at a flat angle
light: {ground: 0.04}
calibration_pairs: 8
reference_markers:
  O1: {position: [0.16, -0.16, 0.02], normal: [0, -0.7, 0.7], diameter: 0.01}
  O2: {position: [-0.16, -0.02, 0.05], normal: [0, -0.7, 0.7], diameter: 0.01}
  O3: {position: [0.2, 0.1, 0.12], normal: [0, -0.7, 0.7], diameter: 0.01}
trials:
  - {name: still, post_flight: 0.1}
  - {name: nudged, post_flight: 0.1, camera_turn_deg: {right: [0.14, 0.14, 0]}}   # 0.2 degrees
  - {name: knocked, post_flight: 0.1, camera_turn_deg: {right: [1, 0.3, 0]}}
)";

TEST(ReferencePoints, FindTheCameraThatWasNudged) {
  const testing::TemporaryFolder folder;
  folder.Write("spec.yaml", kReferenceSpec);
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", "spec.yaml", "-o", "made"}, folder.Path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const testing::ProgramRun calibrated = testing::RunPercuss(
      {"calibrate", "made/experiment.yaml", "-o", "calibration.json"}, folder.Path());
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
  const testing::ProgramRun run = testing::RunPercuss(
      {"track", "made/experiment.yaml", "--calibration", "calibration.json", "-o", "out"},
      folder.Path());
  const auto trial = [&](const std::string& name) {
    return nlohmann::json::parse(ReadFile(folder / ("out/tracks/" + name + "/trial.json")));
  };
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  using ::testing::Not;

  const nlohmann::json still = trial("still"), &check = still.at("reference_points");
  EXPECT_EQ(still.at("status"), "ok") << still.at("message");
  EXPECT_EQ(check.at("finding"), "") << check.dump(1);
  EXPECT_EQ(check.at("degrees_of_freedom"), 12);
  EXPECT_GT(check.at("p"), 0.001);
  for (const nlohmann::json& point : check.at("points")) {
    const nlohmann::json& place = point.at("in_world");
    for (int i = 0; i < 3; ++i) {
      const double error = place.at("error").at(i), sigma = place.at("sigma").at(i);
      // The ruler of 0.5 mm made no error: what is left are cameras and spots.
      EXPECT_LT(std::abs(error), 0.5e-3) << point.dump(1);
      EXPECT_GT(sigma, 0.5e-3);
      // Centroids of 0.15 px, from 0.35 m apart at 1.1 m and 510 px, are 1.4 mm of depth.
      EXPECT_LT(sigma, 2e-3);
    }
  }
  for (const nlohmann::json& warning : still.at("warnings"))
    EXPECT_THAT(warning.get<std::string>(), Not(HasSubstr("reference"))) << still.dump(1);

  const nlohmann::json nudged = trial("nudged").at("reference_points");
  const std::string finding = nudged.at("finding");
  EXPECT_THAT(finding, HasSubstr("right camera looks elsewhere than at calibration: reference "
                                 "points O1, O2, O3 are off by "));
  EXPECT_THAT(finding, Not(HasSubstr("; or ")));
  EXPECT_LT(nudged.at("p"), 1e-6);
  EXPECT_THAT(run.err, HasSubstr(finding));

  // By so much that there is no impact: the message says why.
  const nlohmann::json knocked = trial("knocked");
  EXPECT_EQ(knocked.at("status"), "no_answer");
  EXPECT_THAT(knocked.at("message").get<std::string>(),
              AllOf(HasSubstr("trial knocked: "),
                    HasSubstr("; right camera looks elsewhere than at calibration")));
}

}  // namespace
}  // namespace percuss
