// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle/bundle_adjustment.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "calibration/bundle/initial_estimate.h"
#include "calibration/quality/cross_validation.h"
#include "calibration/rig/rig_calibration.h"
#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

// Exact pixels, so that what is known beforehand of the lens does not count.
constexpr double kExactPx = 1e-4;

// Source of truth: the synthetic rig. From OpenCV's start on exact pixels the joint adjustment must
// end at the truth, to what its stopping rule allows.
TEST(AdjustBundle, RecoversTheTruthFromExactPixels) {
  Bundle truth = SyntheticBundle(10, 11);
  truth.pixel_sigma_px = kExactPx;
  Bundle estimate = truth;
  ASSERT_TRUE(EstimateStart(&estimate, PossibleOrders({.columns = 9, .rows = 6}, true), 1));
  EXPECT_GT(ParameterError(estimate, truth).norm(), 1e-3);  // so that there is something to do
  const AdjustmentSummary summary = AdjustBundle(&estimate);
  EXPECT_TRUE(summary.converged) << summary.message;
  const Eigen::VectorXd error = ParameterError(estimate, truth);
  EXPECT_LT(error.head<4>().norm(), 1e-4);      // px
  EXPECT_LT(error.segment<5>(4).norm(), 1e-6);  // distortion
  EXPECT_LT(error.tail<15>().norm(), 1e-7);     // rad, m
}

TEST(AdjustBundle, HuberLossBearsWrongCorners) {
  const Bundle truth = SyntheticBundle(10, 12);
  Bundle clean = truth;
  AddNoise(&clean, 0.1, 5);
  Bundle spoilt = clean;
  spoilt.views[3].images[0].pixels[17] += Eigen::Vector2d(14.0, -9.0);
  spoilt.views[6].images[1].pixels[40] += Eigen::Vector2d(-6.0, 11.0);
  Bundle plain = spoilt;
  AdjustBundle(&spoilt, {.huber_px = 0.3});
  AdjustBundle(&plain);
  AdjustBundle(&clean);
  // Two of 1080 corners pull by no more than their Huber share; in least squares by far more.
  EXPECT_LT(std::abs(spoilt.cameras[0].intrinsics[0] - clean.cameras[0].intrinsics[0]), 0.3);
  EXPECT_GT(std::abs(plain.cameras[0].intrinsics[0] - clean.cameras[0].intrinsics[0]), 0.6);
}

TEST(AdjustBundle, KeepsCamerasAndWarpWhereTold) {
  Bundle bundle = SyntheticBundle(6, 13);
  AddNoise(&bundle, 0.1, 6);
  bundle.model.free_warp = false;
  Bundle flat = bundle;
  AdjustBundle(&flat);
  EXPECT_EQ(flat.shape.warp, Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(flat.shape.scale, 1.0);
  EXPECT_NE(flat.cameras[0].intrinsics[4], bundle.cameras[0].intrinsics[4]);
  EXPECT_EQ(flat.cameras[0].intrinsics[9], 0.0);  // not a parameter of this lens
  Bundle poses = bundle;
  AdjustBundle(&poses, {.poses_only = true});
  EXPECT_EQ(poses.cameras[1].intrinsics, bundle.cameras[1].intrinsics);
  EXPECT_EQ(poses.camera_from_first[1].t, bundle.camera_from_first[1].t);
  EXPECT_NE(poses.views[0].board_from_first.t, bundle.views[0].board_from_first.t);
}

// Source of truth: a board bent by 0.4 and -0.3 mm. On exact pixels the two bends come back, and
// the surface frame is the plane of best fit.
TEST(AdjustBundle, FindsTheBendsOfTheBoard) {
  Bundle truth = SyntheticBundle(8, 18);
  truth.pixel_sigma_px = kExactPx;
  truth.shape.warp = {0.4e-3, -0.3e-3};
  ProjectCorners(&truth);
  Bundle estimate = truth;
  estimate.shape.warp.setZero();
  EXPECT_TRUE(AdjustBundle(&estimate).converged);
  EXPECT_LT((estimate.shape.warp - truth.shape.warp).norm(), 1e-8);
  EXPECT_LT(ParameterError(estimate, truth).segment<6>(30).norm(), 1e-6);
  double mean = 0.0;
  for (const Eigen::Vector3d& p : ShapedBoard(truth)) mean += p.z();
  EXPECT_NEAR(mean, 0.0, 1e-15);
}

// Source of truth: squares printed 1.5 % too large and a rod of known length. With the distance the
// scale comes back; its sigma follows from that of the rod and of its four pixels.
TEST(AdjustBundle, KnownDistanceFixesTheScale) {
  Bundle truth = SyntheticBundle(8, 19);
  truth.pixel_sigma_px = kExactPx;
  truth.shape.scale = 1.015;
  ProjectCorners(&truth);
  KnownDistance rod{.pixels = {}, .distance = 0.0, .sigma = 1e-4};
  rod.p_first = {Eigen::Vector3d(-0.2, 0.05, 0.9), Eigen::Vector3d(0.25, -0.03, 1.0)};
  rod.distance = (rod.p_first[0] - rod.p_first[1]).norm();
  for (std::size_t c = 0; c < 2; ++c) {
    const auto pixel = [&](std::size_t end) {
      return Project(truth.cameras[c], truth.camera_from_first[c] * rod.p_first[end]);
    };
    rod.pixels.push_back({pixel(0), pixel(1)});
  }
  truth.distances = {rod};
  truth.model.scale_sigma = std::numeric_limits<double>::infinity();
  Bundle estimate = truth;
  estimate.shape.scale = 1.0;
  for (Eigen::Vector3d& end : estimate.distances[0].p_first) end /= 1.015;
  EXPECT_TRUE(AdjustBundle(&estimate).converged);
  EXPECT_NEAR(estimate.shape.scale, 1.015, 1e-6);
  const ParameterPlaces places{2};
  const double sigma =
      std::sqrt(BundleCovariance(estimate)(places.BoardShape(), places.BoardShape()));
  EXPECT_GT(sigma, 1.015 * rod.sigma / rod.distance);
  EXPECT_LT(sigma, 10.0 * rod.sigma / rod.distance);
}

// Three cameras, the third of which never sees a view together with the first.
TEST(EstimateStart, LinksCamerasThroughEachOther) {
  Bundle truth = SyntheticBundle(12, 20);
  truth.cameras.push_back(truth.cameras[0]);
  truth.camera_from_first.push_back(
      {.R = RotationFromVector({-0.05, 0.6, 0.1}), .t = {-0.62, 0.03, 0.2}});
  ProjectCorners(&truth);
  for (std::size_t v = 0; v < truth.views.size(); ++v) {
    truth.views[v].images[v < 6 ? 2 : 0] = {};
  }
  Bundle estimate = truth;
  const PointOrders orders = PossibleOrders({.columns = 9, .rows = 6}, true);
  ASSERT_TRUE(EstimateStart(&estimate, orders, 1));
  EXPECT_TRUE(AdjustBundle(&estimate).converged);
  const ParameterPlaces places{3};
  EXPECT_LT(ParameterError(estimate, truth).segment<12>(places.CameraPose(1)).norm(), 1e-5);
  // Without the camera between them the other two have nothing in common.
  for (TargetView& view : truth.views) view.images[1] = {};
  EXPECT_FALSE(EstimateStart(&truth, orders, 1));
}

// Source of truth: right images whose points are numbered from the other end in half of the views.
TEST(EstimateStart, RenumbersPointsThatThePictureLeavesOpen) {
  const Bundle truth = SyntheticBundle(8, 22);
  Bundle turned = truth;
  for (std::size_t v = 0; v < truth.views.size(); v += 2) {
    std::vector<Eigen::Vector2d>& pixels = turned.views[v].images[1].pixels;
    std::reverse(pixels.begin(), pixels.end());
  }
  ASSERT_TRUE(EstimateStart(&turned, PossibleOrders({.columns = 9, .rows = 6}, false), 1));
  for (std::size_t v = 0; v < truth.views.size(); ++v) {
    EXPECT_EQ(turned.views[v].images[1].pixels, truth.views[v].images[1].pixels) << v;
  }
}

// Source of truth: rigs with lenses of other models, on exact pixels. The start must be near enough
// for the adjustment to end at the truth.
TEST(EstimateStart, FindsOtherLenses) {
  const PointOrders orders = PossibleOrders({.columns = 9, .rows = 6}, true);
  for (const LensModel lens : {LensModel::kRational, LensModel::kFisheye}) {
    Bundle truth = SyntheticBundle(12, 23);
    truth.pixel_sigma_px = kExactPx;
    for (Camera& camera : truth.cameras) {
      camera.lens = lens;
      const double focal = lens == LensModel::kFisheye ? 480.0 : 820.0;
      camera.intrinsics = {focal, focal + 2.0, 641.0, 357.0};
      if (lens == LensModel::kFisheye) {
        camera.intrinsics[4] = 0.05;
        camera.intrinsics[5] = -0.01;
      } else {
        camera.intrinsics[4] = 0.31;  // k1 against k4: nearly what a wide lens has
        camera.intrinsics[9] = 0.55;
      }
    }
    ProjectCorners(&truth);
    Bundle estimate = truth;
    for (Camera& camera : estimate.cameras) camera.intrinsics = {};
    ASSERT_TRUE(EstimateStart(&estimate, orders, 1));
    EXPECT_TRUE(AdjustBundle(&estimate, {.max_num_iterations = 300}).converged);
    for (const TargetView& view : estimate.views) {
      for (int camera = 0; camera < 2; ++camera) {
        for (const Eigen::Vector2d& residual : Residuals(estimate, view, camera)) {
          EXPECT_LT(residual.norm(), 1e-3) << capture::Name(lens);
        }
      }
    }
    EXPECT_NEAR(estimate.cameras[0].intrinsics[0], truth.cameras[0].intrinsics[0], 0.05);
    EXPECT_LT(ParameterError(estimate, truth).segment<6>(24).norm(), 1e-4) << capture::Name(lens);
  }
}

// A small board far away under weak perspective looks nearly the same tilted either way: in noise
// each camera alone takes the wrong one now and then. Both cameras together know, once they know
// how they stand to each other.
TEST(AdjustPosesAndTilts, ResolvesTheTiltThatOneCameraCannotTell) {
  Bundle truth = SyntheticBundle(12, 24);
  for (Camera& camera : truth.cameras) {
    camera.intrinsics = {6000.0, 6000.0, 639.5, 359.5};
  }
  // The rig keeps its angle of 20 degrees between the cameras, six times as far away.
  truth.camera_from_first[1].t = truth.camera_from_first[1].t * 6.0;
  for (TargetView& view : truth.views) {
    Pose first_from_board = view.board_from_first.Inverse();
    first_from_board.t *= 6.0;
    view.board_from_first = first_from_board.Inverse();
  }
  ProjectCorners(&truth);
  const PointOrders orders = PossibleOrders({.columns = 9, .rows = 6}, true);
  for (std::uint32_t seed = 31; seed <= 42; ++seed) {
    Bundle estimate = truth;
    AddNoise(&estimate, 0.3, seed);
    ASSERT_TRUE(EstimateStart(&estimate, orders, 1));
    AdjustPosesAndTilts(&estimate, {.huber_px = 1.0});
    for (std::size_t v = 0; v < truth.views.size(); ++v) {
      const Eigen::AngleAxisd turn(estimate.views[v].board_from_first.R *
                                   truth.views[v].board_from_first.R.transpose());
      EXPECT_LT(turn.angle(), 0.15)
          << seed << " " << v;  // the other tilt is more than 0.3 rad away
    }
  }
}

// A quarter turn of a square board, done four times, is none; each order is a permutation.
TEST(PossibleOrders, AreTheTurnsOfTheBoard) {
  EXPECT_EQ(PossibleOrders({.columns = 5, .rows = 4}, true).size(), 1U);
  EXPECT_EQ(PossibleOrders({.columns = 5, .rows = 4}, false).size(), 2U);
  const PointOrders orders = PossibleOrders({.columns = 4, .rows = 4}, false);
  ASSERT_EQ(orders.size(), 4U);
  for (std::size_t k = 0; k < 16; ++k) {
    EXPECT_EQ(orders[2][orders[2][k]], orders[1][k]);
    EXPECT_EQ(orders[3][orders[2][k]], k);
  }
  EXPECT_EQ(orders[2][0], 12U);  // the first corner takes the place of the last row's first one
}

TEST(AdjustBundle, ThrowsForUsedCornersWithoutPixels) {
  Bundle bundle = SyntheticBundle(4, 14);
  bundle.views[2].images[1].pixels[5].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(AdjustBundle(&bundle), std::invalid_argument);
  bundle.views[2].images[1].pixels.pop_back();
  EXPECT_THROW(AdjustBundle(&bundle), std::invalid_argument);
}

// Source of truth: the spread over re-solves with fresh noise of 0.1 px. The standard deviation of
// 60 draws is itself known to 1/sqrt(2 60) = 9.1 %; over 32 parameters four times that must hold
// each. The squared Mahalanobis distance, which also tests every correlation, averages 32 with a
// standard error of sqrt(2 32 / 60) = 1.03; again four of these.
TEST(BundleCovariance, PredictsTheSpreadOverNoisyResolves) {
  constexpr int kDraws = 60;
  constexpr double kNoisePx = 0.1;
  Bundle truth = SyntheticBundle(10, 21);
  truth.pixel_sigma_px = kNoisePx;
  const Eigen::MatrixXd covariance = BundleCovariance(truth);
  std::vector<int> free;
  for (int k = 0; k < covariance.rows(); ++k) {
    if (covariance(k, k) > 0.0) free.push_back(k);
  }
  ASSERT_EQ(free.size(), 32U);  // 2 x 9 intrinsics, two poses, two bends
  const Eigen::LDLT<Eigen::MatrixXd> factor(covariance(free, free));
  Eigen::VectorXd sum_of_squares = Eigen::VectorXd::Zero(32);
  double mahalanobis = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Bundle noisy = truth;
    AddNoise(&noisy, kNoisePx, static_cast<std::uint32_t>(1000 + draw));
    ASSERT_TRUE(AdjustBundle(&noisy, {}).converged);
    const Eigen::VectorXd error = ParameterError(noisy, truth)(free);
    sum_of_squares += error.cwiseAbs2();
    mahalanobis += error.dot(factor.solve(error)) / kDraws;
  }
  for (int k = 0; k < 32; ++k) {
    const double ratio = std::sqrt(sum_of_squares[k] / kDraws / covariance(free[k], free[k]));
    EXPECT_NEAR(ratio, 1.0, 4.0 * 0.091) << "parameter " << free[k];
  }
  EXPECT_NEAR(mahalanobis, 32.0, 4.2);
}

// A bend that is held has no spread, and the others have less than with it free.
TEST(BundleCovariance, HeldParametersHaveNoneAndOthersHaveLess) {
  Bundle bundle = SyntheticBundle(8, 15);
  const Eigen::MatrixXd free = BundleCovariance(bundle);
  bundle.model.free_warp = false;
  const Eigen::MatrixXd held = BundleCovariance(bundle);
  const ParameterPlaces places{2};
  ASSERT_EQ(free.rows(), places.Size());
  ASSERT_EQ(held.rows(), places.Size());
  EXPECT_EQ(held.rightCols<3>().norm(), 0.0);
  EXPECT_EQ(held.col(9).norm(), 0.0);  // k4, which Brown's model does not have
  EXPECT_GT(free(places.Size() - 1, places.Size() - 1), 0.0);
  for (int k = 0; k < places.Size(); ++k) EXPECT_LE(held(k, k), free(k, k) * (1.0 + 1e-9)) << k;
}

TEST(BundleCovariance, IsEmptyIfTheDataDetermineNothing) {
  Bundle bundle = SyntheticBundle(4, 16);
  for (TargetView& view : bundle.views) {
    for (TargetImage& image : view.images) {
      std::fill(image.used.begin() + 3, image.used.end(), static_cast<char>(0));
    }
  }
  EXPECT_EQ(BundleCovariance(bundle).size(), 0);
}

// Source of truth: noise of known size. Held-out errors of a sound model are as large as the noise
// (distance rms sigma sqrt 2), a little more for the parameters' own uncertainty, a little less for
// the six pose numbers that each view fits to itself.
TEST(CrossValidate, HeldOutErrorOfASoundModelIsTheNoise) {
  Bundle bundle = SyntheticBundle(12, 17);
  AddNoise(&bundle, 0.1, 8);
  AdjustBundle(&bundle);
  const HeldOutError error = CrossValidate(bundle, 5, 0.3, 2);
  EXPECT_NEAR(error.rms_px, 0.1414,
              0.006);  // 2 % of 1296 distances, and the share of the parameters
  EXPECT_NEAR(error.median_px, 0.1 * 1.1774, 0.008);
  EXPECT_NEAR(error.p90_px, 0.1 * 2.1460, 0.015);
  EXPECT_TRUE(std::isnan(CrossValidate(bundle, 0, 0.3, 1).rms_px));
}

}  // namespace
}  // namespace percuss::calibration
