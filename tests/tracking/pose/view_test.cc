// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/view.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/pose/body_pose.h"

namespace percuss::tracking {
namespace {

const Eigen::Vector3d kPoint(0.11, -0.04, 0.17);

// Truth: OpenCV's projection, and central differences.
TEST(ProjectPoint, AgreesWithOpenCvAndItsOwnDerivative) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Views views = ViewsOf(trial.calibration);
  for (int side = 0; side < 2; ++side) {
    const View& view = views[static_cast<std::size_t>(side)];
    const auto projected = ProjectPoint(view, kPoint);
    ASSERT_TRUE(projected);
    EXPECT_LT((projected->pixel - OpenCvPixel(trial.calibration, side, kPoint)).norm(), 1e-9);
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d step = 1e-6 * Eigen::Vector3d::Unit(axis);
      const Eigen::Vector2d slope =
          (ProjectPoint(view, kPoint + step)->pixel - ProjectPoint(view, kPoint - step)->pixel) /
          2e-6;
      EXPECT_LT((slope - projected->by_point.col(axis)).norm(), 1e-4 * slope.norm() + 1e-4);
    }
  }
}

TEST(ProjectPoint, SeesNothingBehindTheCamera) {
  const Views views = ViewsOf(MakeSyntheticTrial().calibration);
  EXPECT_FALSE(ProjectPoint(views[0], views[0].Centre() + (views[0].Centre() - kPoint)));
}

// Truth: the centroid of many points of the disc, each weighed by the image area it covers, i.e. by
// 1 / depth^3.
TEST(DiscImageCentre, IsTheCentroidOfTheProjectedDisc) {
  const Eigen::Vector3d centre(0.12, -0.08, 0.5),
      normal = Eigen::Vector3d(0.5, -0.3, -0.6).normalized();
  const double radius = 0.03;  // large, so that the shift is large
  const Eigen::Vector3d e1 = normal.unitOrthogonal(), e2 = normal.cross(e1);
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  double weights = 0.0;
  constexpr int kRings = 400, kSpokes = 400;
  for (int i = 0; i < kRings; ++i) {
    const double r = radius * std::sqrt((i + 0.5) / kRings);  // equal areas
    for (int j = 0; j < kSpokes; ++j) {
      const double angle = 2.0 * std::numbers::pi * (j + 0.5) / kSpokes;
      const Eigen::Vector3d p = centre + r * (std::cos(angle) * e1 + std::sin(angle) * e2);
      const double weight = 1.0 / (p.z() * p.z() * p.z());
      sum += weight * Eigen::Vector2d(p.x(), p.y()) / p.z();
      weights += weight;
    }
  }
  const Eigen::Vector3d seen = DiscImageCentre<double>(centre, normal, radius);
  const Eigen::Vector2d predicted(seen.x() / seen.z(), seen.y() / seen.z());
  const double shift =
      (sum / weights - Eigen::Vector2d(centre.x(), centre.y()) / centre.z()).norm();
  EXPECT_GT(shift, 1e-4);
  EXPECT_LT((predicted - sum / weights).norm(), 1e-3 * shift);
}

// Truth: a known point; over 300 draws the mean of the normalised squared error is 3 within 3
// sqrt(6 / 300).
TEST(Triangulate, FindsThePointAndStatesItsCovariance) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Views views = ViewsOf(trial.calibration);
  std::mt19937 random(8);
  std::normal_distribution<double> noise(0.0, 0.2);
  const Eigen::Matrix2d covariance = 0.04 * Eigen::Matrix2d::Identity();
  double sum = 0.0;
  constexpr int kDraws = 300;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::array<Eigen::Vector2d, 2> pixels;
    for (int side = 0; side < 2; ++side) {
      pixels[static_cast<std::size_t>(side)] = OpenCvPixel(trial.calibration, side, kPoint) +
                                               Eigen::Vector2d{noise(random), noise(random)};
    }
    const auto point = Triangulate(views, pixels, {covariance, covariance});
    ASSERT_TRUE(point);
    const Eigen::Vector3d error = point->p_W - kPoint;
    sum += error.dot(point->covariance.inverse() * error);
  }
  EXPECT_NEAR(sum / kDraws, 3.0, 3.0 * std::sqrt(6.0 / kDraws));
}

TEST(Triangulate, RefusesRaysThatMeetBehindTheCameras) {
  const Views views = ViewsOf(MakeSyntheticTrial().calibration);
  const Eigen::Matrix2d unit = Eigen::Matrix2d::Identity();
  EXPECT_FALSE(
      Triangulate(views, {Eigen::Vector2d(50, 360), Eigen::Vector2d(1230, 360)}, {unit, unit}));
}

// Truth: a known pose, pixels with known noise. Normalised squared error: chi-square with 6 degrees
// of freedom.
TEST(EstimatePose, FindsThePoseAndStatesItsCovariance) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const MarkerLayout layout = LayoutOf(trial.body);
  const Views views = ViewsOf(trial.calibration);
  std::mt19937 random(9);
  double sum = 0.0;
  int count = 0;
  for (int run = 0; run < 5; ++run) {
    for (const TrackedFrame& frame : MakeTrackedFrames(trial, 0.1, &random)) {
      const solver::FlightState<double> truth = trial.StateAt(frame.time);
      // A start that is far off: 3 cm and 0.2 rad.
      const BodyPose start{
          truth.p_WB + Eigen::Vector3d(0.03, -0.02, 0.01),
          Eigen::AngleAxisd(0.2, Eigen::Vector3d(1, 2, -1).normalized()) * truth.q_WB};
      const PoseEstimate estimate = EstimatePose(views, layout, frame.observations, start, 0.0);
      ASSERT_TRUE(estimate.found);
      const Eigen::AngleAxisd turn(truth.q_WB * estimate.pose.q_WB.conjugate());
      Eigen::Matrix<double, 6, 1> error;
      error << truth.p_WB - estimate.pose.p_WB, turn.angle() * turn.axis();
      sum += error.dot(estimate.covariance.inverse() * error);
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 6.0, 3.0 * std::sqrt(12.0 / count));
}

TEST(EstimatePose, SaysNoWithTwoSightings) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(1);
  const auto frames = MakeTrackedFrames(trial, 0.1, &random);
  const std::span<const MarkerObservation> two(frames[0].observations.data(), 2);
  EXPECT_FALSE(EstimatePose(ViewsOf(trial.calibration), LayoutOf(trial.body), two, {}, 0.0).found);
}

TEST(AlignPoints, RecoversARigidMotionAndNeverAReflection) {
  const std::vector<Eigen::Vector3d> p_B = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.05, 0}};
  const Eigen::Quaterniond q(Eigen::AngleAxisd(2.1, Eigen::Vector3d(0.3, -1, 0.5).normalized()));
  std::vector<Eigen::Vector3d> p_W;
  for (const auto& p : p_B) p_W.push_back(q * p + Eigen::Vector3d(1, 2, 3));
  const BodyPose pose = AlignPoints(p_B, p_W);
  EXPECT_LT(pose.q_WB.angularDistance(q), 1e-7);
  EXPECT_NEAR(pose.q_WB.toRotationMatrix().determinant(), 1.0, 1e-12);
}

// Truth: the mean over the half of the band that faces the camera, weighed by how it appears, from
// far away; and central differences.
TEST(BandImageCentre, IsTheMeanOfWhatIsSeen) {
  const Eigen::Vector3d p(0.02, -0.03, 0.1), camera(40.0, -90.0, 60.0);
  const Eigen::Vector3d axis = Eigen::Vector3d(0.3, 0.5, 0.8).normalized();
  const double radius = 0.005;
  const BandImage band = BandImageCentre(p, axis, camera, radius);
  const Eigen::Vector3d towards = (camera - p).normalized();
  const Eigen::Vector3d e1 = axis.unitOrthogonal(), e2 = axis.cross(e1);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double weights = 0.0;
  constexpr int kPlaces = 20000;
  for (int k = 0; k < kPlaces; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.5) / kPlaces;
    const Eigen::Vector3d n = std::cos(angle) * e1 + std::sin(angle) * e2;
    const double weight = std::max(0.0, n.dot(towards));
    sum += weight * (p + radius * n);
    weights += weight;
  }
  EXPECT_LT((sum / weights - band.place).norm(), 1e-8);

  const Eigen::Vector3d near(0.3, -0.9, 0.6);
  const BandImage close = BandImageCentre(p, axis, near, radius);
  const auto by = [&](const auto& place_at) -> Eigen::Vector3d {
    return (place_at(1e-6) - place_at(-1e-6)) / 2e-6;
  };
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector3d unit = Eigen::Vector3d::Unit(i);
    EXPECT_LT(
        (by([&](double h) { return BandImageCentre(p + h * unit, axis, near, radius).place; }) -
         close.by_point.col(i))
            .norm(),
        1e-8);
    // The axis stays of length 1: it turns.
    const Eigen::Vector3d turned = by([&](double h) {
      const Eigen::Vector3d other = Eigen::AngleAxisd(h, unit) * axis;
      return BandImageCentre(p, other, near, radius).place;
    });
    EXPECT_LT((turned - close.by_axis * unit.cross(axis)).norm(), 1e-8);
  }
  EXPECT_LT((by([&](double h) { return BandImageCentre(p, axis, near, radius + h).place; }) -
             close.by_radius)
                .norm(),
            1e-8);
}

}  // namespace
}  // namespace percuss::tracking
