// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Drops on a plate that is tilted anew for each, with one calibration. Source of truth: truth.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "base/files/files.h"
#include "impacts/impact_files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tests/truth.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The board is seen at a flat angle.
const char* const kSlopes = R"(
name: slopes
image_size: [640, 480]
board: {square: 0.04}
light: {ground: 0.04}
calibration_pairs: 8
trials:
  - {name: level}
  - {name: steep, slope: {angle_deg: 20}}
  - {name: tilted, velocity: [0.9, 0.2, -2.1], angular_velocity: [1.5, 2.5, 1.0], slope: {angle_deg: 15, axis: x}}
)";

/// The experiment with one text in place of another.
void Edit(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = ReadFile(file);
  const std::size_t place = text.find(from);
  ASSERT_NE(place, std::string::npos) << from << "\n" << text;
  WriteFileAtomically(file, text.replace(place, from.size(), to));
}

json ParametersOf(const fs::path& out) {
  return json::parse(ReadFile(out / "fit.json")).at("laws").at("stronge").at("parameters");
}

TEST(SlopesSynthesizeAndRun, EachTrialHasASurfaceOfItsOwn) {
  const testing::TemporaryFolder folder;
  folder.Write("spec.yaml", kSlopes);
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", "spec.yaml", "-o", "made"}, folder.Path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json truth = json::parse(ReadFile(folder / "made/truth.json"));
  testing::ProgramRun run =
      testing::RunPercuss({"run", "made/experiment.yaml", "-o", "out"}, folder.Path());
  ASSERT_EQ(run.exit_code, 0) << run.err;

  EXPECT_THAT(run.err, ::testing::ContainsRegex(
                           "surface trials/steep/surface-left.png, trials/steep/surface-right.png: "
                           "(19.9|20.0)[0-9]* ± 0.0[0-9]* deg"));
  const auto table = impacts::ReadImpacts(folder / "out/impacts.json");
  ASSERT_EQ(table.impacts.size(), 3U);
  for (const impacts::ImpactRecord& impact : table.impacts) {
    const json& trial = truth.at("trials").at(impact.trial);
    Eigen::Quaterniond q_WS = Eigen::Quaterniond::Identity();
    if (trial.contains("surface_to_world")) {
      const json& q = trial.at("surface_to_world");
      q_WS = Eigen::Quaterniond(q.at(0), q.at(1), q.at(2), q.at(3));
    }
    const json& exact = trial.at("impact");
    // A pixel is 2 mm here: a tenth of a millimetre over 0.2 m of board, and over 0.2 s.
    EXPECT_LT((impact.normal - q_WS * Eigen::Vector3d::UnitZ()).norm(), 1e-3) << impact.trial;
    EXPECT_LT((impact.v - q_WS * truth::Vector(exact.at("pre").at("v"))).norm(), 2e-3)
        << impact.trial;
    EXPECT_LT((impact.v_post - q_WS * truth::Vector(exact.at("post").at("v"))).norm(), 2e-3);
    EXPECT_LT((impact.r - q_WS * truth::Vector(exact.at("contact_offset"))).norm(), 1e-3);
    EXPECT_LT(impact.gravity.head<2>().norm(), 0.03) << impact.gravity.transpose();
  }
  const json found = ParametersOf(folder / "out");
  EXPECT_NEAR(found.at("mu").at("value"), 0.26, 2e-3);
  EXPECT_NEAR(found.at("e").at("value"), 0.55, 2e-3);

  // A protractor for one, half a degree off and known to half a degree; for another the picture
  // is lost, which is its own loss.
  const fs::path file = folder / "made/experiment.yaml";
  Edit(file,
       "surface: {left: trials/steep/surface-left.png, right: trials/steep/surface-right.png}",
       "slope: {angle_deg: 20.5, sigma: 0.5}");
  fs::remove(folder / "made/trials/tilted/surface-left.png");
  run = testing::RunPercuss({"run", "made/experiment.yaml", "-o", "protractor"}, folder.Path());
  EXPECT_EQ(run.exit_code, 2) << run.err;  // a bad input, of one trial
  EXPECT_THAT(run.err, ::testing::HasSubstr("tilted"));
  EXPECT_THAT(run.err, ::testing::HasSubstr("surface-left.png"));
  const json typed = ParametersOf(folder / "protractor");
  EXPECT_NEAR(typed.at("mu").at("value"), 0.26, 3.0 * double(typed.at("mu").at("sigma")));
  const auto protractor = impacts::ReadImpacts(folder / "protractor/impacts.json");
  ASSERT_EQ(protractor.impacts.size(), 2U);
  for (const impacts::ImpactRecord& impact : protractor.impacts) {
    if (impact.trial != "steep") continue;
    EXPECT_NEAR(std::atan2(impact.normal.x(), impact.normal.z()), 20.5 * std::numbers::pi / 180.0,
                1e-9);
    // Half a degree of a speed of 2 m/s along the plate.
    const Eigen::Vector3d along = Eigen::Vector3d::UnitY().cross(impact.v);
    const Eigen::Matrix3d covariance = impact.covariance->block<3, 3>(impacts::kV, impacts::kV);
    EXPECT_NEAR(std::sqrt(along.normalized().dot(covariance * along.normalized())),
                0.5 * std::numbers::pi / 180.0 * along.norm(), 0.1 * 0.0087 * along.norm());
  }
  EXPECT_THAT(ReadFile(folder / "protractor/fit.json"), ::testing::HasSubstr("slope of 20.5 deg"));
}

}  // namespace
}  // namespace percuss
