// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/thesis/thesis_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <random>

namespace percuss::calibration::thesis {
namespace {

using testing::HasSubstr;

constexpr ImageSize kImage = {1280, 720};

// Like camera 1 of the thesis.
constexpr Intrinsics kTruth = {.f_x = 1060.0,
                               .f_y = 1070.0,
                               .skew = 0.0,
                               .c_x = 633.0,
                               .c_y = 366.0,
                               .k1 = 0.238,
                               .k2 = -0.597};

// 9 x 6 corners, squares of 23 mm.
Target Board() {
  Target target;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 9; ++column) target.emplace_back(0.023 * column, 0.023 * row);
  }
  return target;
}

// Truth by the ordinary column form: camera from board.
struct ColumnPose {
  Eigen::Matrix3d R;
  Eigen::Vector3d t;
};

Eigen::Vector2d Pixel(const Intrinsics& c, const ColumnPose& pose, const Eigen::Vector2d& point) {
  const Eigen::Vector3d p = pose.R * Eigen::Vector3d(point.x(), point.y(), 0.0) + pose.t;
  const double x = p.x() / p.z(), y = p.y() / p.z(), r = std::hypot(x, y);
  const double radial = 1.0 + c.k1 * std::pow(r, 2) + c.k2 * std::pow(r, 4);
  return {c.f_x * x * radial + c.skew * y * radial + c.c_x, c.f_y * y * radial + c.c_y};
}

View Seen(const Intrinsics& c, const ColumnPose& pose, const Target& target) {
  View view;
  for (const auto& point : target) view.push_back(Pixel(c, pose, point));
  return view;
}

// Boards about 0.6 m away, all over the image, tilted by up to some 35 deg about both axes.
std::vector<ColumnPose> Poses(int num_views, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  std::vector<ColumnPose> poses;
  for (int v = 0; v < num_views; ++v) {
    const Eigen::Matrix3d R = (Eigen::AngleAxisd(0.3 * u(engine), Eigen::Vector3d::UnitZ()) *
                               Eigen::AngleAxisd(0.6 * u(engine), Eigen::Vector3d::UnitX()) *
                               Eigen::AngleAxisd(0.6 * u(engine), Eigen::Vector3d::UnitY()))
                                  .toRotationMatrix();
    const Eigen::Vector3d middle(0.15 * u(engine), 0.09 * u(engine), 0.6 + 0.1 * u(engine));
    poses.push_back({R, middle - R * Eigen::Vector3d(0.092, 0.0575, 0.0)});
  }
  return poses;
}

std::vector<View> SeenViews(const Intrinsics& c, const std::vector<ColumnPose>& poses,
                            const Target& target) {
  std::vector<View> views;
  for (const auto& pose : poses) views.push_back(Seen(c, pose, target));
  return views;
}

void AddNoise(double sigma_px, unsigned seed, std::vector<View>* views) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> noise(0.0, sigma_px);
  for (View& view : *views) {
    for (auto& pixel : view) pixel += Eigen::Vector2d{noise(engine), noise(engine)};
  }
}

std::array<double, 7> Values(const Intrinsics& c) {
  return {c.f_x, c.f_y, c.skew, c.c_x, c.c_y, c.k1, c.k2};
}

void ExpectNear(const Intrinsics& value, const Intrinsics& truth, double relative) {
  const auto a = Values(value), b = Values(truth);
  for (int i = 0; i < 7; ++i) {
    // A skew is of the size of nothing in particular: it is held against the focal length.
    const double size = i == 2 ? truth.f_x : std::max(std::abs(b[i]), 1e-3);
    EXPECT_NEAR(a[i], b[i], relative * size) << "intrinsic " << i;
  }
}

void ExpectPoses(const std::vector<Pose>& poses, const std::vector<ColumnPose>& truth,
                 double relative) {
  ASSERT_EQ(poses.size(), truth.size());
  for (std::size_t v = 0; v < poses.size(); ++v) {
    EXPECT_LT((poses[v].R.transpose() - truth[v].R).norm(), relative) << v;
    EXPECT_LT((poses[v].t.transpose() - truth[v].t).norm(), relative * truth[v].t.norm()) << v;
  }
}

Intrinsics WithoutDistortion(Intrinsics c) {
  c.k1 = c.k2 = 0.0;
  return c;
}

bool IsNan(const Intrinsics& c) {
  bool nan = true;
  for (const double value : Values(c)) nan = nan && std::isnan(value);
  return nan;
}

// Truth: the cameras that made the exact pixels. Three views with skew, two without, are the least.
TEST(ClosedFormIntrinsics, GivesBackTheCameraThatMadeThePixels) {
  const Target target = Board();
  Intrinsics truth = WithoutDistortion(kTruth);
  for (const int num_views : {2, 3, 8}) {
    const auto poses = Poses(num_views, 5);
    const auto result =
        ClosedFormIntrinsics(target, SeenViews(truth, poses, target), kImage, {.skew = false});
    EXPECT_EQ(result.reason, "");
    ExpectNear(result.intrinsics, truth, 1e-9);
    ExpectPoses(result.poses, poses, 1e-9);
  }
  truth.skew = 4.0;
  for (const int num_views : {3, 8}) {
    const auto poses = Poses(num_views, 5);
    const auto result = ClosedFormIntrinsics(target, SeenViews(truth, poses, target), kImage);
    EXPECT_EQ(result.reason, "");
    ExpectNear(result.intrinsics, truth, 1e-9);
    ExpectPoses(result.poses, poses, 1e-9);
  }
}

TEST(ClosedFormIntrinsics, SaysWhyItCannot) {
  const Target target = Board();
  const Intrinsics truth = WithoutDistortion(kTruth);
  const auto views = SeenViews(truth, Poses(2, 5), target);
  const auto two = ClosedFormIntrinsics(target, views, kImage);
  EXPECT_THAT(two.reason, HasSubstr("2 views"));
  EXPECT_TRUE(IsNan(two.intrinsics));

  // Boards of the same tilt, turned in their plane and shifted: they all give the same equations.
  auto poses = Poses(6, 5);
  for (std::size_t v = 1; v < poses.size(); ++v) {
    poses[v].R =
        poses[0].R * Eigen::AngleAxisd(0.2 * static_cast<double>(v), Eigen::Vector3d::UnitZ())
                         .toRotationMatrix();
  }
  for (const bool skew : {true, false}) {
    const auto parallel =
        ClosedFormIntrinsics(target, SeenViews(truth, poses, target), kImage, {.skew = skew});
    EXPECT_THAT(parallel.reason, HasSubstr("parallel"));
    EXPECT_TRUE(IsNan(parallel.intrinsics));
    EXPECT_TRUE(parallel.poses[0].R.hasNaN());
  }
}

// A view with three corners, one whose corners are on a line, one without any: NaN, the rest
// counts.
TEST(ClosedFormIntrinsics, LeavesOutViewsThatGiveNoHomography) {
  const Target target = Board();
  const Intrinsics truth = WithoutDistortion(kTruth);
  const auto poses = Poses(8, 5);
  auto views = SeenViews(truth, poses, target);
  const Eigen::Vector2d none(kNaN, kNaN);
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (k != 0 && k != 8 && k != 50) views[1][k] = none;
    if (k >= 9) views[4][k] = none;
    views[6][k] = none;
    if (k % 3 == 1) views[7][k] = none;  // a view with gaps is a good one
  }
  const auto result = ClosedFormIntrinsics(target, views, kImage);
  EXPECT_EQ(result.reason, "");
  ExpectNear(result.intrinsics, truth, 1e-9);
  for (const std::size_t v : {1, 4, 6}) EXPECT_TRUE(result.poses[v].R.hasNaN()) << v;
  for (const std::size_t v : {0, 2, 3, 5, 7}) {
    EXPECT_LT((result.poses[v].R.transpose() - poses[v].R).norm(), 1e-9) << v;
  }
}

TEST(ClosedFormIntrinsics, RefusesWrongSizes) {
  EXPECT_THROW(ClosedFormIntrinsics(Board(), {View(3)}, kImage), std::invalid_argument);
  EXPECT_THROW(ClosedFormIntrinsics(Board(), {}, {0, 720}), std::invalid_argument);
}

TEST(Calibrate, GivesBackLensAndPosesThatMadeThePixels) {
  const Target target = Board();
  for (const double skew : {0.0, 3.0}) {
    Intrinsics truth = kTruth;
    truth.skew = skew;
    const auto poses = Poses(12, 7);
    const auto result =
        Calibrate(target, SeenViews(truth, poses, target), kImage, {.skew = skew != 0.0});
    ASSERT_EQ(result.reason, "");
    ExpectNear(result.intrinsics, truth, 1e-9);
    ExpectPoses(result.poses, poses, 1e-9);
    EXPECT_TRUE(result.accepted);
    EXPECT_LT(result.overall_mean_error_px, 1e-8);
  }
}

// Truth: 60 draws of the same views with noise of 0.2 px. Mean of the estimates within 4 standard
// errors of truth (7 parameters: exceeded by chance in 1 of 2000 such tests), their spread within 4
// standard errors, 4 / sqrt(2 60), of the sigmas reported.
TEST(Calibrate, IsUnbiasedAndItsSigmasAreTheSpreadUnderNoise) {
  constexpr int kDraws = 60;
  const Target target = Board();
  const auto exact = SeenViews(kTruth, Poses(10, 7), target);
  const auto truth = Values(kTruth);
  std::array<double, 7> sum{}, squares{}, variance{};
  double pixel_variance = 0.0;
  for (unsigned draw = 0; draw < kDraws; ++draw) {
    auto views = exact;
    AddNoise(0.2, 100 + draw, &views);
    const auto result = Calibrate(target, views, kImage);
    ASSERT_EQ(result.reason, "");
    const auto value = Values(result.intrinsics), sigma = Values(result.sigma);
    for (int i = 0; i < 7; ++i) {
      sum[i] += (value[i] - truth[i]) / kDraws;
      squares[i] += std::pow(value[i] - truth[i], 2) / kDraws;
      variance[i] += sigma[i] * sigma[i] / kDraws;
    }
    pixel_variance += std::pow(result.pixel_sigma_px, 2) / kDraws;
  }
  for (int i = 0; i < 7; ++i) {
    EXPECT_LT(std::abs(sum[i]), 4.0 * std::sqrt(variance[i] / kDraws)) << "intrinsic " << i;
    EXPECT_NEAR(squares[i] / variance[i], 1.0, 4.0 * std::sqrt(2.0 / kDraws)) << "intrinsic " << i;
  }
  // 60 draws with 1080 - 67 redundant coordinates each.
  EXPECT_NEAR(pixel_variance / 0.04, 1.0, 4.0 * std::sqrt(2.0 / (kDraws * 1013.0)));
}

// Mean distance of a normal error of sigma per coordinate: sigma sqrt(pi / 2), here with the share
// of redundant coordinates; its own standard deviation is sigma sqrt(2 - pi / 2) per point.
TEST(Calibrate, ReportsTheMeanErrorOfEachImageAndAcceptsBelowOnePixel) {
  const Target target = Board();
  auto views = SeenViews(kTruth, Poses(10, 7), target);
  std::vector<View> worse = {views.back()};
  AddNoise(0.3, 1, &views);
  const auto result = Calibrate(target, views, kImage);
  ASSERT_EQ(result.reason, "");
  const double expected = 0.3 * std::sqrt(std::acos(-1.0) / 2.0 * (1.0 - 67.0 / 1080.0));
  EXPECT_NEAR(result.overall_mean_error_px, expected, 4.0 * 0.3 * 0.655 / std::sqrt(540.0));
  double mean = 0.0;
  for (const double error : result.mean_error_px) mean += error / 10.0;
  EXPECT_NEAR(mean, result.overall_mean_error_px, 1e-12);  // as many points in each
  EXPECT_TRUE(result.accepted);

  AddNoise(0.3, 1, &worse);
  for (auto& pixel : worse[0])
    pixel += 5.0 * (pixel - Eigen::Vector2d(640.0, 360.0)).cwiseAbs2() / 640.0;
  views.back() = worse[0];
  const auto bent = Calibrate(target, views, kImage);
  EXPECT_FALSE(bent.accepted);
}

// Parallel boards with noise: the closed form may find a camera, but there is none to be found.
TEST(Calibrate, SaysWhenParallelBoardsDoNotDetermineTheCamera) {
  const Target target = Board();
  auto poses = Poses(10, 7);
  for (auto& pose : poses) pose.R.setIdentity();
  auto views = SeenViews(kTruth, poses, target);
  for (unsigned seed = 0; seed < 5; ++seed) {
    auto noisy = views;
    AddNoise(0.2, seed, &noisy);
    const auto result = Calibrate(target, noisy, kImage, {.skew = false});
    EXPECT_NE(result.reason, "");
    EXPECT_TRUE(IsNan(result.intrinsics));
    EXPECT_FALSE(result.accepted);
  }
}

// A camera whose exact principal point is not in the image: not one that a lens has.
TEST(Calibrate, RefusesAPrincipalPointOutsideOfTheImage) {
  const Target target = Board();
  Intrinsics truth = WithoutDistortion(kTruth);
  truth.c_y = -20.0;
  const auto result = Calibrate(target, SeenViews(truth, Poses(8, 7), target), kImage);
  EXPECT_THAT(result.reason, HasSubstr("principal point (633, -20)"));
  EXPECT_TRUE(IsNan(result.intrinsics));
}

}  // namespace
}  // namespace percuss::calibration::thesis
