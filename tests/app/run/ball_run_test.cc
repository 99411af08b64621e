// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Experiments of a ball without markers, as a user runs them. Source of truth: what the synthesis
// renders, and how it moves the ball.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files/files.h"
#include "calibration/rig/rig_calibration.h"
#include "impacts/impact_files.h"
#include "synthesis/ball/ball_motion.h"
#include "tests/app/commands/command_test.h"
#include "tracking/bounces/bounce_numbers.h"

namespace percuss::app {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class BallRun : public percuss::testing::CommandTest {
 protected:
  /// Renders a clip into the folder `name`. @param more lines of its description
  void Render(const std::string& name, const std::string& more) const {
    folder_.Write("ball.yaml",
                  "ball:\n  image_size: [960, 540]\n  frame_rate: 60\n"
                  "  start: {position: [-0.2, 0, 0.4], velocity: [0.25, 0.05, 0], hold: 0.2}\n" +
                      more);
    const auto made = Percuss("synthesize ball.yaml -o " + name);
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  /// Of the law stronge.
  json Parameter(const std::string& fit, const std::string& name) const {
    const json laws = json::parse(ReadFile(folder_ / fit)).at("laws");
    return laws.at("stronge").at("parameters").at(name);
  }
  static void ExpectInside(const json& parameter, double truth) {
    EXPECT_LE(parameter.at("ci95").at(0).get<double>(), truth) << parameter;
    EXPECT_GE(parameter.at("ci95").at(1).get<double>(), truth) << parameter;
  }
};

TEST_F(BallRun, ClipsGiveOneEAndOneReport) {
  constexpr const char* kCamera =
      "  camera: {position: [0, -1.1, 0.4], target: [0, 0, 0.2], focal_length_px: 800}\n";
  Render("one", std::string(kCamera) + "  e: 0.75\n  bounces: 3\n  seed: 11\n");
  Render("two", std::string(kCamera) + "  e: 0.75\n  bounces: 2\n  seed: 12\n");
  folder_.Write("experiment.yaml",
                "name: rehearsal\n"
                "body: {shape: sphere, diameter: 0.04, mass: 0.0027, sigma: {length: 0.0002}}\n"
                "coefficients: {mu: 0.2±0.1}\n"
                "trials:\n"
                "  - {name: a, clip: one/clip.mp4, group: {surface: steel}}\n"
                "  - {name: b, clip: two/clip.mp4, group: {surface: steel}}\n"
                "  - {name: gone, clip: gone.mp4}\n");
  const auto run = Percuss("run experiment.yaml -o out --videos");
  EXPECT_EQ(run.exit_code, 2) << run.err;  // the clip that is not there
  EXPECT_THAT(run.err, HasSubstr("track a: A ball of"));
  EXPECT_THAT(run.err, HasSubstr("percuss: trial gone: gone.mp4"));

  const auto table = impacts::ReadImpacts(folder_ / "out/impacts.json");
  ASSERT_EQ(table.impacts.size(), 5U);
  EXPECT_EQ(table.impacts[0].trial, "a-1");
  EXPECT_EQ(table.impacts[4].trial, "b-2");
  EXPECT_EQ(table.impacts[4].extra.at("surface"), "steel");
  EXPECT_EQ(table.impacts[4].extra.at("bounce"), "2");
  // Bounces of a clip share errors; those of two clips the diameter, 0.2 mm in 40 mm, and what
  // nobody measured.
  const auto between = [&](int i, int k) {
    return (table.impacts[i].calibration_sensitivity * table.calibration_covariance *
            table.impacts[k].calibration_sensitivity.transpose())(impacts::kV + 2, impacts::kV + 2);
  };
  const double by_scale = 0.005 * 0.005 * table.impacts[0].v.z() * table.impacts[3].v.z();
  const auto of_scale = [&](int i) {
    return table.impacts[i].calibration_sensitivity(impacts::kV + 2, tracking::kNumSharedErrors);
  };
  EXPECT_NEAR(of_scale(0) * of_scale(3), by_scale, 1e-6 * by_scale);
  const auto first = impacts::ReadImpacts(folder_ / "out/tracks/a/impacts.json");
  const auto second = impacts::ReadImpacts(folder_ / "out/tracks/b/impacts.json");
  const Eigen::MatrixXd of_first = first.impacts[0].calibration_sensitivity;
  const Eigen::MatrixXd of_second = second.impacts[0].calibration_sensitivity;
  double shared = 0.0;
  for (int k = 0; k <= tracking::kNumSharedErrors; ++k)
    shared += of_first(impacts::kV + 2, k) * of_second(impacts::kV + 2, k);
  EXPECT_NEAR(between(0, 3), shared, 1e-6 * shared);
  const double truth = json::parse(ReadFile(folder_ / "one/truth.json"))
                           .at("bounces")[0]
                           .at("before")
                           .at("velocity")[2];
  EXPECT_NEAR(table.impacts[0].v.z(), truth,
              4.0 * std::sqrt((*table.impacts[0].covariance)(impacts::kV + 2, impacts::kV + 2)));

  const json e = Parameter("out/fit.json", "e");
  ExpectInside(e, 0.75);
  EXPECT_LT(e.at("sigma").get<double>(), 0.01);
  const std::string report = ReadFile(folder_ / "out/report.md");
  EXPECT_THAT(report, HasSubstr("A ball without markers bounced in 3 trials (a, b and gone)"));
  EXPECT_THAT(report, HasSubstr("tracks/a/report.html"));
  EXPECT_THAT(ReadFile(folder_ / "out/impacts.csv"), HasSubstr("\na-1,"));
  for (const char* file : {"report.html", "fit.json", "tracks/a/report.html",
                           "tracks/b/overlay.mp4", "tracks/b/bounces.csv"})
    EXPECT_GT(std::filesystem::file_size(folder_ / "out" / file), 300U) << file;

  // What is done is not done again, and the other programs read it.
  const auto again = Percuss("run experiment.yaml -o out --videos");
  EXPECT_THAT(again.err, HasSubstr("track: 2 of 3 trials unchanged"));
  const auto audit = Percuss("audit out/impacts.json --body experiment.yaml");
  EXPECT_NE(audit.exit_code, 2) << audit.err;
  const auto states = Percuss("run experiment.yaml -o out --states rts");
  EXPECT_THAT(states.err, HasSubstr("--states: found a ball without markers in experiment.yaml"));
}

// In another laboratory's axes and units, two throws in one table; the ball slides to the end.
TEST_F(BallRun, ATableOfCentresWithSpinGivesFrictionToo) {
  constexpr double kMu = 0.12, kE = 0.7, kRate = 500.0;
  std::mt19937 random(21);
  std::normal_distribution<double> normal;
  std::string text = "throw,t,X,Y,Z,wx,wy,wz\n";
  for (int part = 1; part <= 2; ++part) {
    synthesis::BallSpec spec;
    spec.bounces = 2;
    spec.inertia_factor = 0.4;
    spec.mass = 0.26;  // steel: the air does not matter
    spec.drag_coefficient = 0.45;
    spec.contact_time = 0.002;
    spec.hold = 0.0;
    spec.start = {-0.3, 0.0, 0.3};
    spec.velocity = {3.0 + part, 0.4, 0.0};
    spec.e = {.values = {kE}};
    spec.mu = kMu;
    const synthesis::BallMotion motion(spec);
    for (int k = 0; k / kRate < motion.end; ++k) {
      const synthesis::BallState state = motion.At(k / kRate);
      const Eigen::Vector3d p =
          1e3 * state.p + 0.3 * Eigen::Vector3d(normal(random), normal(random), normal(random));
      const Eigen::Vector3d w =
          state.w + Eigen::Vector3d(normal(random), normal(random), normal(random));
      text += fmt::format("{},{:.4f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n", part, k / kRate,
                          p.x(), p.z(), -p.y(), w.x(), w.z(), -w.y());
    }
  }
  folder_.Write("centres.csv", text);
  const std::string experiment =
      "body: {shape: sphere, radius: 0.02, mass: 0.26, sigma: {length: 0.0001}}\n"
      "trials:\n"
      "  - {name: throw, poses: centres.csv, split: throw, columns: {x: {from: X, unit: mm}, "
      "y: {from: Y, unit: mm}, z: {from: Z, unit: mm}}";
  folder_.Write("experiment.yaml", experiment + ", axes: [x, -z, y]}\n");
  const auto run = Percuss("run experiment.yaml -o out");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto table = impacts::ReadImpacts(folder_ / "out/impacts.json");
  ASSERT_EQ(table.impacts.size(), 4U);
  EXPECT_EQ(table.impacts[3].trial, "throw-2-2");
  EXPECT_NEAR(table.impacts[2].v.x(), std::hypot(5.0, 0.4), 0.03);
  ExpectInside(Parameter("out/fit.json", "e"), kE);
  const json mu = Parameter("out/fit.json", "mu");
  EXPECT_EQ(mu.at("status"), "identified");
  ExpectInside(mu, kMu);
  EXPECT_LT(mu.at("sigma").get<double>(), 0.01);
  EXPECT_THAT(ReadFile(folder_ / "out/report.md"), HasSubstr("2 times a table of the centres"));

  folder_.Write("experiment.yaml", experiment + "}\n");
  const auto lying = Percuss("run experiment.yaml -o out");
  EXPECT_EQ(lying.exit_code, 3);
  EXPECT_THAT(lying.err, HasSubstr("centres.csv: the ball falls along (0.0, -1.0, 0.0), allowed -z "
                                   "of the surface: state axes for the trial"));
  const auto pixels = Percuss("run experiment.yaml -o out --fit pixels");
  EXPECT_THAT(pixels.err, HasSubstr("--fit pixels: found a ball without markers in"));
}

TEST_F(BallRun, TwoCamerasGiveTheBallInSpace) {
  calibration::RigCalibration rig;
  for (const double x : {-0.3, 0.3}) {
    Render(x < 0.0 ? "left" : "right",
           fmt::format("  e: 0.8\n  bounces: 2\n  seed: {}\n  camera: {{position: [{}, -1, 0.35], "
                       "target: [0, 0, 0.2], focal_length_px: 800}}\n",
                       x < 0.0 ? 31 : 32, x));
    const synthesis::Camera camera =
        synthesis::BallCamera(960, 540, 800.0, {x, -1.0, 0.35}, {0.0, 0.0, 0.2});
    const calibration::Pose pose{camera.R_CW, camera.t_CW};
    calibration::CalibratedCamera one;
    one.name = x < 0.0 ? "left" : "right";
    one.camera = {.width = 960, .height = 540};
    one.camera.intrinsics = {800.0, 800.0, 479.5, 269.5};
    if (rig.cameras.empty()) rig.world_from_first = pose.Inverse();
    one.from_first = rig.cameras.empty() ? calibration::Pose{} : pose * rig.world_from_first;
    rig.cameras.push_back(one);
  }
  rig.quality.coverage.assign(2, 1.0);
  const auto size = rig.Places().Size();
  rig.covariance = 1e-10 * Eigen::MatrixXd::Identity(size, size);
  calibration::WriteCalibration(rig, {calibration::kCalibrationFormat, "", {}},
                                folder_ / "calibration.json");
  folder_.Write("board/1.png", "");
  folder_.Write("experiment.yaml",
                "board: {type: chessboard, columns: 9, rows: 6, square: 0.023}\n"
                "calibration: {left: board/*.png, right: board/*.png, "
                "surface: {left: board/1.png, right: board/1.png}}\n"
                "body: {shape: sphere, diameter: 0.04, mass: 0.0027}\n"
                "trials: [{name: a, left: left/clip.mp4, right: right/clip.mp4}]\n");
  const auto run = Percuss("track experiment.yaml --calibration calibration.json -o out");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto table = impacts::ReadImpacts(folder_ / "out/impacts.json");
  ASSERT_EQ(table.impacts.size(), 2U);
  const auto fit = Percuss("fit out/impacts.json --body experiment.yaml --fix mu=0.2 -o fit.json");
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const json e = Parameter("fit.json", "e");
  EXPECT_NEAR(e.at("value").get<double>(), 0.8, 0.02);
}

}  // namespace
}  // namespace percuss::app
