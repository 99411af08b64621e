// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the noise model and IEC 61966-2-1; grey values are read back by
// capture/video/tone.h.

#include "synthesis/scene/sensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>

#include "capture/video/tone.h"
#include "synthesis/scene/fast_sensor.h"

namespace percuss::synthesis {
namespace {

constexpr auto kLinear = capture::Tone::Kind::kLinear;
constexpr auto kSrgb = capture::Tone::Kind::kSrgb;

struct Statistics {
  double mean = 0.0, sigma = 0.0;
};

Statistics OfLight(const cv::Mat& grey) {
  cv::Scalar mean, sigma;
  cv::meanStdDev(grey, mean, sigma);
  return {mean[0] / 255.0, sigma[0] / 255.0};
}

TEST(Sensor, NoiseIsThatOfPhotonsAndElectronics) {
  const NoiseSpec noise{.full_well = 800.0, .read = 12.0};
  for (const double light : {0.3, 0.5, 0.7}) {
    const cv::Mat even(400, 401, CV_32FC1, cv::Scalar(light));
    const Statistics found = OfLight(Photograph(even, noise, kLinear, 5));
    const double rounding = 1.0 / (12.0 * 255.0 * 255.0);  // variance of rounding to grey values
    const double sigma = std::sqrt(light / 800.0 + 12.0 * 12.0 / (800.0 * 800.0) + rounding);
    // Of 160400 pixels: relative standard deviation of a standard deviation 0.0018, of the mean
    // sigma / 400; four of each.
    EXPECT_NEAR(found.sigma / sigma, 1.0, 0.007) << light;
    EXPECT_NEAR(found.mean, light, 0.01 * sigma) << light;
  }
}

// Truth: the formula of the noise, which 12 bits hardly add to, and the same picture rounded.
TEST(Sensor, TwelveBitsAreTheSamePictureRoundedFiner) {
  const NoiseSpec noise{.full_well = 60000.0, .read = 30.0};
  const cv::Mat dark(400, 401, CV_32FC1, cv::Scalar(8.0 / 255.0));
  const cv::Mat fine = Photograph(dark, noise, kLinear, 5, 12);
  ASSERT_EQ(fine.type(), CV_16UC1);
  cv::Scalar mean, sigma;
  cv::meanStdDev(fine, mean, sigma);
  const double light = 8.0 / 255.0;
  const double expected =
      std::sqrt(light / 60000.0 + std::pow(30.0 / 60000.0, 2) + 1.0 / (12.0 * 4095.0 * 4095.0));
  EXPECT_NEAR(sigma[0] / 4095.0 / expected, 1.0, 0.007);
  EXPECT_NEAR(mean[0] / 4095.0, light, 0.01 * expected);
  cv::Mat rounded;
  fine.convertTo(rounded, CV_8U, 255.0 / 4095.0);
  EXPECT_LE(cv::norm(rounded, Photograph(dark, noise, kLinear, 5), cv::NORM_INF), 1.0);
}

TEST(Sensor, ToneIsUndoneByTheReaderOfTones) {
  cv::Mat ramp(1, 1001, CV_32FC1);
  for (int k = 0; k < ramp.cols; ++k) ramp.at<float>(k) = static_cast<float>(k) / 1000.0F;
  for (const auto kind : {kSrgb, kLinear}) {
    const auto light_of_grey = capture::LightOfGrey({.kind = kind});
    const cv::Mat grey = Photograph(ramp, {}, kind, 1);
    for (int k = 0; k < ramp.cols; ++k) {
      // Within half a grey value, in light.
      const int g = grey.at<unsigned char>(k);
      const auto at = [&](int index) {
        return static_cast<double>(
            light_of_grey[static_cast<std::size_t>(std::clamp(index, 0, 255))]);
      };
      EXPECT_LE(ramp.at<float>(k), at(g) + 0.51 * (at(g + 1) - at(g)) + 1e-5) << k;
      EXPECT_GE(ramp.at<float>(k), at(g) - 0.51 * (at(g) - at(g - 1)) - 1e-5) << k;
    }
  }
}

TEST(Sensor, ASeedGivesTheSamePictureAndAnotherSeedAnother) {
  const cv::Mat even(60, 81, CV_32FC1, cv::Scalar(0.4));
  const cv::Mat a = Photograph(even, NoiseSpec{}, kSrgb, 9),
                b = Photograph(even, NoiseSpec{}, kSrgb, 9);
  const cv::Mat c = Photograph(even, NoiseSpec{}, kSrgb, 10);
  EXPECT_EQ(cv::norm(a, b, cv::NORM_INF), 0.0);
  EXPECT_GT(cv::norm(a, c, cv::NORM_INF), 0.0);
  EXPECT_NE(PictureSeed(1, 0, 0, 1), PictureSeed(1, 0, 1, 0));
  EXPECT_NE(PictureSeed(1, 0, 0, 1), PictureSeed(2, 0, 0, 1));
}

// The fast sensor does what Photograph does: the same pictures without noise, the same noise, in
// which no pixel tells of another, whether beside it, in another row or in another picture.
TEST(Sensor, TheFastOneIsTheOther) {
  cv::Mat ramp(64, 1500, CV_32FC1);
  for (int x = 0; x < ramp.cols; ++x) ramp.col(x) = static_cast<double>(x) / 1499.0;
  for (const auto kind : {kSrgb, kLinear}) {
    cv::Mat fast(ramp.size(), CV_8UC1);
    const FastSensor sensor({}, kind);
    sensor.Expose(ramp, sensor.Sigma(ramp), 1, &fast);
    EXPECT_LE(cv::norm(fast, Photograph(ramp, {}, kind, 1), cv::NORM_INF), 1.0);
  }
  const NoiseSpec noise{.full_well = 800.0, .read = 12.0};
  const FastSensor sensor(noise, kLinear);
  for (const double light : {0.3, 0.5, 0.7}) {
    const cv::Mat even(400, 401, CV_32FC1, cv::Scalar(light));
    const auto picture = [&](std::uint64_t seed) {
      cv::Mat grey(even.size(), CV_8UC1);
      sensor.Expose(even, sensor.Sigma(even), seed, &grey);
      return grey;
    };
    const cv::Mat a = picture(5), b = picture(6);
    const Statistics found = OfLight(a);
    const double rounding = 1.0 / (12.0 * 255.0 * 255.0);
    const double sigma = std::sqrt(light / 800.0 + 12.0 * 12.0 / (800.0 * 800.0) + rounding);
    EXPECT_NEAR(found.sigma / sigma, 1.0, 0.007) << light;
    EXPECT_NEAR(found.mean, light, 0.01 * sigma) << light;
    cv::Mat as_float[2];
    a.convertTo(as_float[0], CV_32F, 1.0 / (255.0 * sigma), -light / sigma);
    b.convertTo(as_float[1], CV_32F, 1.0 / (255.0 * sigma), -light / sigma);
    const auto correlation = [&](const cv::Mat& one, const cv::Mat& other) {
      return one.dot(other) / static_cast<double>(one.total());
    };
    const cv::Mat& n = as_float[0];
    // Of 160000 pairs: 0.0025 each, four of them; rows overlap here and there in the table.
    EXPECT_NEAR(correlation(n, as_float[1]), 0.0, 0.01);
    EXPECT_NEAR(correlation(n.colRange(0, 400).clone(), n.colRange(1, 401).clone()), 0.0, 0.01);
    EXPECT_NEAR(correlation(n.rowRange(0, 399).clone(), n.rowRange(1, 400).clone()), 0.0, 0.01);
  }
}

// A point spreads to a variance of blur^2 in each direction, an even disc of diameter d adds
// d^2/16.
TEST(Sensor, BlurHasTheSecondMomentsOfItsKernels) {
  cv::Mat point = cv::Mat::zeros(61, 61, CV_32FC1);
  point.at<float>(30, 30) = 1.0F;
  const cv::Mat spread = Blurred(point, 1.5, 6.0);
  double light = 0.0, variance = 0.0;
  for (int y = 0; y < 61; ++y) {
    for (int x = 0; x < 61; ++x) {
      light += spread.at<float>(y, x);
      variance += spread.at<float>(y, x) * (x - 30.0) * (x - 30.0);
    }
  }
  EXPECT_NEAR(light, 1.0, 1e-5);
  // The disc's columns of pixels by the areas of its strips.
  const auto area_left_of = [](double x) {
    const double c = std::clamp(x, -3.0, 3.0);
    return c * std::sqrt(9.0 - c * c) + 9.0 * std::asin(c / 3.0);
  };
  double disc = 0.0;
  for (int x = -3; x <= 3; ++x) {
    disc += x * x * (area_left_of(x + 0.5) - area_left_of(x - 0.5)) / (9.0 * std::numbers::pi);
  }
  EXPECT_NEAR(disc, 36.0 / 16.0 + 1.0 / 12.0, 0.05);  // d^2 / 16, and the mean over pixels
  EXPECT_NEAR(variance, 1.5 * 1.5 + disc, 2e-3);
}

// The integral of a Gaussian-blurred step over a pixel: first differences of the
// integral of the error function.
double PixelAcrossEdge(double edge, double blur) {
  const auto integral = [blur](double x) {
    return 0.5 * (x * (1.0 + std::erf(x / (blur * std::numbers::sqrt2))) +
                  blur * std::sqrt(2.0 / std::numbers::pi) * std::exp(-0.5 * x * x / blur / blur));
  };
  return integral(0.5 - edge) - integral(-0.5 - edge);
}

// Wherever an edge lies between the pixels, they see what a lens would show them: fitted to that,
// it keeps its place.
TEST(Sensor, TheLensBlursBeforeThePixelsSample) {
  for (const double blur_px : {0.35, 0.45, 0.6, 0.9, 1.4, 3.0}) {
    const int fineness = Fineness(blur_px);
    for (const double edge : {0.0, 0.13, 0.25, 0.4, 0.5, 0.77}) {
      cv::Mat parts(3 * fineness, 41 * fineness, CV_32FC1);
      for (int k = 0; k < parts.cols; ++k) {
        const double left = static_cast<double>(k) / fineness - 20.5;
        parts.col(k) = std::clamp((left + 1.0 / fineness - edge) * fineness, 0.0, 1.0);
      }
      const cv::Mat seen = Pixels(Blurred(parts, fineness * blur_px, 0.0), fineness);
      double slope_squares = 0.0, error_by_slope = 0.0;
      for (int x = -20; x <= 20; ++x) {
        const double exact = PixelAcrossEdge(edge - x, blur_px);
        const double slope = (PixelAcrossEdge(edge - x + 1e-4, blur_px) - exact) / 1e-4;
        slope_squares += slope * slope;
        error_by_slope += slope * (seen.at<float>(1, x + 20) - exact);
      }
      EXPECT_NEAR(error_by_slope / slope_squares, 0.0, 0.0035) << blur_px << " " << edge;
    }
  }
}

TEST(Sensor, BlurringTheSurroundingsOfALayerIsBlurringTheWholePicture) {
  cv::Mat ground(80, 120, CV_32FC1);
  cv::randu(ground, 0.1, 0.3);
  constexpr int kFineness = 2;
  constexpr double kBlur = 0.6, kDefocus = 2.0;  // [px]
  for (const cv::Rect& area :
       {cv::Rect(41, 30, 20, 11), cv::Rect(0, 0, 15, 12), cv::Rect(100, 70, 20, 10)}) {
    Layer layer(area);
    cv::randu(layer.light, 0.0, 0.5);
    cv::randu(layer.uncovered, 0.0, 1.0);
    cv::Mat whole = ground.clone();
    cv::Mat(layer.light + layer.uncovered.mul(ground(area))).copyTo(whole(area));
    const auto picture = [&](const cv::Mat& parts) {
      return Pixels(Blurred(parts, kFineness * kBlur, kFineness * kDefocus), kFineness);
    };
    const cv::Mat exact = picture(whole);
    const cv::Mat found = Composed(layer, ground, picture(ground), kFineness, kBlur, kDefocus);
    EXPECT_LT(cv::norm(exact, found, cv::NORM_INF), 1e-5);
  }
}

}  // namespace
}  // namespace percuss::synthesis
