// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Source of truth: tables and clips of a ball whose motion is computed by the synthesis.

#include "pipeline/space/space_bounces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "impacts/impact_files.h"
#include "pipeline/space/centre_table.h"
#include "synthesis/ball/ball_clip.h"
#include "tests/base/temporary_folder.h"

namespace percuss::pipeline {
namespace {

synthesis::BallSpec Spec() {
  synthesis::BallSpec spec;
  spec.frame_rate = 60.0;
  spec.bounces = 2;
  spec.drag_coefficient = 0.45;
  spec.start = {-0.2, 0.0, 0.4};
  spec.velocity = {0.25, 0.05, 0.0};
  spec.e = {.values = {0.8}};
  return spec;
}

std::string Table(const synthesis::BallSpec& spec, double rate, double unit) {
  const synthesis::BallMotion motion(spec);
  std::mt19937 random(9);
  std::normal_distribution<double> normal(0.0, 3e-4);
  std::string text = "t,x,y,z,wx,wy,wz\n";
  for (int k = 0; k / rate < motion.end; ++k) {
    const synthesis::BallState state = motion.At(k / rate);
    text += fmt::format("{:.6f}", k / rate);
    for (const double one : state.p) text += fmt::format(",{:.6f}", unit * (one + normal(random)));
    for (const double one : state.w) text += fmt::format(",{:.4f}", one + 1e3 * normal(random));
    text += "\n";
  }
  return text;
}

TEST(MeasureTable, FindsBouncesAndCarriesSpins) {
  const testing::TemporaryFolder folder;
  const synthesis::BallSpec spec = Spec();
  const auto file = folder.Write("centres.csv", Table(spec, 240.0, 1.0));
  BounceOptions options;
  options.scale.diameter = {0.04, 0.0002};
  const SpaceBounces result = MeasureTable(PlainCentres(file), options, {});
  const synthesis::BallMotion motion(spec);
  ASSERT_EQ(result.clip.fit.bounces.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(result.clip.fit.bounces[k].e, 0.8,
                4.0 * result.clip.fit.Sigma(k, tracking::kBounceE));
    EXPECT_NEAR(result.clip.fit.bounces[k].before, motion.bounces[k].before.v.norm(),
                5.0 * result.clip.fit.Sigma(k, tracking::kSpeedBefore));
    EXPECT_NEAR(result.clip.fit.bounces[k].time, motion.bounces[k].time, 3e-3);
  }
  EXPECT_TRUE(result.clip.warnings.empty());
  ASSERT_EQ(result.spins.size(), 3U);
  const Eigen::Vector3d spin = motion.bounces[0].after.w;
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(result.spins[1].mean[k], spin[k], 4.5 * result.spins[1].sigma[k]);
  WriteSpaceBounces(result, folder / "out", "percuss bounce centres.csv");
  const auto json = nlohmann::json::parse(ReadFile(folder / "out/bounce.json"));
  EXPECT_EQ(json.at("unit"), "m");
  EXPECT_EQ(json.at("bounces")[0].at("source"), "table");
  EXPECT_NEAR(json.at("up")[2], 1.0, 1e-3);
  EXPECT_EQ(json.at("flights").size(), 3U);
  // Axes of the impact: x along the way in, z up.
  const auto impacts = impacts::ReadImpacts(folder / "out/impacts.json").impacts;
  ASSERT_EQ(impacts.size(), 2U);
  EXPECT_EQ(impacts[1].trial, "centres-2");
  const synthesis::BounceTruth& truth = motion.bounces[0];
  EXPECT_NEAR(impacts[0].v.z(), truth.before.v.z(), 0.01);
  EXPECT_NEAR(impacts[0].v.x(), truth.before.v.head<2>().norm(), 0.01);
  EXPECT_NEAR(impacts[0].w_post.z(), truth.after.w.z(),
              4.5 * std::sqrt((*impacts[0].covariance)(impacts::kWPost + 2, impacts::kWPost + 2)));
  EXPECT_EQ(impacts[0].r, Eigen::Vector3d(0.0, 0.0, -0.02));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/body.yaml"));
  EXPECT_TRUE(json.at("ball_radius").at("value").is_null());
  WriteSpaceBounces(MeasureTable(PlainCentres(file), {}, {}), folder / "plain", "");
  EXPECT_FALSE(std::filesystem::exists(folder / "plain/impacts.json")) << "no diameter, no arm";
  EXPECT_NE(ReadFile(folder / "out/bounces.csv").find(",table,"), std::string::npos);
}

TEST(MeasureTable, SaysThatLengthsAreMillimetres) {
  const testing::TemporaryFolder folder;
  const auto file = folder.Write("centres.csv", Table(Spec(), 240.0, 1000.0));
  const SpaceBounces result = MeasureTable(PlainCentres(file), {}, {});
  ASSERT_EQ(result.clip.warnings.size(), 1U);
  EXPECT_NE(result.clip.warnings[0].find("are lengths in metres"), std::string::npos);
}

TEST(MeasureTwoClips, FindsBouncesAndRadiusInMetres) {
  std::array<tracking::ClipFrames, 2> frames;
  calibration::RigCalibration rig;
  synthesis::BallSpec spec = Spec();
  for (const double x : {-0.3, 0.3}) {
    spec.camera = synthesis::BallCamera(960, 540, 800.0, {x, -1.0, 0.35}, {0.0, 0.0, 0.2});
    spec.target = {0.0, 0.0, 0.2};
    spec.seed = x < 0.0 ? 1 : 2;
    const auto clip = std::make_shared<synthesis::BallClip>(spec);
    frames[rig.cameras.size()] = [clip](const tracking::VisitFrame& visit) {
      for (int k = 0; k < clip->FrameCount(); ++k) visit(k, clip->FrameTime(k), clip->Frame(k));
    };
    const calibration::Pose pose{spec.camera.R_CW, spec.camera.t_CW};
    calibration::CalibratedCamera one;
    one.camera = {.width = 960, .height = 540};
    one.camera.intrinsics = {800.0, 800.0, 479.5, 269.5};
    if (rig.cameras.empty()) rig.world_from_first = pose.Inverse();
    one.from_first = rig.cameras.empty() ? calibration::Pose{} : pose * rig.world_from_first;
    rig.cameras.push_back(one);
  }
  BounceOptions options;
  options.scale.diameter = {0.04, 0.00025};
  const SpaceBounces result =
      MeasureTwoClips(frames, {"left.mp4", "right.mp4"}, rig, options, {}, nullptr);
  const synthesis::BallMotion motion(spec);
  ASSERT_EQ(result.clip.fit.bounces.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const double sigma = result.clip.fit.Sigma(k, tracking::kBounceE);
    EXPECT_NEAR(result.clip.fit.bounces[k].e, 0.8, std::min(4.0 * sigma, 0.02));
    EXPECT_NEAR(result.clip.fit.bounces[k].before, motion.bounces[k].before.v.norm(), 0.03);
    EXPECT_LT((result.clip.fit.contacts[k].place - motion.bounces[k].before.p).norm(), 4e-3);
  }
  EXPECT_NEAR(result.space.radius.value, 0.02, std::max(4.0 * result.space.radius.sigma, 1e-4));
  EXPECT_NEAR(result.space.clock_offset.value, 0.0, 5.0 * result.space.clock_offset.sigma);
  EXPECT_LT(result.space.clock_offset.sigma, 1e-3);

  rig.cameras[0].camera.width = 1280;
  try {
    MeasureTwoClips(frames, {"left.mp4", "right.mp4"}, rig, options, {}, nullptr);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "left.mp4: pictures of 960 x 540, allowed 1280 x 540 as the calibration has");
  }
}

}  // namespace
}  // namespace percuss::pipeline
