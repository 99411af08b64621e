// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: where the ball of a rendered clip is.

#include "tracking/ball/ball_track.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace percuss::tracking
