// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Four cameras, rendered, then calibrated from their pictures of the board. Source of truth:
// truth.json, which the program does not see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files/files.h"
#include "calibration/rig/rig_calibration.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tests/truth.h"

namespace percuss {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using nlohmann::json;

const char* const kFourCameras = R"(
name: four
image_size: [960, 720]
board: {square: 0.04}
light: {ground: 0.04}
calibration_pairs: 12
cameras:
  third: {position: [-0.35, -0.8, 0.75], roll_deg: 4}
  fourth: {position: [0.53, -0.8, 0.75], focal_length_px: 980, distortion: [-0.18, 0.05, 0, 0.001, 0]}
trials: [{name: short, flight_time: 0.1, post_flight: 0.05}]
)";

calibration::Camera LensOf(const json& truth, const std::string& name) {
  calibration::Camera camera;
  const char* names[] = {"fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3"};
  for (std::size_t i = 0; i < 9; ++i)
    camera.intrinsics[i] = truth.at("cameras").at(name).at(names[i]).get<double>();
  return camera;
}

TEST(FourCameras, TheCalibrationOfTheirBoardsProjectsAsTheTruthDoes) {
  const testing::TemporaryFolder folder;
  folder.Write("scene.yaml", kFourCameras);
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", "scene.yaml", "-o", "made"}, folder.Path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  // The calibration alone.
  std::string text = ReadFile(folder / "made/experiment.yaml");
  ASSERT_NE(text.find("\ntrials:"), std::string::npos);
  text.erase(text.find("\ntrials:") + 1);
  folder.Write("made/boards.yaml", text);
  const testing::ProgramRun calibrated = testing::RunPercuss(
      {"calibrate", "made/boards.yaml", "-o", "calibration.json"}, folder.Path());
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;

  const json truth = json::parse(ReadFile(folder / "made/truth.json"));
  const auto rig = calibration::ReadCalibration(folder / "calibration.json");
  EXPECT_EQ(rig.verdict, "ok") << calibrated.out;
  ASSERT_EQ(rig.cameras.size(), 4U);
  for (const calibration::ViewReport& view : rig.views) EXPECT_TRUE(view.used) << view.reason;
  const calibration::Pose first_from_world = rig.world_from_first.Inverse();
  for (const calibration::CalibratedCamera& found : rig.cameras) {
    const json& pose = truth.at("world_to_" + found.name);
    const calibration::Camera exact = LensOf(truth, found.name);
    double squares = 0.0, worst = 0.0;
    int count = 0;
    for (const double x : {-0.1, 0.1, 0.3}) {
      for (const double y : {-0.2, -0.05, 0.1}) {
        for (const double z : {0.0, 0.15, 0.3}) {
          const Vector3d p_W(x, y, z);
          const Vector3d p_first = first_from_world.R * p_W + first_from_world.t;
          const Vector2d seen =
              calibration::Project(found.camera, found.from_first.R * p_first + found.from_first.t);
          const Vector2d true_pixel = calibration::Project(
              exact, truth::Matrix(pose.at("R")) * p_W + truth::Vector(pose.at("t")));
          squares += (seen - true_pixel).squaredNorm();
          worst = std::max(worst, (seen - true_pixel).norm());
          ++count;
        }
      }
    }
    const double rms = std::sqrt(squares / count);
    std::printf(
        "camera %s: the calibration projects %.3f px (rms; at most %.3f px) from the truth\n",
        found.name.c_str(), rms, worst);
    // The corners of so clean a board are found to some 0.005 px, and there are 600 of them.
    EXPECT_LT(rms, 0.02) << found.name;
    EXPECT_NEAR(found.camera.intrinsics[0] / exact.intrinsics[0], 1.0, 2e-4) << found.name;
  }
}

}  // namespace
}  // namespace percuss
