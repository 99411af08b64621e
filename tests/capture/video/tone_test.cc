// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/tone.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace percuss::capture {
namespace {

// Truth: IEC 61966-2-1 worked by hand. 10/255 = 0.0392157 is on the straight part, 188/255 on the
// power part; mid grey 188 carries half the light of white.
TEST(LightOfGrey, FollowsTheSrgbStandard) {
  const std::array<float, 256> light = LightOfGrey({.kind = Tone::Kind::kSrgb});
  EXPECT_FLOAT_EQ(light[0], 0.0f);
  EXPECT_NEAR(light[10], 0.0392157 / 12.92, 1e-7);
  EXPECT_NEAR(light[11], std::pow((11 / 255.0 + 0.055) / 1.055, 2.4), 1e-7);
  EXPECT_NEAR(light[188], 0.5029, 5e-5);
  EXPECT_FLOAT_EQ(light[255], 1.0f);
}

TEST(LightOfGrey, RisesWithGreyForEveryTone) {
  for (const Tone& tone : {Tone{.kind = Tone::Kind::kSrgb}, Tone{.kind = Tone::Kind::kLinear},
                           Tone{.kind = Tone::Kind::kGamma, .gamma = 2.4}}) {
    const std::array<float, 256> light = LightOfGrey(tone);
    for (std::size_t grey = 1; grey < light.size(); ++grey) {
      EXPECT_GT(light[grey], light[grey - 1]);
    }
  }
}

TEST(LightOfGrey, GammaIsAPower) {
  const std::array<float, 256> light = LightOfGrey({.kind = Tone::Kind::kGamma, .gamma = 2.0});
  EXPECT_NEAR(light[51], 0.04, 1e-7);  // (51 / 255)^2 = 0.2^2
}

TEST(LightOfGrey, RejectsAGammaThatIsNoExponent) {
  for (const double gamma : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(LightOfGrey({.kind = Tone::Kind::kGamma, .gamma = gamma}), std::invalid_argument);
  }
}

TEST(Linearise, LooksUpEveryPixel) {
  const cv::Mat grey = (cv::Mat_<uchar>(2, 3) << 0, 51, 102, 153, 204, 255);
  const cv::Mat light = Linearise(grey, LightOfGrey({.kind = Tone::Kind::kLinear}));
  ASSERT_EQ(light.type(), CV_32FC1);
  ASSERT_EQ(light.size(), grey.size());
  EXPECT_FLOAT_EQ(light.at<float>(0, 1), 0.2f);
  EXPECT_FLOAT_EQ(light.at<float>(1, 1), 0.8f);
}

TEST(Linearise, RejectsAColourImage) {
  const cv::Mat colour(4, 4, CV_8UC3, cv::Scalar(1, 2, 3));
  EXPECT_THROW(Linearise(colour, LightOfGrey({})), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::capture
