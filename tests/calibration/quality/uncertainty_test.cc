// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/uncertainty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/quality/half_split.h"
#include "calibration/quality/next_view.h"
#include "calibration/quality/residual_set.h"
#include "calibration/rig/triangulation.h"
#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

RigCalibration RigOf(const Bundle& bundle) { return RigOf(bundle, BundleCovariance(bundle)); }

// Source of truth: central differences through Perturbed and Project. A step of 1e-6 in a pixel
// derivative of some 1000 px leaves 1e-6 of it.
TEST(PixelByParameters, AgreesWithDifferences) {
  const RigCalibration rig = RigOf(SyntheticBundle(6, 41));
  const Eigen::Vector3d p_W(0.08, -0.03, 0.06);
  for (std::size_t camera = 0; camera < 2; ++camera) {
    const auto jacobian = PixelByParameters(rig, camera, p_W);
    for (Eigen::Index k = 0; k < jacobian.cols(); ++k) {
      constexpr double kStep = 1e-6;
      const Eigen::VectorXd step = kStep * Eigen::VectorXd::Unit(jacobian.cols(), k);
      const auto pixel = [&](const Eigen::VectorXd& delta) {
        const RigCalibration moved = Perturbed(rig, delta);
        return Project(moved.cameras[camera].camera, moved.CameraFromWorld(camera) * p_W);
      };
      if (rig.covariance(k, k) == 0.0) continue;  // not a parameter of this lens
      const Eigen::Vector2d difference = (pixel(step) - pixel(-step)) / (2.0 * kStep);
      EXPECT_LT((jacobian.col(k) - difference).norm(), 1e-3) << camera << " " << k;
    }
  }
}

// Source of truth: differences of the triangulation itself, pixels held.
TEST(PointByParameters, AgreesWithDifferencesOfTheTriangulation) {
  const RigCalibration rig = RigOf(SyntheticBundle(6, 42));
  const Eigen::Vector3d p_W(0.05, -0.08, 0.03);
  std::array<Eigen::Vector2d, 2> pixels;
  for (std::size_t c = 0; c < 2; ++c) {
    pixels[c] = Project(rig.cameras[c].camera, rig.CameraFromWorld(c) * p_W);
  }
  const auto point = [&](const Eigen::VectorXd& delta) {
    const RigCalibration moved = Perturbed(rig, delta);
    std::vector<Sight> sights;
    for (std::size_t c = 0; c < 2; ++c) {
      sights.push_back(
          {.view = {moved.cameras[c].camera, moved.CameraFromWorld(c)}, .pixel = pixels[c]});
    }
    return Triangulate(sights)->p_W;
  };
  const auto jacobian = PointByParameters(rig, p_W);
  ASSERT_EQ(jacobian.cols(), NumRigParameters(2));
  for (Eigen::Index k = 0; k < jacobian.cols(); ++k) {
    if (rig.covariance(k, k) == 0.0) continue;
    const double step = k < rig.Places().CameraPose(1) ? 1e-4 : 1e-6;
    const Eigen::VectorXd delta = step * Eigen::VectorXd::Unit(jacobian.cols(), k);
    const Eigen::Vector3d difference = (point(delta) - point(-delta)) / (2.0 * step);
    EXPECT_LT((jacobian.col(k) - difference).norm(), 1e-5 * (1.0 + difference.norm())) << k;
  }
}

// By hand: a single camera places points of the plane y = 0 of W, or, of a motion in space, of a
// plane z = const.; moving W along x by 1 mm moves them by as much, and nothing moves them out of
// the plane.
TEST(PointByParameters, OfOneCameraLiesInThePlaneOfMotion) {
  RigCalibration rig{.planar = true};
  Camera camera{.width = 1000, .height = 800, .intrinsics = {900.0, 900.0, 499.5, 399.5}};
  rig.cameras = {{.name = "left", .camera = camera, .from_first = {}}};
  // Looking along +y of W from 1 m: camera x = W x, camera y = -W z, camera z = W y.
  rig.world_from_first.R << 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0;
  rig.world_from_first.t = {0.0, -1.0, 0.0};
  const auto jacobian = PointByParameters(rig, {0.1, 0.0, 0.05});
  ASSERT_EQ(jacobian.cols(), NumRigParameters(1));
  EXPECT_EQ(jacobian.row(1).norm(), 0.0);
  EXPECT_NEAR(jacobian(0, rig.Places().World() + 3), 1.0, 1e-12);
  // A focal length that is 1 % larger than thought makes things look 1 % smaller.
  EXPECT_NEAR(jacobian(0, 0), -0.1 / 900.0, 1e-12);
  rig.planar = false;
  const auto on_surface = PointByParameters(rig, {0.1, 0.0, 0.05});
  ASSERT_EQ(on_surface.cols(), NumRigParameters(1));
  EXPECT_EQ(on_surface.row(2).norm(), 0.0);
  EXPECT_NEAR(on_surface(0, rig.Places().World() + 3), 1.0, 1e-12);
}

// Sigmas are smallest where boards were, and a volume point sees them through both cameras.
TEST(PredictError, GrowsTowardsTheEdgesOfTheImage) {
  const Bundle bundle = SyntheticBundle(12, 43);
  const RigCalibration rig = RigOf(bundle);
  const WorkingVolume volume = VolumeOf(bundle, rig);
  ASSERT_FALSE(volume.points.empty());
  EXPECT_NEAR(volume.distance[0], 0.88, 0.1);
  const PredictedError predicted = PredictError(rig, volume);
  const ImageMap& map = predicted.projection_sigma_px[0];
  const double middle = map.values[map.values.size() / 2];
  EXPECT_LT(middle, 0.1);  // less than one corner
  EXPECT_GT(map.values.front(), 3.0 * middle);
  EXPECT_LT(predicted.point_sigma_median, predicted.point_sigma_worst);
  // Less than what one corner's own noise does to its depth, Z^2 / (f b) 0.1 px sqrt(2) = 0.3 mm.
  EXPECT_LT(predicted.point_sigma_median, 0.3e-3);
}

// Source of truth: noise alone. The mean square of the difference of the halves is what their
// covariances predict. A few weakly known motions of the lens models carry most of it, so one draw
// scatters by up to sqrt(2 / 4) = 70 % of the mean square; the mean of 60 by 9 %; three of these.
TEST(CompareHalves, ShowsWhatCornerNoiseExplains) {
  double ratio = 0.0;
  constexpr int kDraws = 60;
  for (int draw = 0; draw < kDraws; ++draw) {
    Bundle bundle = SyntheticBundle(16, 44);
    AddNoise(&bundle, 0.1, static_cast<std::uint32_t>(70 + draw));
    const HalfSplit split = CompareHalves(bundle, VolumeOf(bundle, RigOf(bundle)));
    ratio += std::pow(split.rms_px / split.predicted_rms_px, 2) / kDraws;
    ASSERT_EQ(split.difference_px.size(), 2U);
  }
  EXPECT_NEAR(ratio, 1.0, 0.27);
  const Bundle few = SyntheticBundle(7, 45);
  EXPECT_TRUE(std::isnan(CompareHalves(few, VolumeOf(few, RigOf(few))).rms_px));
}

// A camera that was knocked between the views: the halves by even and odd views disagree by far
// more than noise would.
TEST(CompareHalves, SeesThatSomethingMoved) {
  Bundle bundle = SyntheticBundle(16, 46);
  for (std::size_t v = 1; v < bundle.views.size(); v += 2) {
    for (Eigen::Vector2d& pixel : bundle.views[v].images[1].pixels) {
      const Eigen::Vector2d centre(621.0, 372.0);
      pixel = centre + 1.01 * (pixel - centre);  // refocused: 1 % longer
    }
  }
  AddNoise(&bundle, 0.1, 81);
  AdjustBundle(&bundle);
  const HalfSplit split = CompareHalves(bundle, VolumeOf(bundle, RigOf(bundle)));
  EXPECT_GT(split.rms_px, 3.0 * split.predicted_rms_px);
}

// Source of truth: the covariance after the advised view was really added. Nothing else among a
// few random boards helps as much.
TEST(FindNextView, HelpsMoreThanRandomBoards) {
  const Bundle bundle = SyntheticBundle(6, 47);
  const RigCalibration rig = RigOf(bundle);
  const WorkingVolume volume = VolumeOf(bundle, rig);
  const NextView next = FindNextView(bundle, BundleCovariance(bundle), rig, volume);
  ASSERT_FALSE(next.text.empty());
  EXPECT_LT(next.sigma_ratio, 0.9);
  EXPECT_NE(next.text.find("of the left image"), std::string::npos);
  const auto mean_square = [&](const RigCalibration& with) {
    double sum = 0.0;
    for (const double sigma : PointSigma(with, volume)) sum += sigma * sigma;
    return sum;
  };
  const Bundle others = SyntheticBundle(9, 48);
  for (std::size_t v = 0; v + 1 < others.views.size(); ++v) {
    Bundle more = bundle;
    more.views.insert(more.views.begin(), others.views[v]);
    const double ratio = std::sqrt(mean_square(RigOf(more)) / mean_square(rig));
    EXPECT_LT(next.sigma_ratio, ratio + 0.02) << v;
  }
}

// Source of truth: residuals and Jacobian of the whole adjustment. At its minimum the gradient
// J' r is zero but for what is known beforehand, and the redundancy is points minus parameters.
TEST(ResidualSetOf, IsTheLinearisedAdjustment) {
  Bundle bundle = SyntheticBundle(8, 49);
  AddNoise(&bundle, 0.1, 9);
  bundle.model.distortion_sigma = 100.0;  // nothing is known beforehand
  AdjustBundle(&bundle);
  const ResidualSet set = ResidualSetOf(bundle);
  ASSERT_EQ(set.corners.size(), 8U * 2U * 54U);
  Eigen::VectorXd residuals(set.jacobian.rows());
  for (std::size_t k = 0; k < set.corners.size(); ++k) {
    residuals.segment<2>(2 * static_cast<Eigen::Index>(k)) = set.corners[k].residual;
  }
  for (Eigen::Index column = 0; column < set.jacobian.cols(); ++column) {
    const double size = set.jacobian.col(column).norm();
    if (size == 0.0) continue;
    EXPECT_LT(std::abs(set.jacobian.col(column).dot(residuals)), 1e-3 * size) << column;
  }
  const ResidualPattern pattern = FindResidualPattern(set);
  EXPECT_EQ(pattern.redundancy, 2 * 8 * 2 * 54 - NumFreeParameters(bundle) - 2);  // both k3
  EXPECT_NEAR(pattern.noise_px, 0.1, 4.0 * 0.1 / std::sqrt(2.0 * pattern.redundancy));
  EXPECT_TRUE(pattern.findings.empty());
  EXPECT_EQ(ResidualSetOf(bundle, 3).corners.size(), 3U * 2U * 54U);
}

}  // namespace
}  // namespace percuss::calibration
