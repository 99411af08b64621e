// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: outlines projected point by point, and the pictures of a global shutter.

#include "synthesis/scene/renderer.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>

#include "tests/synthesis/spec_of.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Centroid and area of the outline of a marker's image: the polygon of many projected points.
struct Outline {
  Vector2d centroid = Vector2d::Zero();
  double area = 0.0;
};

Outline OutlineOf(const Camera& camera, const Vector3d& centre_W, const Vector3d& normal_W,
                  double radius) {
  const Vector3d along = normal_W.unitOrthogonal(), across = normal_W.cross(along);
  constexpr int kPoints = 2000;
  const Vector2d origin = *Project(camera, centre_W);
  Outline outline;
  const auto at = [&](int k) -> Vector2d {
    const double angle = 2.0 * std::numbers::pi * k / kPoints;
    const Vector3d p = centre_W + radius * (std::cos(angle) * along + std::sin(angle) * across);
    return *Project(camera, p) - origin;
  };
  for (int k = 0; k < kPoints; ++k) {
    const Vector2d a = at(k), b = at(k + 1);
    const double swept = a.x() * b.y() - a.y() * b.x();
    outline.area += 0.5 * swept;
    outline.centroid += swept / 6.0 * (a + b);
  }
  outline.centroid = outline.centroid / outline.area + origin;
  outline.area = std::abs(outline.area);
  return outline;
}

// What the markers alone add to the light of a layer: with one marker, its covered area.
Outline MarkerInPicture(SceneSpec spec, const Shutter& shutter,
                        const std::function<State(double)>& state_at) {
  const Camera& camera = spec.cameras[0];
  const PixelRays rays(camera);
  spec.light.marker = 0.8;
  const Layer with = RenderBody(camera, rays, spec, {}, shutter, state_at);
  spec.light.marker = spec.light.body;
  const Layer without = RenderBody(camera, rays, spec, {}, shutter, state_at);
  Outline found;
  double light = 0.0;
  for (int y = 0; y < with.area.height; ++y) {
    for (int x = 0; x < with.area.width; ++x) {
      const double extra = with.light.at<float>(y, x) - without.light.at<float>(y, x);
      light += extra;
      found.centroid += extra * Vector2d(x + with.area.x, y + with.area.y);
    }
  }
  found.centroid /= light;
  found.area = light / (0.8 - spec.light.body);  // times the shading of its face
  return found;
}

SceneSpec OneMarker() {
  SceneSpec spec = SpecOf("name: test");  // 1280 x 720
  spec.body.markers.resize(1);
  spec.light.ambient = 1.0;  // no shading: light is reflectance
  return spec;
}

State Held(double turn) {
  State state;
  state.p_WB = {0.1 + 0.013 * turn, -0.03, 0.15};
  state.q_WB = Eigen::Quaterniond(
      Eigen::AngleAxisd(0.9 + 0.15 * turn, Vector3d(1.0, 0.2 * turn, 0.1).normalized()));
  return state;
}

TEST(RenderGround, ReferenceMarkersAreWhereTheyAreStated) {
  SceneSpec spec = OneMarker();
  const Camera& camera = spec.cameras[1];
  const PixelRays rays(camera);
  const ReferenceMarker marker{.name = "O1",
                               .position = {0.1, -0.15, 0.045},
                               .normal = Vector3d(0.1, -0.5, 1.0).normalized(),
                               .diameter = 0.01};
  const cv::Mat with = RenderGround(camera, rays, spec.light, {}, {marker});
  const cv::Mat without = RenderGround(camera, rays, spec.light, {});
  // On an even ground it would be its area; it hides ground that is even but for a twentieth.
  Vector2d centroid = Vector2d::Zero();
  double light = 0.0;
  for (int y = 0; y < with.rows; ++y) {
    for (int x = 0; x < with.cols; ++x) {
      const double extra = with.at<float>(y, x) - without.at<float>(y, x);
      light += extra;
      centroid += extra * Vector2d(x, y);
    }
  }
  const Outline truth = OutlineOf(camera, marker.position, marker.normal, 0.5 * marker.diameter);
  EXPECT_LT((centroid / light - truth.centroid).norm(), 0.03);
  EXPECT_NEAR(light / (spec.light.marker - spec.light.ground), truth.area, 0.03 * truth.area);
  // From behind there is the ground, sampled more finely: its light is 0.08, the marker's 0.6.
  ReferenceMarker turned = marker;
  turned.normal = -marker.normal;
  const cv::Mat behind = RenderGround(camera, rays, spec.light, {}, {turned});
  EXPECT_LT(cv::norm(behind, without, cv::NORM_INF), 1e-3);
}

TEST(Renderer, ADiscHasTheAreaAndCentroidOfItsProjectedOutline) {
  const SceneSpec spec = OneMarker();
  for (int k = 0; k < 6; ++k) {
    const State state = Held(k);
    const Outline found = MarkerInPicture(spec, {}, [&](double) { return state; });
    const Outline exact =
        OutlineOf(spec.cameras[0], Vector3d(state.p_WB + state.q_WB * spec.body.markers[0].p_BM),
                  state.q_WB * Vector3d::UnitZ(), 0.5 * spec.body.marker_diameter);
    EXPECT_GT(exact.area, 20.0);
    EXPECT_LT((found.centroid - exact.centroid).norm(), 0.01) << k;
    EXPECT_NEAR(found.area / exact.area, 1.0, 0.01) << k;
  }
}

TEST(Renderer, MotionBlurHasTheMeanCentroidOverTheExposure) {
  const SceneSpec spec = OneMarker();
  State state = Held(1.0);
  const Vector3d velocity(1.5, 0.0, -2.5);
  const auto state_at = [&](double time) {
    State moved = state;
    moved.p_WB += time * velocity;
    return moved;
  };
  const Shutter shutter{.time = 0.01, .exposure = 0.004, .line_time = 0.0};  // blur of 12 px
  const Outline found = MarkerInPicture(spec, shutter, state_at);
  // Weighted by the area, which grows as the marker comes nearer.
  Vector2d mean = Vector2d::Zero();
  double area = 0.0;
  constexpr int kTimes = 101;
  for (int k = 0; k < kTimes; ++k) {
    const State now = state_at(0.01 + 0.004 * ((k + 0.5) / kTimes - 0.5));
    const Outline outline =
        OutlineOf(spec.cameras[0], Vector3d(now.p_WB + now.q_WB * spec.body.markers[0].p_BM),
                  now.q_WB * Vector3d::UnitZ(), 0.5 * spec.body.marker_diameter);
    mean += outline.area * outline.centroid;
    area += outline.area;
  }
  mean /= area;
  EXPECT_LT((found.centroid - mean).norm(), 0.01);
}

// Row y of a rolling shutter is row y of a global one at the time of that row.
TEST(Renderer, ARollingShutterExposesEachRowAtItsTime) {
  const SceneSpec spec = SmallSpec();
  const Camera& camera = spec.cameras[0];
  const PixelRays rays(camera);
  const Motion motion = PlanMotion(spec, spec.trials[0]);
  const auto state_at = [&](double time) { return motion.At(time); };
  const Shutter rolling{.time = motion.impact_time - 0.03, .exposure = 1e-6, .line_time = 4e-5};
  const Layer picture = RenderBody(camera, rays, spec, {}, rolling, state_at);
  ASSERT_GT(picture.area.height, 20);
  for (int y = picture.area.y + 5; y < picture.area.br().y; y += 12) {
    const double row_time = rolling.time + 4e-5 * (y - 89.5);
    const Shutter global{.time = row_time, .exposure = 1e-6, .line_time = 0.0};
    const Layer row = RenderBody(camera, rays, spec, {}, global, state_at);
    for (int x = 0; x < camera.width; ++x) {
      const auto at = [&](const Layer& layer) {
        const cv::Point place = cv::Point(x, y);
        return layer.area.contains(place) ? layer.uncovered.at<float>(place - layer.area.tl())
                                          : 1.0F;
      };
      ASSERT_NEAR(at(picture), at(row), 1e-6) << x << " " << y;
    }
  }
}

TEST(Renderer, TheBoardHasItsColoursAroundEachCorner) {
  const SceneSpec spec = SpecOf("name: test");
  const Camera& camera = spec.cameras[1];
  const Layer board = RenderBoard(camera, PixelRays(camera), spec.board, {});
  const auto light_at = [&](const Vector3d& p) {
    const Vector2d pixel = *Project(camera, p);
    const cv::Point place(static_cast<int>(std::lround(pixel.x())) - board.area.x,
                          static_cast<int>(std::lround(pixel.y())) - board.area.y);
    return board.light.at<float>(place);
  };
  const double s = spec.board.square;
  for (int i = 0; i < spec.board.columns; ++i) {
    for (int j = 0; j < spec.board.rows; ++j) {
      // The four squares around corner (i, j); the one up and left of corner (0, 0) is black.
      const bool black = (i + j) % 2 == 0;
      for (const double dx : {-0.2, 0.2}) {
        for (const double dy : {-0.2, 0.2}) {
          const bool same = (dx < 0.0) == (dy > 0.0);
          const float light = light_at({s * (i + dx), s * (-j + dy), 0.0});
          EXPECT_NEAR(light, same == black ? 0.02 : 0.6, 1e-5) << i << " " << j;
        }
      }
    }
  }
}

TEST(Renderer, APostHidesTheMarkersBehindIt) {
  SceneSpec spec = SpecOf("name: test");
  const Camera& camera = spec.cameras[0];
  const State state = PlanMotion(spec, spec.trials[0]).At(0.0);
  const Vector3d marker = state.p_WB + state.q_WB * spec.body.markers[2].p_BM;
  const Vector3d between = 0.5 * (marker + camera.Position());
  const PostSpec post{.position = between.head<2>(), .radius = 0.004, .height = 0.9};
  bool by_post = false;
  const MarkerSight free = LookAtMarker(camera, spec, {}, state, 2, &by_post);
  EXPECT_FALSE(free.covered);
  EXPECT_FALSE(by_post);
  const MarkerSight hidden = LookAtMarker(camera, spec, post, state, 2, &by_post);
  EXPECT_TRUE(hidden.covered);
  EXPECT_TRUE(by_post);
  const Layer layer =
      RenderBody(camera, PixelRays(camera), spec, post, {}, [&](double) { return state; });
  const cv::Point place(static_cast<int>(std::lround(free.pixel->x())) - layer.area.x,
                        static_cast<int>(std::lround(free.pixel->y())) - layer.area.y);
  EXPECT_FLOAT_EQ(layer.light.at<float>(place), static_cast<float>(spec.light.post));
}

}  // namespace
}  // namespace percuss::synthesis
