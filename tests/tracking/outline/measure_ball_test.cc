// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: rendered clips of a ball.

#include "tracking/outline/measure_ball.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "capture/video/tone.h"
#include "synthesis/ball/ball_clip.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

synthesis::BallSpec SmallClip() {
  synthesis::BallSpec spec;
  spec.frame_rate = 60.0;
  spec.bounces = 2;
  spec.camera = synthesis::BallCamera(960, 540, 800.0, {0.0, -1.1, 0.4}, {0.0, 0.0, 0.28});
  spec.target = {0.0, 0.0, 0.28};
  return spec;
}

struct RenderedClip {
  std::shared_ptr<synthesis::BallClip> clip;
  std::vector<cv::Mat> pictures;
  ClipFrames frames;

  explicit RenderedClip(const synthesis::BallSpec& spec)
      : clip(std::make_shared<synthesis::BallClip>(spec)) {
    for (int k = 0; k < clip->FrameCount(); ++k) pictures.push_back(clip->Frame(k));
    frames = [this](const VisitFrame& visit) {
      for (std::size_t k = 0; k < pictures.size(); ++k)
        visit(static_cast<int>(k), clip->FrameTime(static_cast<int>(k)), pictures[k]);
    };
  }
};

/// Rms of the distances of outlines from the truth in flight, away from contacts [px].
double RmsOf(const RenderedClip& rendered, const MeasuredBall& ball) {
  double sum = 0.0;
  int count = 0;
  for (const BallSighting& seen : ball.sightings) {
    const auto& bounces = rendered.clip->Motion().bounces;
    const bool touches = std::ranges::any_of(
        bounces, [&](const auto& bounce) { return std::abs(bounce.time - seen.time) < 5e-3; });
    const synthesis::BallView view = rendered.clip->View(seen.frame);
    if (touches || view.phase != synthesis::BallPhase::kFlight) continue;
    sum += (seen.centre - view.outline_centre).squaredNorm();
    ++count;
  }
  return std::sqrt(sum / (2.0 * count));
}

/// A rendered clip with its ball found.
struct SeenClip {
  RenderedClip rendered;
  ClipSurvey survey;
  FoundBall found;
  OutlineWork work;

  explicit SeenClip(const synthesis::BallSpec& spec)
      : rendered(spec),
        survey(SurveyClip(rendered.frames)),
        found(FindBall(survey)),
        work(LookAtBall(rendered.frames, survey, found.ball,
                        {.light_of_grey = capture::LightOfGrey({}), .focal = {}, .jobs = 2})) {
    EXPECT_EQ(found.reason, "");
  }
};

TEST(MeasureBall, FindsTheOutlineAndTheLens) {
  SeenClip clip(SmallClip());
  EXPECT_FALSE(clip.survey.shake.shakes);
  EXPECT_TRUE(clip.found.warnings.empty());  // its shadow is no other ball
  const MeasuredBall ball = MeasureBall(clip.survey.shake, &clip.work);
  EXPECT_EQ(ball.flights.size(), 3U);
  EXPECT_LT(RmsOf(clip.rendered, ball), 0.05);
  EXPECT_NEAR(ball.exposure, 0.004, 2e-4);
  const ValueWithSigma& inverse = ball.shape.inverse_focal_squared;
  EXPECT_NEAR(inverse.value, 1.0 / (800.0 * 800.0), 4.0 * inverse.sigma);
}

TEST(MeasureBall, FollowsAnEvenBallToAHundredthOfAPixel) {
  synthesis::BallSpec spec = SmallClip();
  spec.light.ambient = 1.0;
  spec.light.shadow = 0.0;
  SeenClip clip(spec);
  const MeasuredBall ball = MeasureBall(clip.survey.shake, &clip.work);
  EXPECT_LT(RmsOf(clip.rendered, ball), 0.015);
}

TEST(MeasureAgain, TakesTheRightShutterForAWrongOne) {
  synthesis::BallSpec spec = SmallClip();
  spec.line_time = 2e-5;
  SeenClip clip(spec);
  const CameraShake& shake = clip.survey.shake;
  const MeasuredBall first = MeasureBall(shake, &clip.work);
  const MeasuredBall wrong = MeasureAgain(shake, {-6e-5, 1e-9}, &clip.work);
  const MeasuredBall right = MeasureAgain(shake, {spec.line_time, 1e-9}, &clip.work);
  EXPECT_EQ(right.shape.line_time.value, spec.line_time);
  EXPECT_LT(RmsOf(clip.rendered, right), 0.5 * RmsOf(clip.rendered, wrong));
  EXPECT_LT(RmsOf(clip.rendered, right), RmsOf(clip.rendered, first) + 0.005);
}

TEST(MeasureBall, AHandThatShakesIsTakenOut) {
  synthesis::BallSpec spec = SmallClip();
  spec.shake.amplitude_px = 4.0;
  const RenderedClip rendered(spec);
  const ClipSurvey survey = SurveyClip(rendered.frames);
  ASSERT_TRUE(survey.shake.shakes);
  // A rotation per frame: what the truth's turns differ by from ours is the same in all frames.
  const Eigen::Vector2d middle = survey.shake.middle;
  std::vector<Eigen::Vector2d> errors;
  for (int k = 0; k < rendered.clip->FrameCount(); ++k) {
    const synthesis::Camera camera = rendered.clip->FrameCamera(k);
    const synthesis::Camera& still = rendered.clip->Spec().camera;
    const Eigen::Vector3d ray = camera.R_CW * still.R_CW.transpose() *
                                Eigen::Vector3d((middle.x() - still.cx) / still.fx,
                                                (middle.y() - still.cy) / still.fy, 1.0);
    const Eigen::Vector2d truth(still.fx * ray.x() / ray.z() + still.cx,
                                still.fy * ray.y() / ray.z() + still.cy);
    errors.push_back(survey.shake.InFrame(k, middle) - truth);
  }
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& error : errors) mean += error / static_cast<double>(errors.size());
  double sum = 0.0;
  for (const Eigen::Vector2d& error : errors) sum += (error - mean).squaredNorm();
  EXPECT_LT(std::sqrt(sum / static_cast<double>(errors.size())), 0.08);
}

TEST(FindBall, SaysThatNothingMoves) {
  synthesis::BallSpec spec = SmallClip();
  spec.start = {30.0, 0.0, 0.5};  // far outside the picture
  spec.bounces = 0;
  spec.duration = 0.4;
  const RenderedClip rendered(spec);
  const FoundBall found = FindBall(SurveyClip(rendered.frames));
  EXPECT_THAT(found.reason, HasSubstr("nothing moves in the clip"));
}

TEST(FindBall, ABallThatNeverBouncesIsNone) {
  synthesis::BallSpec spec = SmallClip();
  spec.bounces = 0;
  spec.duration = 0.45;  // it touches at 0.51 s
  const RenderedClip rendered(spec);
  const FoundBall found = FindBall(SurveyClip(rendered.frames));
  EXPECT_THAT(found.reason, HasSubstr("nothing that moves flies on two parabolas with a bounce"));
}

TEST(SurveyClip, WantsSomeFrames) {
  const cv::Mat picture(100, 100, CV_8UC1, cv::Scalar(9));
  const ClipFrames three = [&](const VisitFrame& visit) {
    for (int k = 0; k < 3; ++k) visit(k, 0.1 * k, picture);
  };
  try {
    SurveyClip(three);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "found 3 frames, allowed at least 8");
  }
}

}  // namespace
}  // namespace percuss::tracking
