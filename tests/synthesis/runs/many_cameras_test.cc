// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Four cameras, rendered, then calibrated from their pictures of the board, and whole runs with
// four of them and with two. Source of truth: truth.json, which the program does not see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/files/files.h"
#include "calibration/rig/rig_calibration.h"
#include "tests/app/program.h"
#include "tests/app/run/accuracy.h"
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
  const testing::ProgramRun calibrated = testing::RunPercuss(
      {"calibrate", "made/experiment.yaml", "-o", "calibration.json"}, folder.Path());
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

/// The entries of other cameras than left and right taken out of an experiment file.
std::string WithTwoCameras(const std::string& text) {
  static const std::regex kOthers(", (third|fourth): [^,}]+");
  return std::regex_replace(text, kOthers, "");
}

// Three drops with noise, filmed at four times that nobody states. The velocities are right within
// their covariance (chi-square of 12 beyond 32.9 once in a thousand), and surer than by two
// cameras: the noise of pixels and of the surface frame, seen by twice as many, would shrink to
// 0.71; what is not known of the body does not.
TEST(FourCameras, ARunFindsVelocitiesBetterThanWithTwo) {
  const testing::TemporaryFolder folder;
  std::string scene = kFourCameras;
  scene.erase(scene.find("trials:"));
  folder.Write("scene.yaml", scene + R"(noise: {}
trials:
  - {name: a}
  - {name: b, velocity: [-0.5, 0.1, -1.9], angular_velocity: [1.2, -3.5, 0.8]}
  - {name: c, velocity: [-0.9, 0.05, -2.0], contact_point: [-0.03, -0.02]}
)");
  ASSERT_EQ(
      testing::RunPercuss({"synthesize", "scene.yaml", "-o", "made"}, folder.Path()).exit_code, 0);
  std::filesystem::rename(folder / "made/truth.json", folder / "truth.json");
  const std::string text = ReadFile(folder / "made/experiment.yaml");
  folder.Write("made/two.yaml", WithTwoCameras(text));
  const testing::ProgramRun four =
      testing::RunPercuss({"run", "made/experiment.yaml", "-o", "four"}, folder.Path());
  ASSERT_EQ(four.exit_code, 0) << four.err;
  const testing::ProgramRun two =
      testing::RunPercuss({"run", "made/two.yaml", "-o", "two"}, folder.Path());
  ASSERT_EQ(two.exit_code, 0) << two.err;

  const auto by_four = truth::CompareWithTruth(folder.Path(), folder / "four");
  const auto by_two = truth::CompareWithTruth(folder.Path(), folder / "two");
  ASSERT_EQ(by_four.trials.size(), 3U);
  double logarithms = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const truth::TrialAccuracy& trial = by_four.trials[k];
    EXPECT_LT(trial.chi_square, 32.9) << trial.trial;
    logarithms += std::log(trial.v.sigma / by_two.trials[k].v.sigma) +
                  std::log(trial.v_post.sigma / by_two.trials[k].v_post.sigma);
    const json summary = json::parse(ReadFile(folder / "four/tracks" / trial.trial / "trial.json"));
    for (const char* camera : {"third", "fourth"})
      EXPECT_GT(summary.at("further_cameras").at(camera).at("sightings").get<int>(), 100);
    const double chi2_two = by_two.trials[k].chi_square;
    std::printf(
        "%s: chi-square %.1f with four cameras, %.1f with two; v off by %.3f and %.3f mm/s\n",
        trial.trial.c_str(), trial.chi_square, chi2_two, 1e3 * trial.v.value,
        1e3 * by_two.trials[k].v.value);
  }
  const double ratio = std::exp(logarithms / 6.0);
  std::printf("sigma of v with four cameras over that with two: %.3f\n", ratio);
  EXPECT_LT(ratio, 0.75);
}

}  // namespace
}  // namespace percuss
