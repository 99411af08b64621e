// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/marker_detection.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <random>

#include "capture/video/tone.h"
#include "tests/tracking/spots/all_spots.h"
#include "tracking/spots/spot_scan.h"

namespace percuss::tracking {
namespace {

constexpr double kDark = 0.006, kBright = 0.45;

double GreyOfLight(double light) {  // inverse of the sRGB tone curve
  return 255.0 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055);
}

struct Disc {
  double x, y, radius;
  double squeeze = 1.0;  ///< height over width
};

/// Share of a square of two pixels about (x, y) that a disc covers: exact along x, from 100 lines.
double Covered(const Disc& disc, int x, int y) {
  constexpr int kLines = 100;
  double covered = 0.0;
  for (int i = 0; i < kLines; ++i) {
    const double dy = (y + 2.0 * ((i + 0.5) / kLines - 0.5) - disc.y) / disc.squeeze;
    if (std::abs(dy) >= disc.radius) continue;
    const double half = std::sqrt(disc.radius * disc.radius - dy * dy);
    covered += std::max(0.0, std::min(x + 1.0, disc.x + half) - std::max(x - 1.0, disc.x - half));
  }
  return 0.5 * covered / kLines;
}

/// Discs on a dark ground as a camera sees them: light averaged over a square of two pixels (a
/// pixel and as much blur; any whole number keeps the centroid of the light where it is), sRGB
/// tone, grey noise, rounding.
cv::Mat Render(const std::vector<Disc>& discs, int width, int height, double noise_grey,
               std::mt19937* random) {
  std::normal_distribution<double> noise(0.0, noise_grey > 0.0 ? noise_grey : 1.0);
  cv::Mat image(height, width, CV_8UC1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double share = 0.0;
      for (const Disc& disc : discs) {
        if (std::hypot(x - disc.x, y - disc.y) < disc.radius + 3.0) share += Covered(disc, x, y);
      }
      const double light = kDark + (kBright - kDark) * share;
      const double grey = GreyOfLight(light) + (noise_grey > 0.0 ? noise(*random) : 0.0);
      image.at<uchar>(y, x) = static_cast<uchar>(std::clamp(std::lround(grey), 0L, 255L));
    }
  }
  return image;
}

const std::array<float, 256> kLight = capture::LightOfGrey({});

std::vector<Blob> DetectBlobs(const cv::Mat& image, const std::array<float, 256>& light_of_grey,
                              const DetectionOptions& options) {
  return DetectBlobs(image, HalvedPicture(image), light_of_grey, options);
}

// Truth: the drawn centre. Without noise only the rounding to grey values is left: half a grey
// value on one side of the edge of the smallest disc moves its centroid by 0.01 px, and nothing may
// lock to the pixel grid on average.
TEST(DetectBlobs, FindsTheCentreAtEveryPhaseOfThePixelGrid) {
  for (const double diameter : {6.0, 10.0, 16.0}) {
    double absolute = 0.0;
    for (int phase = 0; phase < 8; ++phase) {
      const Disc disc{30.0 + phase / 8.0, 24.0 + 0.37 * phase, 0.5 * diameter};
      const auto blobs =
          DetectBlobs(Render({disc}, 64, 56, 0.0, nullptr), kLight, {.expected_diameter_px = 10.0});
      ASSERT_EQ(blobs.size(), 1u);
      const Eigen::Vector2d error = blobs[0].centre - Eigen::Vector2d(disc.x, disc.y);
      EXPECT_LT(error.cwiseAbs().maxCoeff(), 0.01) << diameter << " " << phase;
      absolute += error.cwiseAbs().sum() / 16.0;
    }
    EXPECT_LT(absolute, 0.005) << diameter;
  }
}

// Truth: the drawn centre. Over 200 draws the mean of (error / sigma)^2 per coordinate is 1 within
// 3 sqrt(2 / 400) = 0.21.
TEST(DetectBlobs, StatedCovarianceMatchesTheSpread) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> phase(0.0, 1.0);
  double sum = 0.0;
  for (int draw = 0; draw < 200; ++draw) {
    const Disc disc{24.0 + phase(random), 24.0 + phase(random), 5.0, 0.7};
    const auto blobs =
        DetectBlobs(Render({disc}, 48, 48, 2.0, &random), kLight, {.expected_diameter_px = 10.0});
    ASSERT_EQ(blobs.size(), 1u);
    const Eigen::Vector2d error = blobs[0].centre - Eigen::Vector2d(disc.x, disc.y);
    sum += error.dot(blobs[0].covariance.inverse() * error);
  }
  EXPECT_NEAR(sum / 400.0, 1.0, 0.21);
}

TEST(DetectBlobs, SeparatesNeighbours) {
  const auto blobs =
      DetectBlobs(Render({{24.0, 24.0, 4.0}, {35.5, 24.0, 4.0}}, 60, 48, 0.0, nullptr), kLight,
                  {.expected_diameter_px = 8.0});
  ASSERT_EQ(blobs.size(), 2u);
  const double x0 = std::min(blobs[0].centre.x(), blobs[1].centre.x()),
               x1 = std::max(blobs[0].centre.x(), blobs[1].centre.x());
  EXPECT_NEAR(x0, 24.0, 0.05);
  EXPECT_NEAR(x1, 35.5, 0.05);
}

TEST(DetectBlobs, SeesNothingInNoiseAndNothingInALargeSurface) {
  std::mt19937 random(4);
  cv::Mat image = Render({}, 200, 160, 3.0, &random);
  EXPECT_TRUE(DetectBlobs(image, kLight, {}).empty());
  cv::Mat surface = image(cv::Rect(60, 50, 90, 70));
  surface.setTo(150);
  EXPECT_TRUE(DetectBlobs(image, kLight, {}).empty());
}

TEST(DetectBlobs, LeavesOutAMarkerThatTheBorderCuts) {
  EXPECT_TRUE(DetectBlobs(Render({{1.0, 24.0, 4.0}}, 48, 48, 0.0, nullptr), kLight, {}).empty());
}

// Truth: the drawn centre; half a pixel is left between the disc and the border, whose outline is
// whole while its blur is cut.
TEST(DetectBlobs, KeepsAMarkerThatTheBorderOnlyTouches) {
  const auto blobs = DetectBlobs(Render({{4.0, 24.0, 4.0}}, 48, 48, 0.0, nullptr), kLight, {});
  ASSERT_EQ(blobs.size(), 1u);
  EXPECT_NEAR(blobs[0].centre.x(), 4.0, 0.05);
  EXPECT_NEAR(blobs[0].centre.y(), 24.0, 0.05);
}

// Truth: the noise that was drawn; the ground is dark enough for rounding to matter little.
TEST(EstimateGreyNoise, FindsTheNoiseThatWasAdded) {
  std::mt19937 random(6);
  EXPECT_NEAR(EstimateGreyNoise(Render({{60.0, 50.0, 20.0}}, 160, 120, 3.0, &random)), 3.0, 0.15);
}

TEST(DetectionOptions, NamesWhatIsWrong) {
  try {
    DetectBlobs(cv::Mat::zeros(20, 20, CV_8UC1), kLight, {.expected_diameter_px = -1.0});
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "DetectionOptions::expected_diameter_px: found -1, allowed > 0");
  }
}

}  // namespace
}  // namespace percuss::tracking
