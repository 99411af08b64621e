// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Sources of truth: the geometry of the outline of a sphere, and what another way of rendering
// gives.

#include "synthesis/ball/ball_clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>

#include "synthesis/ball/ball_renderer.h"
#include "synthesis/ball/camera_shake.h"
#include "synthesis/scene/sensor.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// An evenly bright ball before an evenly bright wall that fills the picture: levels 204 and 51.
BallSpec EvenBall() {
  BallSpec spec;
  spec.camera = BallCamera(640, 480, 900.0, {0.0, -1.2, 0.4}, {0.0, 0.0, 0.35});
  spec.noise.reset();
  spec.tone = capture::Tone::Kind::kLinear;
  spec.light.gradient = spec.light.texture = spec.light.shadow = 0.0;
  spec.light.ground = spec.light.wall = 0.2;
  spec.light.ball = 0.8;
  spec.light.ambient = 1.0;
  return spec;
}

struct Disc {
  Vector2d centre = Vector2d::Zero();
  double radius = 0.0;
};

// Of all light that is not that of the wall.
Disc DiscIn(const cv::Mat& grey) {
  double area = 0.0;
  Vector2d sum = Vector2d::Zero();
  for (int y = 0; y < grey.rows; ++y) {
    for (int x = 0; x < grey.cols; ++x) {
      const double share = (grey.at<unsigned char>(y, x) - 51.0) / 153.0;
      area += share;
      sum += share * Vector2d(x, y);
    }
  }
  return {sum / area, std::sqrt(area / std::numbers::pi)};
}

// Rounding to grey values moves a radius or a centre of 600 pixels of outline by 5e-4 px.
TEST(BallClip, TheDiscIsWhereViewSays) {
  for (const double blur : {0.0, 0.7, 2.0}) {
    for (const Vector3d& place :
         {Vector3d(0.0, 0.0, 0.35), Vector3d(0.22, 0.1, 0.5), Vector3d(-0.3, -0.1, 0.25)}) {
      for (const double k1 : {0.0, -0.2}) {
        BallSpec spec = EvenBall();
        spec.blur_px = blur;
        spec.start = place;
        spec.camera.k1 = k1;
        spec.camera.p1 = 0.01 * k1;
        const BallClip clip(spec);
        const BallView view = clip.View(0);
        const Disc disc = DiscIn(clip.Frame(0));
        ASSERT_TRUE(view.inside);
        EXPECT_NEAR(disc.radius, view.radius_px, 0.003) << blur << " " << place.transpose();
        EXPECT_LT((disc.centre - view.outline_centre).norm(), 0.003)
            << blur << " " << place.transpose() << " " << k1;
        const auto pixel = Project(spec.camera, place);
        EXPECT_LT((view.pixel - *pixel).norm(), 1e-12);
        EXPECT_LT((view.centre_C - spec.camera.R_CW * place - spec.camera.t_CW).norm(), 1e-12);
      }
    }
  }
}

// A sphere of radius R on the axis at distance D is seen as a circle of f R / sqrt(D^2 - R^2);
// aside by the angle a as an ellipse with semi-axes in closed form.
TEST(BallClip, TheOutlineIsThatOfAConeThroughAPlane) {
  Camera camera;
  camera.width = camera.height = 1000;
  camera.fx = camera.fy = 1000.0;
  const double D = 0.5, R = 0.1, cone = std::asin(R / D);
  const BallOutline ahead = OutlineOfBall(camera, {0.0, 0.0, D}, R);
  EXPECT_NEAR(std::sqrt(ahead.area / std::numbers::pi), 1000.0 * std::tan(cone), 1e-5);
  const double a = 0.4;
  const BallOutline aside = OutlineOfBall(camera, {D * std::sin(a), 0.0, D * std::cos(a)}, R);
  const double far = 1000.0 * std::tan(a + cone), near = 1000.0 * std::tan(a - cone);
  EXPECT_NEAR(aside.centre.x(), 0.5 * (far + near), 2e-3);  // of 360 sides
  EXPECT_NEAR(aside.centre.y(), 0.0, 1e-9);
  // The cone (r . axis)^2 = cos^2 |r|^2 at the middle of the long axis gives the short one.
  const double x = 0.5 * (far + near) / 1000.0;
  const double along = x * std::sin(a) + std::cos(a);
  const double y2 = along * along / std::pow(std::cos(cone), 2) - x * x - 1.0;
  EXPECT_NEAR(aside.area, std::numbers::pi * 0.5 * (far - near) * 1000.0 * std::sqrt(y2), 0.2);
}

TEST(BallClip, AMovingBallIsBlurredAroundWhereItIsAtMidExposure) {
  BallSpec spec = EvenBall();
  spec.hold = 0.0;
  spec.start = {-0.15, 0.0, 0.5};
  spec.velocity = {2.0, 0.0, 0.5};
  spec.exposure = 0.008;
  const BallClip clip(spec);
  const Disc disc = DiscIn(clip.Frame(3));
  const BallView view = clip.View(3);
  Vector2d mean = Vector2d::Zero();
  constexpr int kTimes = 400;
  double area = 0.0;
  for (int k = 0; k < kTimes; ++k) {
    const double t = view.time + spec.exposure * ((k + 0.5) / kTimes - 0.5);
    const BallOutline outline = OutlineOfBall(
        spec.camera, spec.camera.R_CW * clip.Motion().At(t).p + spec.camera.t_CW, spec.radius);
    mean += outline.area * outline.centre;
    area += outline.area;
  }
  EXPECT_LT((disc.centre - mean / area).norm(), 0.003);
  EXPECT_NEAR(disc.radius, std::sqrt(area / kTimes / std::numbers::pi), 0.003);
  // Gravity bends 8 ms of flight by g T^2 / 24 = 26 um, 0.02 px.
  EXPECT_LT((disc.centre - view.outline_centre).norm(), 0.025);
  EXPECT_NEAR(view.time, clip.FrameTime(3), 1e-15);
}

// A rolling shutter shows a ball that moves across slanted, its middle where it was when its middle
// row was read.
TEST(BallClip, ARollingShutterReadsEachRowAtItsTime) {
  BallSpec spec = EvenBall();
  spec.hold = 0.0;
  spec.start = {-0.15, 0.0, 0.45};
  spec.velocity = {2.0, 0.0, 1.0};
  spec.exposure = 1e-4;
  spec.line_time = 5e-5;
  const BallClip clip(spec);
  const Disc disc = DiscIn(clip.Frame(2));
  const BallView view = clip.View(2);
  EXPECT_NEAR(view.time - clip.FrameTime(2), 5e-5 * (view.pixel.y() - 239.5), 1e-9);
  EXPECT_LT((disc.centre - view.outline_centre).norm(), 0.03);
  const BallState at_frame = clip.Motion().At(clip.FrameTime(2));
  EXPECT_GT((disc.centre - *Project(spec.camera, at_frame.p)).norm(), 1.0);
}

BallSpec TexturedBall() {
  BallSpec spec;
  spec.camera = BallCamera(480, 360, 600.0, {0.0, -1.2, 0.4}, {0.0, 0.0, 0.35});
  spec.camera.k1 = -0.1;
  spec.noise.reset();
  return spec;
}

// What a hand turns: the picture of the turned camera, traced anew, against the one that was
// interpolated. And the ball stands in it where View says.
TEST(BallClip, AShakenPictureIsThatOfTheTurnedCamera) {
  BallSpec spec = TexturedBall();
  spec.light.shadow = 0.0;
  spec.start = {0.1, 0.0, 0.5};
  spec.hold = 1.0;
  spec.shake = {.amplitude_px = 6.0, .rate = 3.0};
  const BallClip clip(spec);
  spec.shake.amplitude_px = 0.0;
  double largest_shift = 0.0;
  for (const int frame : {0, 7, 19}) {
    BallSpec turned = spec;
    turned.camera = clip.FrameCamera(frame);
    // Of a clip that does not shake, the wall stands where the first camera put it.
    const BallScenery scenery(spec);
    const CoarseRays rays(spec.camera, 0);
    const cv::Rect area(0, 0, 4 * 480, 4 * 360);
    const cv::Mat parts = RenderScenery(scenery, rays, turned.camera, area, 4);
    cv::Mat exact = Pixels(Blurred(parts, 4 * spec.blur_px, 0.0), 4);
    cv::Mat grey = clip.Frame(frame), as_grey = Photograph(exact, {}, spec.tone, 1);
    const BallView view = clip.View(frame);
    const cv::Rect ball(static_cast<int>(view.pixel.x()) - 20,
                        static_cast<int>(view.pixel.y()) - 20, 40, 40);
    grey(ball).setTo(0);
    as_grey(ball).setTo(0);
    // Light is rounded to whole grey values on both sides, which a hair may tip.
    EXPECT_LE(cv::norm(grey, as_grey, cv::NORM_INF), 2.0) << frame;
    EXPECT_LT(cv::norm(grey, as_grey, cv::NORM_L2SQR) / static_cast<double>(grey.total()), 0.05);
    largest_shift =
        std::max(largest_shift, (view.pixel - *Project(spec.camera, spec.start)).norm());
    const auto pixel = Project(turned.camera, spec.start);
    EXPECT_LT((view.pixel - *pixel).norm(), 1e-9);
  }
  EXPECT_GT(largest_shift, 2.0);

  BallSpec even = EvenBall();
  even.shake = {.amplitude_px = 6.0, .rate = 3.0};
  even.start = {0.1, 0.0, 0.5};
  even.hold = 1.0;
  const BallClip shaken(even);
  for (const int frame : {0, 7}) {
    const Disc disc = DiscIn(shaken.Frame(frame));
    EXPECT_LT((disc.centre - shaken.View(frame).outline_centre).norm(), 0.003) << frame;
  }
}

// Around the ball a picture is drawn anew; nothing shows where.
TEST(BallClip, WhatIsDrawnAroundTheBallJoinsTheRest) {
  BallSpec spec = TexturedBall();
  spec.light.shadow = 0.0;
  spec.start = {0.0, 0.0, 0.12};  // before the edge between ground and wall
  const BallClip here(spec);
  spec.start = {-0.25, 0.0, 0.5};
  const BallClip there(spec);
  const cv::Mat a = here.Frame(0), b = there.Frame(0);
  const BallView seen[] = {here.View(0), there.View(0)};
  int differing = 0;
  for (int y = 0; y < a.rows; ++y) {
    for (int x = 0; x < a.cols; ++x) {
      const Vector2d pixel(x, y);
      const bool ball = (pixel - seen[0].pixel).norm() < seen[0].radius_px + 5.0 ||
                        (pixel - seen[1].pixel).norm() < seen[1].radius_px + 5.0;
      if (!ball && a.at<unsigned char>(y, x) != b.at<unsigned char>(y, x)) ++differing;
    }
  }
  EXPECT_EQ(differing, 0);
}

TEST(BallClip, AShadowDarkensTheGroundAndNothingElse) {
  BallSpec spec = TexturedBall();
  spec.start = {0.0, 0.2, 0.1};
  const BallClip with(spec);
  spec.light.shadow = 0.0;
  const BallClip without(spec);
  cv::Mat lost;
  cv::subtract(without.Frame(0), with.Frame(0), lost);
  EXPECT_GT(cv::countNonZero(lost), 100);
  EXPECT_EQ(cv::countNonZero(with.Frame(0) > without.Frame(0)), 0);
  // The shadow is where the lamp's ray through the ball's centre meets the ground.
  const Vector3d& lamp = spec.light.lamp;
  const Vector3d place = spec.start - spec.start.z() / lamp.z() * lamp;
  const auto pixel = Project(spec.camera, place);
  const cv::Moments moments = [&] {
    cv::Moments m;
    for (int y = 0; y < lost.rows; ++y) {
      for (int x = 0; x < lost.cols; ++x) {
        const double value = lost.at<unsigned char>(y, x);
        m.m00 += value, m.m10 += value * x, m.m01 += value * y;
      }
    }
    return m;
  }();
  EXPECT_NEAR(moments.m10 / moments.m00, pixel->x(), 2.0);
  EXPECT_NEAR(moments.m01 / moments.m00, pixel->y(), 2.0);
}

// Dots are fixed to the ball: turned by the angle between two pictures, the same dots are
// elsewhere.
TEST(BallClip, APatternTurnsWithTheBall) {
  BallSpec spec = EvenBall();
  spec.hold = 0.0;
  spec.frame_rate = 100.0;
  spec.exposure = 1e-4;
  spec.texture.kind = BallTexture::Kind::kDots;
  spec.velocity.setZero();
  spec.angular_velocity = {0.0, 0.0, 2.0 * std::numbers::pi * 50.0};  // half a turn each picture
  spec.gravity = {0.0, 0.0, -0.6};
  const BallClip clip(spec);
  const cv::Mat first = clip.Frame(0), second = clip.Frame(1), third = clip.Frame(2);
  const auto difference = [](const cv::Mat& a, const cv::Mat& b) {
    return cv::norm(a, b, cv::NORM_L1);
  };
  EXPECT_GT(difference(first, second), 10.0 * difference(first, third));
}

TEST(BallClip, TheSameNumberGivesTheSamePictureAndNoiseIsNew) {
  BallSpec spec = TexturedBall();
  spec.noise = NoiseSpec{};
  const BallClip clip(spec), again(spec);
  EXPECT_EQ(cv::norm(clip.Frame(3), again.Frame(3), cv::NORM_INF), 0.0);
  EXPECT_GT(cv::norm(clip.Frame(2), clip.Frame(3), cv::NORM_L1),
            0.3 * static_cast<double>(clip.Frame(2).total()));
  EXPECT_EQ(clip.FrameCount(), 61);
}

}  // namespace
}  // namespace percuss::synthesis
