// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: where the ball of a rendered clip, or a drawn disc, is.

#include "tracking/ball/ball_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "synthesis/ball/ball_clip.h"

namespace percuss::tracking {
namespace {

// A ball hardly brighter than the wall, whose shadow on the floor stands out as much: where both
// part after a bounce, the shadow is nearer to where the ball was due than to where itself was.
TEST(FindBall, DoesNotExchangeABallAndItsShadow) {
  synthesis::BallSpec spec;
  spec.seed = 3017;
  spec.line_time = 5.5e-6;
  spec.bounces = 5;
  spec.radius = 0.0173;
  spec.mass = 0.0164;
  spec.start = {-0.3055, 0.0463, 0.5778};
  spec.velocity = {0.2766, -0.0227, 0.0};
  spec.e.values = {0.791};
  spec.mu = 0.348;
  spec.contact_time = 0.0009;
  spec.drag_coefficient = 0.44;
  spec.surface_normal = Eigen::Vector3d(0.0117, -0.0042, 1.0).normalized();
  spec.target = {0.0, 0.0, 0.2949};
  spec.camera =
      synthesis::BallCamera(1920, 1080, 1642.6, {-0.041, -1.2636, 0.4934}, spec.target, 0.0468);
  spec.light.ground = 0.4374;
  spec.light.wall = 0.4803;
  spec.light.ball = 0.7511;
  spec.light.ambient = 0.4009;
  const synthesis::BallClip clip(spec);
  const ClipSurvey survey = SurveyClip([&](const VisitFrame& visit) {
    for (int k = 0; k < clip.FrameCount(); ++k) visit(k, clip.FrameTime(k), clip.Frame(k));
  });
  const FoundBall found = FindBall(survey);
  ASSERT_EQ(found.reason, "");
  int off = 0;
  for (const TrackPoint& point : found.ball.points) {
    const synthesis::BallView view = clip.View(point.frame);
    off += (point.centre - view.outline_centre).norm() > view.radius_px;
  }
  EXPECT_LE(off, static_cast<int>(found.ball.points.size()) / 10);
  EXPECT_GE(found.ball.flights.size(), 5U);
}

/// A ball of 24 px falls by 400 px, bounces twice with e = 0.8, and its shadow comes nearer and
/// goes away again. At the bounces both are one thing, the ball in front; then the shadow is seen
/// by itself some frames before the ball is.
class BallAndShadow {
 public:
  static constexpr int kFrames = 360, kShrink = 4;

  /// Height of the ball's lowest point [px of the small pictures].
  static double Height(int frame) {
    double time = frame, speed = 0.0, height = 100.0;
    for (;;) {
      const double lands = (speed + std::sqrt(speed * speed + 2.0 * kG * height)) / kG;
      if (time < lands) return height + speed * time - 0.5 * kG * time * time;
      time -= lands;
      speed = 0.8 * (kG * lands - speed);
      height = 0.0;
    }
  }
  static Eigen::Vector2d Centre(int frame) {
    return {40.0 + 0.1 * frame, kGround - kRadius - Height(frame)};
  }

  static ClipSurvey Survey() {
    ClipSurvey survey;
    survey.size = {kShrink * 120, kShrink * 150};
    survey.shrink = kShrink;
    survey.small_ground = cv::Mat(150, 120, CV_8UC1, cv::Scalar(100));
    for (int frame = 0; frame < kFrames; ++frame) {
      survey.times.push_back(frame / 480.0);
      cv::Mat picture = survey.small_ground.clone();
      const double height = Height(frame), before = Height(frame - 1);
      const bool near = height<14.0, rises = frame> 0 && height > before;
      const Eigen::Vector2d shadow(Centre(frame).x() - 8.0 - 0.3 * height, kGround - 0.1 * height);
      if (!near || rises) Disc(shadow, 3.0, 60, &picture);
      if (!(near && rises)) Disc(Centre(frame), kRadius, 200, &picture);
      survey.small.push_back(picture);
    }
    return survey;
  }

 private:
  static constexpr double kG = 0.02, kRadius = 6.0, kGround = 130.0;

  static void Disc(const Eigen::Vector2d& centre, double radius, int grey, cv::Mat* picture) {
    constexpr int kBits = 6;
    const auto fixed = [](double x) { return static_cast<int>(std::lround(x * (1 << kBits))); };
    cv::circle(*picture, {fixed(centre.x()), fixed(centre.y())}, fixed(radius), grey, cv::FILLED,
               cv::LINE_AA, kBits);
  }
};

TEST(FindBall, FollowsABallWhoseTrackGoesOnInItsShadow) {
  const FoundBall found = FindBall(BallAndShadow::Survey());
  ASSERT_EQ(found.reason, "");
  ASSERT_EQ(found.ball.flights.size(), 3U);
  for (const RoughFlight& flight : found.ball.flights) {
    for (int i = flight.first; i <= flight.last; ++i) {
      const TrackPoint& point = found.ball.points[i];
      const Eigen::Vector2d truth =
          BallAndShadow::kShrink * (BallAndShadow::Centre(point.frame).array() + 0.5) - 0.5;
      EXPECT_LT((point.centre - truth).norm(), 4.0) << "frame " << point.frame;
    }
  }
}

}  // namespace
}  // namespace percuss::tracking
