// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/core.hpp>
#include <optional>
#include <random>
#include <vector>

#include "capture/video/tone.h"
#include "tests/base/temporary_folder.h"
#include "tests/capture/pictures/made_recording.h"
#include "tests/capture/video/written_video.h"
#include "tests/tracking/spots/spot_rendering.h"
#include "tracking/spots/spot_scan.h"
#include "tracking/spots/video_spots.h"

// Pictures of more than 8 bits.
namespace percuss::tracking {
namespace {

namespace fs = std::filesystem;
using ::percuss::testing::CihText;
using ::percuss::testing::MadeRecording;
using ::percuss::testing::MrawBytes;
using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WrittenVideo;
using ::testing::SizeIs;

constexpr capture::Tone kLinearTone{.kind = capture::Tone::Kind::kLinear};
const DrawnDisc kDeepDisc{.x = 31.3, .y = 32.6};
constexpr int kDeepSize = 64;

/// A bright disc, in light.
Eigen::MatrixXd DeepLight(double ground, double contrast) {
  return ((contrast * ShareOfDisc(kDeepDisc, kDeepSize, 0.7)).array() + ground).matrix();
}

/// Stored values of light, rounded, with noise in units of them.
cv::Mat Stored(const Eigen::MatrixXd& light, double black, double white, double noise,
               std::mt19937* random) {
  std::normal_distribution<double> normal(0.0, 1.0);
  cv::Mat picture(static_cast<int>(light.rows()), static_cast<int>(light.cols()), CV_16UC1);
  for (int y = 0; y < picture.rows; ++y) {
    for (int x = 0; x < picture.cols; ++x) {
      picture.at<std::uint16_t>(y, x) = cv::saturate_cast<std::uint16_t>(
          black + (white - black) * light(y, x) + noise * normal(*random));
    }
  }
  return picture;
}

/// The spots of a recording of one picture.
std::vector<Blob> SpotsOf(const cv::Mat& picture, int stored_bits, int depth,
                          const DetectionOptions& options) {
  const TemporaryFolder folder;
  const MadeRecording made{
      .pictures = {picture}, .stored_bits = stored_bits, .depth = depth, .times = {}};
  folder.Write("a.cih", CihText(made));
  const fs::path file = folder.Write("a.mraw", MrawBytes(made));
  return FindSpots(file, {}, kLinearTone, options).frames.at(0).blobs;
}

// Truth: the disc that was drawn. Its light is the same at every depth.
TEST(DeepPictures, AreMeasuredAsThoseOfEightBits) {
  std::mt19937 random(5);
  const Eigen::MatrixXd light = DeepLight(0.1, 0.6);
  for (const int depth : {8, 10, 12, 14, 16}) {
    const double white = std::ldexp(1.0, depth) - 1.0;
    const cv::Mat picture = Stored(light, 0.0, white, 0.003 * white, &random);
    const auto blobs = SpotsOf(picture, depth == 8 ? 8 : 16, depth, {});
    ASSERT_THAT(blobs, SizeIs(1)) << depth;
    // Sigma 0.0027 px: four of them.
    EXPECT_NEAR(blobs[0].centre.x(), kDeepDisc.x, 0.011) << depth;
    EXPECT_NEAR(blobs[0].centre.y(), kDeepDisc.y, 0.011) << depth;
    EXPECT_NEAR(blobs[0].contrast, 0.6, 0.02) << depth;
    EXPECT_NEAR(std::sqrt(blobs[0].covariance(0, 0)), 0.0027, 0.0012) << depth;
  }
}

// Truth: the disc that was drawn, 1.5 of 255 grey values bright. Rounding to 8 bits leaves hardly
// more than a mask of it.
TEST(DeepPictures, ShowWhatIsTooDarkForEightBits) {
  std::mt19937 random(5);
  const Eigen::MatrixXd light = DeepLight(0.01, 1.5 / 255.0);
  const cv::Mat fine = Stored(light, 0.0, 4095.0, 1.0, &random);
  const auto blobs = SpotsOf(fine, 12, 12, {});
  ASSERT_THAT(blobs, SizeIs(1));
  EXPECT_LT((blobs[0].centre - Eigen::Vector2d(kDeepDisc.x, kDeepDisc.y)).norm(), 0.12);
  const cv::Mat coarse = cv::Mat(fine / 16.0);
  EXPECT_THAT(SpotsOf(coarse, 8, 8, {}), SizeIs(0));
}

// Truth: the disc that was drawn. Rounding to whole grey values of 8 bits has a standard deviation
// of 0.29 of them, noise here 0.15: a ratio of 0.47 where rounding is noise.
TEST(DeepPictures, HaveFinerCentresThanEightBitsInTheDark) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(28.0, 36.0);
  const DetectionOptions options{.min_contrast_grey = 2.0};
  double fine_squares = 0.0, coarse_squares = 0.0;
  int count = 0;
  for (int k = 0; k < 60; ++k) {
    const DrawnDisc disc{.x = place(random), .y = place(random)};
    const Eigen::Vector2d truth(disc.x, disc.y);
    const Eigen::MatrixXd light =
        ((6.0 / 255.0 * ShareOfDisc(disc, kDeepSize, 0.7)).array() + 2.0 / 255.0).matrix();
    const cv::Mat fine = Stored(light, 0.0, 4095.0, 0.15 * 4095.0 / 255.0, &random);
    cv::Mat coarse;
    fine.convertTo(coarse, CV_16U, 255.0 / 4095.0);
    const auto of_fine = SpotsOf(fine, 16, 12, options), of_coarse = SpotsOf(coarse, 8, 8, options);
    if (of_fine.size() != 1 || of_coarse.size() != 1) continue;
    fine_squares += (of_fine[0].centre - truth).squaredNorm();
    coarse_squares += (of_coarse[0].centre - truth).squaredNorm();
    ++count;
  }
  EXPECT_GE(count, 50);
  EXPECT_LT(std::sqrt(fine_squares / coarse_squares), 0.6);
}

// Truth: the disc that was drawn, as a phone stores 10 bits: black at 64, white at 940.
TEST(DeepPictures, OfStudioRangeAreOnTheSameScale) {
  const TemporaryFolder folder;
  std::mt19937 random(5);
  const cv::Mat picture = Stored(DeepLight(0.1, 0.6), 64.0, 940.0, 1.0, &random);
  WrittenVideo video{.format = AV_PIX_FMT_YUV420P10LE, .width = kDeepSize, .height = kDeepSize};
  std::string bytes(reinterpret_cast<const char*>(picture.data), 2 * picture.total());
  for (std::size_t k = 0; k < picture.total() / 2; ++k) bytes += std::string("\x00\x02", 2);
  video.packets = {{0, bytes}};
  testing::WriteVideo(folder / "ten.nut", video);
  const VideoSpots spots = FindSpots(folder / "ten.nut", {}, kLinearTone, {});
  ASSERT_THAT(spots.frames.at(0).blobs, SizeIs(1));
  const Blob& blob = spots.frames[0].blobs[0];
  EXPECT_NEAR(blob.centre.x(), kDeepDisc.x, 0.005);
  EXPECT_NEAR(blob.centre.y(), kDeepDisc.y, 0.005);
  EXPECT_NEAR(blob.contrast, 0.6, 0.01);
  EXPECT_NEAR(spots.mean_grey[0], 255.0 * DeepLight(0.1, 0.6).mean(), 0.2);
}

TEST(EstimateGreyNoise, FindsThatOfSixteenBits) {
  std::mt19937 random(3);
  const Eigen::MatrixXd even = Eigen::MatrixXd::Constant(400, 400, 0.5);
  for (const double noise : {1.0, 30.0, 900.0}) {
    const cv::Mat picture = Stored(even, 0.0, 65535.0, noise, &random);
    const double with_rounding = std::sqrt(noise * noise + 1.0 / 12.0);
    EXPECT_NEAR(EstimateGreyNoise(picture) / with_rounding, 1.0, 0.06) << noise;
  }
}

// Truth: the table itself. Below black the curve goes on.
TEST(ToneTables, InvertTheCurveOfDeepPictures) {
  for (const capture::Tone& tone :
       {capture::Tone{}, kLinearTone, capture::Tone{capture::Tone::Kind::kGamma, 1.8}}) {
    const capture::GreyLevels levels{.black = 64, .white = 4064};
    const ToneTables tables(capture::LightOfLevels(tone, levels));
    const bool gamma = tone.kind == capture::Tone::Kind::kGamma;
    for (int grey = gamma ? 200 : 0; grey < levels.white; grey += 7)
      EXPECT_NEAR(tables.Grey(tables.Light(grey)).grey, grey, 0.05) << grey;
    EXPECT_EQ(tables.Light(5000), 1.0f);
    EXPECT_NEAR(tables.Light(64), 0.0f, 1e-7f);
    EXPECT_EQ(tables.Light(0) < 0.0f, !gamma);
  }
}

// A picture between 100 and 350 of 65535 is scanned at its own steps; one that fills them is not.
TEST(PictureToScan, SpreadsWhatIsThere) {
  cv::Mat dark(40, 40, CV_16UC1, cv::Scalar(100));
  dark(cv::Rect(10, 10, 8, 8)).setTo(350);
  const ScanPicture scan = PictureToScan(dark, HalvedPicture(dark));
  EXPECT_EQ(scan.step, 1.0);
  EXPECT_EQ(scan.luma.at<uchar>(0, 0), 2);
  EXPECT_EQ(scan.luma.at<uchar>(12, 12), 252);
  const cv::Mat bright = cv::Mat(dark * 150);
  const ScanPicture all = PictureToScan(bright, HalvedPicture(bright));
  EXPECT_NEAR(all.step, 150.0 * 250.0 / 251.0, 1e-9);
  EXPECT_EQ(cv::norm(all.luma, scan.luma, cv::NORM_INF), 1.0);
}

}  // namespace
}  // namespace percuss::tracking
