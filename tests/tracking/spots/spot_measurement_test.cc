// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/spot_measurement.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "capture/video/tone.h"
#include "tests/tracking/spots/all_spots.h"
#include "tests/tracking/spots/spot_rendering.h"

namespace percuss::tracking {
namespace {

constexpr int kSpotMeasurementSize = 40;
constexpr double kSpotMeasurementDark = 0.006, kSpotMeasurementBright = 0.45,
                 kSpotMeasurementNoise = 2.0;

const ToneTables kTone(capture::LightOfGrey({}));

/// One disc in the middle of a picture; `ground` is the light of each pixel without it.
struct Scene {
  DrawnDisc disc;
  double blur = 0.7;
  double disc_light = kSpotMeasurementBright;
  Eigen::MatrixXd ground =
      Eigen::MatrixXd::Constant(kSpotMeasurementSize, kSpotMeasurementSize, kSpotMeasurementDark);

  Eigen::MatrixXd Grey() const {
    const Eigen::ArrayXXd share = ShareOfDisc(disc, kSpotMeasurementSize, blur).array();
    const Eigen::MatrixXd light = ground.array() * (1.0 - share) + disc_light * share;
    return light.unaryExpr(&GreyOfLight);
  }
};

DrawnDisc DiscAt(double x, double y, double diameter, double squeeze = 1.0) {
  return {.x = x,
          .y = y,
          .long_axis = 0.5 * diameter,
          .short_axis = 0.5 * squeeze * diameter,
          .angle = 0.4};
}

std::vector<Blob> Measure(const cv::Mat& image, const DrawnDisc& disc,
                          Polarity polarity = Polarity::kBright) {
  const int half = static_cast<int>(std::ceil(disc.long_axis)) + 2;
  const cv::Rect box(static_cast<int>(std::lround(disc.x)) - half,
                     static_cast<int>(std::lround(disc.y)) - half, 2 * half + 1, 2 * half + 1);
  return MeasureSpots(
      image, kTone, kSpotMeasurementNoise,
      {.box = box & cv::Rect(0, 0, image.cols, image.rows), .polarity = polarity, .mask = {}},
      {.area = {4.0, 1000.0}});
}

struct Errors {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  double normalised = 0.0;  ///< mean of error^T covariance^-1 error / 2
  double sigma = 0.0;       ///< mean stated, per coordinate [px]
};

/// Over draws of the noise and of the place within a pixel.
Errors ErrorsOf(Scene scene, int num_draws, Polarity polarity = Polarity::kBright) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> phase(-0.5, 0.5);
  const DrawnDisc middle = scene.disc;
  Errors errors;
  for (int draw = 0; draw < num_draws; ++draw) {
    scene.disc.x = middle.x + phase(random);
    scene.disc.y = middle.y + phase(random);
    const std::vector<Blob> blobs =
        Measure(Noisy(scene.Grey(), kSpotMeasurementNoise, &random), scene.disc, polarity);
    EXPECT_EQ(blobs.size(), 1u);
    if (blobs.size() != 1) return errors;
    const Eigen::Vector2d error = blobs[0].centre - Eigen::Vector2d(scene.disc.x, scene.disc.y);
    errors.mean += error / num_draws;
    errors.normalised += 0.5 * error.dot(blobs[0].covariance.inverse() * error) / num_draws;
    errors.sigma += std::sqrt(0.5 * blobs[0].covariance.trace()) / num_draws;
  }
  return errors;
}

constexpr int kDraws = 150;
/// Three standard deviations of a mean of kDraws squared normal pairs over two.
const double kThreeSigma = 3.0 / std::sqrt(kDraws);

// Truth: the drawn centre. Noise leaves sigma / sqrt(draws) of the mean error.
void ExpectHonest(const Errors& errors) {
  EXPECT_NEAR(errors.normalised, 1.0, kThreeSigma);
  EXPECT_LT(errors.mean.norm(), 4.0 * errors.sigma / std::sqrt(kDraws) + 0.002);
}

TEST(MeasureSpots, CentreIsUnbiasedAndItsCovarianceHolds) {
  ExpectHonest(ErrorsOf({.disc = DiscAt(20, 20, 8)}, kDraws));
  ExpectHonest(ErrorsOf({.disc = DiscAt(20, 20, 6), .blur = 0.5}, kDraws));
  ExpectHonest(ErrorsOf({.disc = DiscAt(20, 20, 14), .blur = 1.0}, kDraws));
}

TEST(MeasureSpots, MeasuresDiscsSeenObliquely) {
  ExpectHonest(ErrorsOf({.disc = DiscAt(20, 20, 9, 0.4)}, kDraws));
}

TEST(MeasureSpots, MeasuresDarkOnBright) {
  Scene scene{.disc = DiscAt(20, 20, 10), .disc_light = 0.03};
  scene.ground.setConstant(kSpotMeasurementBright);
  ExpectHonest(ErrorsOf(scene, kDraws, Polarity::kDark));
  std::mt19937 random(1);
  const auto blobs =
      Measure(Noisy(scene.Grey(), kSpotMeasurementNoise, &random), scene.disc, Polarity::kDark);
  ASSERT_EQ(blobs.size(), 1u);
  EXPECT_EQ(blobs[0].polarity, Polarity::kDark);
  EXPECT_NEAR(blobs[0].contrast, kSpotMeasurementBright - 0.03, 0.02);
}

// Truth: the drawn centre. Blurred as far as its short axis reaches, a disc shows two thirds of its
// contrast, and no more than the sum of shape and blur; a fit that follows the difference gets
// lost.
TEST(MeasureSpots, MeasuresSmallDarkDiscsSeenObliquely) {
  Scene scene{.disc = DiscAt(20, 20, 6, 0.35), .blur = 1.0, .disc_light = 0.02};
  scene.ground.setConstant(kSpotMeasurementBright);
  ExpectHonest(ErrorsOf(scene, kDraws, Polarity::kDark));
}

// Truth: the drawn centre; the ground falls off by a fifth over the picture, and the disc hides it.
TEST(MeasureSpots, UnevenGroundDoesNotPullADarkMarker) {
  Scene scene{.disc = DiscAt(20, 20, 10), .disc_light = 0.03};
  for (int x = 0; x < kSpotMeasurementSize; ++x)
    scene.ground.col(x).setConstant(kSpotMeasurementBright * (1.0 - 0.005 * x));
  EXPECT_LT(ErrorsOf(scene, kDraws, Polarity::kDark).mean.norm(), 0.01);
}

// Truth: the middle of the way. The smear widens the blur along the way, evenly about the middle.
TEST(MeasureSpots, MotionDuringTheExposureLeavesTheMiddle) {
  Scene scene{.disc = DiscAt(20, 20, 8)};
  scene.disc.motion_x = 3.0;
  scene.disc.motion_y = 1.5;
  ExpectHonest(ErrorsOf(scene, kDraws));
}

// Truth: the same. A Gaussian blur is not what a smear of 5 px does to a disc: it leaves residuals
// of 2.5 times the noise variance, which are the same at both ends and do not move the centre. A
// covariance that followed them would give 0.4 here. What of them changes from pixel to pixel is
// counted, and may cost a quarter.
TEST(MeasureSpots, WhatASmearLeavesDoesNotWidenTheCovariance) {
  Scene scene{.disc = DiscAt(20, 20, 8)};
  scene.disc.motion_x = 5.0;
  scene.disc.motion_y = 2.0;
  const Errors errors = ErrorsOf(scene, kDraws);
  EXPECT_GT(errors.normalised, 0.75 * (1.0 - kThreeSigma));
  EXPECT_LT(errors.normalised, 1.0 + kThreeSigma);
}

// Truth: the drawn centre. Ground as bright as a third of the marker begins 2.5 px from its edge;
// a centroid over a margin of 3 px is off by more than 0.1 px.
TEST(MeasureSpots, BrightGroundBesideAMarkerDoesNotPullIt) {
  Scene scene{.disc = DiscAt(20, 20, 8, 0.4)};
  for (int x = 27; x < kSpotMeasurementSize; ++x) scene.ground.col(x).setConstant(0.15);
  EXPECT_LT(ErrorsOf(scene, kDraws).mean.norm(), 0.01);
}

TEST(MeasureSpots, NeighbourDoesNotPullAMarker) {
  Scene scene{.disc = DiscAt(20, 20, 8)};
  const Eigen::ArrayXXd other =
      ShareOfDisc(DiscAt(31.3, 20.4, 8), kSpotMeasurementSize, 0.7).array();
  scene.ground = kSpotMeasurementDark + (kSpotMeasurementBright - kSpotMeasurementDark) * other;
  EXPECT_LT(ErrorsOf(scene, kDraws).mean.norm(), 0.01);
}

// Truth: the drawn centre; white has no more grey values, the edge still tells where it is.
TEST(MeasureSpots, SaturatedDiscKeepsItsCentre) {
  const Errors errors = ErrorsOf({.disc = DiscAt(20, 20, 9), .disc_light = 1.6}, kDraws);
  EXPECT_LT(errors.mean.norm(), 0.01);
}

TEST(MeasureSpots, LeavesOutASpotThatTheBorderCuts) {
  std::mt19937 random(2);
  const Scene scene{.disc = DiscAt(2.0, 20.0, 8)};
  EXPECT_TRUE(Measure(Noisy(scene.Grey(), kSpotMeasurementNoise, &random), scene.disc).empty());
}

// Truth: an even disc leaves the noise, a disc with a dark half does not.
TEST(MeasureSpots, MisfitTellsADiscFromOtherThings) {
  std::mt19937 random(3);
  const Scene even{.disc = DiscAt(20, 20, 10)};
  const auto disc = Measure(Noisy(even.Grey(), kSpotMeasurementNoise, &random), even.disc);
  ASSERT_EQ(disc.size(), 1u);
  EXPECT_LT(disc[0].misfit, 2.0);
  Eigen::MatrixXd grey = even.Grey();
  grey.block(12, 19, 16, 3) *= 0.8;
  const auto split = Measure(Noisy(grey, kSpotMeasurementNoise, &random), even.disc);
  ASSERT_EQ(split.size(), 1u);
  EXPECT_GT(split[0].misfit, 5.0);
}

// Truth: light back from grey, for every grey value, and the slope by differences of the table.
TEST(ToneTables, InvertTheToneCurve) {
  for (int grey = 1; grey < 255; ++grey) {
    const float light = kTone.Light(static_cast<unsigned char>(grey));
    EXPECT_NEAR(kTone.Grey(light).grey, grey, 0.03);
  }
  EXPECT_EQ(kTone.Grey(1.5f).grey, 255.0f);
  EXPECT_EQ(kTone.Grey(1.5f).slope, 0.0f);
}

}  // namespace
}  // namespace percuss::tracking
