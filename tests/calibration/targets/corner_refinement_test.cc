// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/corner_refinement.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <random>

namespace percuss::calibration {
namespace {

// Light of two crossing edges, averaged over each pixel by samples: no blur but that of the pixels,
// the hardest case. The lattice of samples is sheared, since on a straight one an edge along the
// pixel rows would jump by whole sample distances.
cv::Mat SharpCorner(const Eigen::Vector2d& corner, double angle_x, double angle_y) {
  constexpr int kSamples = 32;
  cv::Mat light(41, 41, CV_32FC1);
  const Eigen::Vector2d normal_x(-std::sin(angle_x), std::cos(angle_x));
  const Eigen::Vector2d normal_y(-std::sin(angle_y), std::cos(angle_y));
  const auto light_at = [&](const Eigen::Vector2d& place) {
    return normal_x.dot(place - corner) * normal_y.dot(place - corner) > 0.0 ? 0.02 : 0.6;
  };
  for (int y = 0; y < light.rows; ++y) {
    for (int x = 0; x < light.cols; ++x) {
      const Eigen::Vector2d centre(x, y);
      const bool on_edge = std::min(std::abs(normal_x.dot(centre - corner)),
                                    std::abs(normal_y.dot(centre - corner))) < 0.8;
      double sum = 0.0;
      for (int i = 0; on_edge && i < kSamples; ++i) {
        for (int j = 0; j < kSamples; ++j) {
          const Eigen::Vector2d offset(i + (j + 0.5) / kSamples, j + (i + 0.5) / kSamples);
          sum += light_at(centre + offset / kSamples - Eigen::Vector2d(0.5, 0.5));
        }
      }
      light.at<float>(y, x) =
          static_cast<float>(on_edge ? sum / (kSamples * kSamples) : light_at(centre));
    }
  }
  return light;
}

CornerGuess GuessNear(const Eigen::Vector2d& corner, double angle_x, double angle_y) {
  return {.pixel = corner + Eigen::Vector2d(0.6, -0.5),
          .step_x = 26.0 * Eigen::Vector2d(std::cos(angle_x), std::sin(angle_x)),
          .step_y = 21.0 * Eigen::Vector2d(std::cos(angle_y), std::sin(angle_y))};
}

// Source of truth: the corner that was drawn. Near the corner the model multiplies the averages of
// two edges where a pixel averages their product, which matters the more the narrower the squares
// look: hence a hundredth of a pixel down to 57 deg between the edges, three at 29 deg.
TEST(RefineCorner, FindsADrawnCornerToAHundredthOfAPixelAtAnySlantAndPhase) {
  for (const double angle_x : {0.0, 0.03, 0.3, -0.7}) {
    for (const double opening : {0.5, 1.0, 1.3, 1.57079632679, 2.4}) {
      for (const double phase : {0.0, 0.21, 0.5, 0.77}) {
        const Eigen::Vector2d corner(20.0 + phase, 19.6 - phase);
        const RefinedCorner found = RefineCorner(SharpCorner(corner, angle_x, angle_x + opening),
                                                 GuessNear(corner, angle_x, angle_x + opening));
        ASSERT_TRUE(found.ok) << angle_x << " " << opening << " " << phase;
        EXPECT_LT((found.pixel - corner).norm(), opening < 1.0 ? 0.03 : 0.01)
            << angle_x << " " << opening << " " << phase;
      }
    }
  }
}

// Over many draws error / sigma must spread like a standard normal. 200 draws of two coordinates
// know the spread to 1/sqrt(2 400) = 3.5 %; the band is four times that. The noise outweighs the
// bias of the test above.
TEST(RefineCorner, StatedCovarianceMatchesTheSpreadOverDraws) {
  const Eigen::Vector2d corner(20.3, 19.8);
  const cv::Mat clean = SharpCorner(corner, 0.2, 1.6);
  std::mt19937 random(7);
  std::normal_distribution<float> noise(0.0F, 0.03F);
  double sum = 0.0;
  constexpr int kDraws = 200;
  for (int draw = 0; draw < kDraws; ++draw) {
    cv::Mat noisy = clean.clone();
    for (int y = 0; y < noisy.rows; ++y) {
      for (int x = 0; x < noisy.cols; ++x) noisy.at<float>(y, x) += noise(random);
    }
    const RefinedCorner found = RefineCorner(noisy, GuessNear(corner, 0.2, 1.6));
    ASSERT_TRUE(found.ok);
    const Eigen::Vector2d error = found.pixel - corner;
    sum += error.dot(found.covariance.inverse() * error);
  }
  EXPECT_NEAR(std::sqrt(sum / (2.0 * kDraws)), 1.0, 0.14);
}

// A black patch in one white quadrant, 5 px from both edges, as a marker's corner: a fit of the
// whole window would be pulled by it.
TEST(RefineCorner, LeavesOutWhatIsDrawnBeyondTheClearSquares) {
  const Eigen::Vector2d corner(20.3, 19.8);
  cv::Mat light = SharpCorner(corner, 0.0, 1.57079632679);
  ASSERT_GT(light.at<float>(30, 30), 0.5F);
  light(cv::Rect(25, 25, 16, 16)).setTo(0.02F);
  const CornerGuess guess = GuessNear(corner, 0.0, 1.57079632679);
  const RefinedCorner whole = RefineCorner(light, guess);
  EXPECT_TRUE(!whole.ok || (whole.pixel - corner).norm() > 0.02);
  // 5 px are 0.19 and 0.24 squares; the guess is off by 0.6 px.
  const RefinedCorner clear = RefineCorner(light, guess, {.clear_squares = 0.19});
  ASSERT_TRUE(clear.ok);
  EXPECT_LT((clear.pixel - corner).norm(), 0.01);
  EXPECT_FALSE(RefineCorner(light, guess, {.clear_squares = 0.05}).ok);  // 1.1 px
}

TEST(RefineCorner, RefusesAPictureWithoutACorner) {
  std::mt19937 random(3);
  std::normal_distribution<float> noise(0.3F, 0.02F);
  cv::Mat light(41, 41, CV_32FC1);
  for (int y = 0; y < 41; ++y) {
    for (int x = 0; x < 41; ++x) light.at<float>(y, x) = noise(random);
  }
  EXPECT_FALSE(RefineCorner(light, GuessNear({20.0, 20.0}, 0.0, 1.5)).ok);
  EXPECT_FALSE(
      RefineCorner(cv::Mat(41, 41, CV_32FC1, cv::Scalar(0.4)), GuessNear({20.0, 20.0}, 0.0, 1.5))
          .ok);
}

TEST(RefineCorner, RefusesACornerOutsideOfTheImage) {
  const cv::Mat light = SharpCorner({20.0, 20.0}, 0.0, 1.5);
  EXPECT_FALSE(RefineCorner(light, GuessNear({-60.0, 20.0}, 0.0, 1.5)).ok);
}

}  // namespace
}  // namespace percuss::calibration
