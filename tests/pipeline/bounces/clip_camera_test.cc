// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: rendered clips, as a sensor would store them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/imgcodecs.hpp>

#include "pipeline/bounces/bounce_clip.h"
#include "synthesis/ball/ball_clip.h"
#include "tests/base/temporary_folder.h"
#include "tests/capture/video/written_video.h"

namespace percuss::pipeline {
namespace {

using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WriteVideo;
using ::percuss::testing::WrittenVideo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kLineTime = 2.5e-5;

/// A ball before a camera whose sensor is turned anticlockwise in quarters, as large in the picture
/// through any lens.
synthesis::BallSpec TurnedSpec(int quarters, double focal) {
  synthesis::BallSpec spec;
  spec.frame_rate = 60.0;
  spec.bounces = 1;
  spec.line_time = kLineTime;
  const double roll = -0.5 * std::numbers::pi * quarters;
  const Eigen::Vector3d position(0.0, -focal / 500.0, 0.3);
  spec.target = {0.0, 0.0, 0.28};
  spec.camera = synthesis::BallCamera(640, 480, focal, position, spec.target, roll);
  spec.start = {-0.15, 0.0, 0.45};
  spec.velocity = {0.2, 0.0, 0.0};
  spec.hold = 0.1;
  return spec;
}

WrittenVideo Rendered(const synthesis::BallSpec& spec) {
  const synthesis::BallClip clip(spec);
  WrittenVideo video{.codec = AV_CODEC_ID_PNG,
                     .format = AV_PIX_FMT_GRAY8,
                     .width = spec.camera.width,
                     .height = spec.camera.height,
                     .time_base = {1, static_cast<int>(spec.frame_rate)}};
  for (int k = 0; k < clip.FrameCount(); ++k) {
    std::vector<uchar> bytes;
    cv::imencode(".png", clip.Frame(k), bytes, {cv::IMWRITE_PNG_COMPRESSION, 1});
    video.packets.push_back({.time = k, .bytes = std::string(bytes.begin(), bytes.end())});
  }
  return video;
}

class TurnedClip : public ::testing::TestWithParam<int> {};

TEST_P(TurnedClip, TheShutterRollsAlongTheRowsOfTheSensor) {
  const int quarters = GetParam();
  const TemporaryFolder folder;
  WrittenVideo video = Rendered(TurnedSpec(quarters, 560.0));
  video.clockwise_deg = 90.0 * quarters;
  WriteVideo(folder / "clip.mov", video);
  const BounceClip clip = MeasureBounces(folder / "clip.mov", {.jobs = 2}, nullptr);
  EXPECT_EQ(clip.survey.size, quarters % 2 == 0 ? cv::Size(640, 480) : cv::Size(480, 640));
  EXPECT_GT(clip.ball.down.y(), 5.0 * std::abs(clip.ball.down.x()));  // upright
  const ValueWithSigma& line = clip.fit.line_time;
  EXPECT_LT(line.sigma, 0.3 * kLineTime);
  EXPECT_NEAR(line.value, kLineTime, 4.0 * line.sigma);
  const Eigen::Vector2d roll = RollOf(clip.survey.size, clip.camera.turn);
  const Eigen::Vector2d truth[4] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  EXPECT_EQ(roll, truth[quarters]);
}

INSTANTIATE_TEST_SUITE_P(AllTurns, TurnedClip, ::testing::Range(0, 4));

TEST(ClipCamera, TheFocalLengthOfTheFileReachesTheFit) {
  const TemporaryFolder folder;
  // Through a long lens perspective says little of it.
  constexpr double kFocal = 1100.0;
  WrittenVideo video = Rendered(TurnedSpec(0, kFocal));
  const auto measured = [&](const std::string& focal, const BounceOptions& options) {
    video.keys = {{"com.apple.quicktime.camera.focal_length.35mm_equivalent", focal}};
    WriteVideo(folder / "clip.mov", video);
    return MeasureBounces(folder / "clip.mov", options, nullptr);
  };
  const BounceClip unknown = measured("-3", {.jobs = 2});
  EXPECT_THAT(
      unknown.warnings,
      ElementsAre("com.apple.quicktime.camera.focal_length.35mm_equivalent: found -3 in "
                  "the file, allowed 5 to 2000 mm: not used, --focal-35mm states it by hand"));
  EXPECT_EQ(unknown.focal.source, "what is usual");
  EXPECT_NEAR(unknown.focal.focal.value, 0.85 * 640.0, 1e-9);
  // A picture of 800 px across.
  const BounceClip known = measured("57.00mm", {.jobs = 2});
  EXPECT_THAT(known.warnings, ElementsAre());
  EXPECT_THAT(known.focal.source, HasSubstr("57 mm"));
  EXPECT_NEAR(known.focal.focal.value, 1.05 * 57.0 / 43.267 * 800.0, 0.1);
  EXPECT_NEAR(known.focal.focal.sigma, 0.1 * known.focal.focal.value, 1e-6);
  // What the motion shows by itself, and what the file says, as two measurements.
  const double by_motion =
      std::pow(unknown.fit.focal.sigma, -2.0) - std::pow(unknown.focal.focal.sigma, -2.0);
  const double both = 1.0 / std::sqrt(by_motion + std::pow(known.focal.focal.sigma, -2.0));
  EXPECT_NEAR(known.fit.focal.sigma, both, 0.1 * both);
  EXPECT_LT(std::abs(known.fit.focal.value - kFocal), std::abs(unknown.fit.focal.value - kFocal));
  EXPECT_NEAR(known.fit.focal.value, kFocal, 4.0 * known.fit.focal.sigma);
}

// The diagonal of a photo of 4:3 about the picture: 16:9 is cut from its full width.
TEST(ClipCamera, FocalLengthsOfVideosCountByThePhotoAboutThem) {
  const double per_mm = 1.05 / 43.267;
  EXPECT_NEAR(FocalOf35mm(26.0, {4000, 3000}).value, 26.0 * per_mm * 5000.0, 1e-6);
  EXPECT_NEAR(FocalOf35mm(26.0, {1920, 1080}).value, 26.0 * per_mm * 2400.0, 1e-6);
  EXPECT_NEAR(FocalOf35mm(26.0, {1080, 1920}).value, 26.0 * per_mm * 2400.0, 1e-6);
  EXPECT_NEAR(FocalOf35mm(26.0, {1000, 1000}).value, 26.0 * per_mm * std::sqrt(2e6), 1e-6);
}

TEST(ClipCamera, ALensWinsOverWhatIsTypedAndThatOverTheFile) {
  const cv::Size size(640, 480);
  BounceOptions options;
  EXPECT_EQ(FocalBefore(size, {}, options).source, "what is usual");
  options.camera.focal_35mm = 57.0;
  EXPECT_EQ(FocalBefore(size, {}, options).focal.value, FocalOf35mm(57.0, size).value);
  options.focal_35mm = 90.0;
  const FocalPrior typed = FocalBefore(size, {}, options);
  EXPECT_EQ(typed.focal.value, FocalOf35mm(90.0, size).value);
  EXPECT_EQ(typed.source, "--focal-35mm 90");
  calibration::Camera lens;
  lens.intrinsics[0] = 700.0;
  EXPECT_EQ(FocalBefore(size, lens, options).focal.value, 700.0);
}

TEST(ClipCamera, WithoutATurnTheShutterIsGuessedFromTheSize) {
  EXPECT_EQ(RollOf({640, 480}, {}), Eigen::Vector2d(0, 1));
  EXPECT_EQ(RollOf({480, 640}, {}), Eigen::Vector2d(1, 0));
  EXPECT_EQ(RollOf({480, 640}, {.stated = true, .quarters = 1}), Eigen::Vector2d(-1, 0));
}

}  // namespace
}  // namespace percuss::pipeline
