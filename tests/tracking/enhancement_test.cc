// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/enhancement.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <random>

#include "capture/video/video_writer.h"
#include "tests/base/temporary_folder.h"

namespace percuss::tracking {
namespace {

/// A grey scene with noise of two grey values, three discs of radius 5 px and a wide bright band.
cv::Mat Scene(double background, double marker) {
  cv::Mat picture(120, 160, CV_8UC1, cv::Scalar(background));
  picture.rowRange(85, 120).setTo(marker);  // as bright as a marker, but no marker
  for (const int x : {30, 80, 130}) cv::circle(picture, {x, 60}, 5, cv::Scalar(marker), -1);
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0.0, 2.0);
  for (int y = 0; y < picture.rows; ++y) {
    for (int x = 0; x < picture.cols; ++x)
      picture.at<uchar>(y, x) = cv::saturate_cast<uchar>(picture.at<uchar>(y, x) + noise(random));
  }
  return picture;
}

// Truth: the discs that were drawn, 1.3 % of the pixels.
TEST(MarkerThreshold, PartsMarkersFromTheSceneInBothPolarities) {
  for (const auto& [polarity, background, marker] :
       {std::tuple(Polarity::kBright, 40.0, 200.0), std::tuple(Polarity::kDark, 210.0, 60.0)}) {
    const cv::Mat scene = Scene(background, marker);
    const cv::Mat above = AboveSurround(scene, 10.0, polarity);
    const auto threshold = MarkerThreshold(above);
    ASSERT_TRUE(threshold);
    // Half of the contrast, and no nearer to either class than six sigmas of the noise.
    const double contrast = std::abs(background - marker);
    EXPECT_NEAR(*threshold, 0.5 * contrast, 0.5 * contrast - 12.0);
    const cv::Mat binary = BinaryPicture(above, threshold);
    cv::Mat truth = cv::Mat::zeros(scene.size(), CV_8UC1);
    for (const int x : {30, 80, 130}) cv::circle(truth, {x, 60}, 5, cv::Scalar(255), -1);
    EXPECT_EQ(cv::norm(binary, truth, cv::NORM_INF), 0.0);
  }
}

TEST(MarkerThreshold, FindsNoneWhereNothingStandsOut) {
  const cv::Mat scene = Scene(90.0, 90.0);
  EXPECT_FALSE(MarkerThreshold(AboveSurround(scene, 10.0, Polarity::kBright)));
  EXPECT_EQ(cv::countNonZero(BinaryPicture(scene, std::nullopt)), 0);
}

// The rim of each region is coloured, its inside and the scene stay grey; a name leaves green.
TEST(OutlinedPicture, DrawsRimsAndNames) {
  const cv::Mat scene = Scene(40.0, 200.0);
  const cv::Mat binary = BinaryPicture(AboveSurround(scene, 10.0, Polarity::kBright), 80);
  const std::vector<PlaceName> names = {{{80.0, 60.0}, "M2"}};
  const cv::Mat picture = OutlinedPicture(scene, binary, names);
  const auto is_grey = [&](int x, int y) {
    const auto pixel = picture.at<cv::Vec3b>(y, x);
    return pixel[0] == pixel[1] && pixel[1] == pixel[2];
  };
  for (const int x : {30, 80, 130}) {
    EXPECT_FALSE(is_grey(x - 5, 60));
    EXPECT_TRUE(is_grey(x, 60));
    EXPECT_TRUE(is_grey(x - 8, 60));
  }
  int green = 0;
  for (int y = 40; y < 60; ++y) {
    for (int x = 88; x < 115; ++x) {
      const auto pixel = picture.at<cv::Vec3b>(y, x);
      green += pixel[1] > pixel[0] + 40 && pixel[1] > pixel[2] + 40;
    }
  }
  EXPECT_GT(green, 20);
}

// A trial in the plane of one camera has no right video.
TEST(WriteEnhanced, NeedsNoSecondCamera) {
  const testing::TemporaryFolder folder;
  capture::Trial trial;
  trial.left = folder.Path() / "left.mp4";
  capture::VideoWriter video(trial.left, {160, 120}, 120.0, {});
  for (int i = 0; i < 3; ++i) video.Write(Scene(40.0, 200.0));
  video.Finish();
  std::vector<InspectedFrame> frames(3);
  for (int i = 0; i < 3; ++i) {
    frames[i].views[0].frame = i;
    frames[i].pictured = i != 1;
  }
  WriteEnhanced(trial, {}, frames, 10.0, Polarity::kBright, folder.Path() / "enhanced");
  for (const char* picture :
       {"000000-grey.png", "000002-binary.png", "000002-outline.png", "000002.jpg"})
    EXPECT_TRUE(std::filesystem::exists(folder.Path() / "enhanced/left" / picture)) << picture;
  EXPECT_FALSE(std::filesystem::exists(folder.Path() / "enhanced/left/000001-grey.png"));
  EXPECT_FALSE(std::filesystem::exists(folder.Path() / "enhanced/right"));
}

}  // namespace
}  // namespace percuss::tracking
