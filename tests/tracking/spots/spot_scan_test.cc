// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/spot_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "tracking/spots/mask_components.h"

namespace percuss::tracking {
namespace {

constexpr int kGround = 60;

cv::Mat Ground(int width = 96, int height = 80) {
  return cv::Mat(height, width, CV_8UC1, cv::Scalar(kGround));
}

/// A disc of any place and size, each pixel by the share that it covers (16 x 16 samples).
void AddDisc(double x, double y, double diameter, double contrast, cv::Mat* image) {
  for (int row = 0; row < image->rows; ++row) {
    for (int column = 0; column < image->cols; ++column) {
      int inside = 0;
      for (int i = 0; i < 256; ++i) {
        inside += std::hypot(column + (i % 16 + 0.5) / 16 - 0.5 - x,
                             row + (i / 16 + 0.5) / 16 - 0.5 - y) < 0.5 * diameter;
      }
      uchar& grey = image->at<uchar>(row, column);
      grey = cv::saturate_cast<uchar>(grey + contrast * inside / 256.0);
    }
  }
}

std::vector<SpotCandidate> Scan(const cv::Mat& image, const ScanOptions& options) {
  return ScanForSpots(image, HalvedPicture(image), options);
}

// Truth: the drawn disc. Smoothing by (1 2 1)/4 both ways leaves a disc of five pixels its whole
// contrast at its centre, and one of 2.6 pixels at least half; a grey value is lost to rounding.
TEST(ScanForSpots, FindsTheSmallestMarkersAtTheLeastContrastAtEveryPhase) {
  for (int phase = 0; phase < 16; ++phase) {
    const double x = 40.0 + 0.5 * (phase % 4), y = 38.0 + 0.5 * (phase / 4);
    for (const auto& [diameter, contrast] : {std::pair{5.0, 12.0}, {2.6, 26.0}}) {
      cv::Mat image = Ground();
      AddDisc(x, y, diameter, contrast, &image);
      const auto found = Scan(image, {.diameter_px = 8.0, .min_contrast_grey = 10.0});
      ASSERT_EQ(found.size(), 1u) << diameter << " at " << x << ", " << y;
      EXPECT_TRUE(found[0].box.contains(cv::Point(static_cast<int>(x), static_cast<int>(y))));
      EXPECT_EQ(found[0].mask.size(), found[0].box.size());
      EXPECT_GE(cv::countNonZero(found[0].mask), 4);
    }
  }
}

TEST(ScanForSpots, SeesNothingBelowTheContrast) {
  cv::Mat image = Ground();
  AddDisc(40.0, 40.0, 8.0, 9.0, &image);
  EXPECT_TRUE(Scan(image, {.min_contrast_grey = 10.0}).empty());
}

TEST(ScanForSpots, KeepsNearMarkersApart) {
  cv::Mat image = Ground();
  AddDisc(40.0, 40.0, 8.0, 120.0, &image);
  AddDisc(52.0, 40.0, 8.0, 60.0, &image);
  const auto found = Scan(image, {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].box.contains({40, 40}));  // the strongest first
  EXPECT_TRUE(found[1].box.contains({52, 40}));
}

TEST(ScanForSpots, DarkMarkersAreTheSameInTheNegative) {
  cv::Mat image = Ground();
  AddDisc(40.3, 40.0, 8.0, 120.0, &image);
  AddDisc(70.0, 20.5, 5.0, 60.0, &image);
  const auto bright = Scan(image, {});
  const auto dark = Scan(255 - image, {.polarity = Polarity::kDark});
  ASSERT_EQ(bright.size(), 2u);
  ASSERT_EQ(dark.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(bright[k].box, dark[k].box);
    EXPECT_EQ(dark[k].polarity, Polarity::kDark);
  }
  EXPECT_TRUE(Scan(image, {.polarity = Polarity::kDark}).empty());
}

// Truth: two drawn discs on a bar that stands out of the ground itself and is wider than a marker.
TEST(ScanForSpots, FindsMarkersOnAThingThatStandsOut) {
  cv::Mat image = Ground(160, 80);
  cv::rectangle(image, cv::Rect(20, 32, 120, 14), cv::Scalar(kGround + 30), cv::FILLED);
  EXPECT_TRUE(Scan(image, {}).empty());
  AddDisc(50.0, 39.0, 8.0, 100.0, &image);
  AddDisc(61.5, 39.0, 8.0, 60.0, &image);
  const auto found = Scan(image, {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].box.contains({50, 39}));
  EXPECT_TRUE(found[1].box.contains({61, 39}));
}

TEST(ScanForSpots, WideThingsAreNoSpots) {
  cv::Mat image = Ground();
  cv::rectangle(image, {20, 20}, {70, 60}, cv::Scalar(200), cv::FILLED);
  EXPECT_TRUE(Scan(image, {.diameter_px = 8.0}).empty());
}

// A marker that the border cuts must be seen up to the border, or it would pass for a whole one.
TEST(ScanForSpots, ReachesTheBorderOfAnOddImage) {
  cv::Mat image = Ground(97, 81);
  AddDisc(96.0, 40.0, 8.0, 120.0, &image);
  AddDisc(40.0, 80.0, 8.0, 120.0, &image);
  const auto found = Scan(image, {});
  ASSERT_EQ(found.size(), 2u);
  for (const SpotCandidate& spot : found)
    EXPECT_TRUE(spot.box.br().x == 97 || spot.box.br().y == 81);
}

TEST(ScanForSpots, KeepsTheStrongest) {
  cv::Mat image = Ground(200, 100);
  for (int k = 0; k < 9; ++k) AddDisc(20.0 + 20.0 * k, 50.0, 6.0, 30.0 + 10.0 * k, &image);
  const auto found = Scan(image, {.max_candidates = 2});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].box.contains({180, 50}));
  EXPECT_TRUE(found[1].box.contains({160, 50}));
}

// Truth: OpenCV's labelling of the same masks, from empty to nearly full.
TEST(ComponentsOf, AreThoseOfOpenCv) {
  cv::RNG random(5);
  for (int percent : {0, 5, 20, 40, 60, 95}) {
    cv::Mat noise(61, 83, CV_8UC1), mask, labels, stats, centroids;
    random.fill(noise, cv::RNG::UNIFORM, 0, 100);
    cv::threshold(noise, mask, 99 - percent, 255, cv::THRESH_BINARY);
    const int count = cv::connectedComponentsWithStats(mask, labels, stats, centroids, 8);
    const std::vector<MaskComponent> components = ComponentsOf(mask);
    ASSERT_EQ(static_cast<int>(components.size()), count - 1) << percent;
    for (const MaskComponent& component : components) {
      const MaskRun& run = component.runs.front();
      const int label = labels.at<int>(run.y, run.x_begin);
      EXPECT_EQ(component.area, stats.at<int>(label, cv::CC_STAT_AREA));
      EXPECT_EQ(component.box, cv::Rect(stats.at<int>(label, cv::CC_STAT_LEFT),
                                        stats.at<int>(label, cv::CC_STAT_TOP),
                                        stats.at<int>(label, cv::CC_STAT_WIDTH),
                                        stats.at<int>(label, cv::CC_STAT_HEIGHT)));
    }
  }
}

}  // namespace
}  // namespace percuss::tracking
