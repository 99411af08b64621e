// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: what was written; read back by capture's reader.

#include "capture/video/video_writer.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>

#include "capture/video/sound_reader.h"
#include "capture/video/video.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

std::vector<cv::Mat> Pictures(int count) {
  std::vector<cv::Mat> pictures;
  cv::RNG random(4);
  for (int k = 0; k < count; ++k) {
    cv::Mat picture(48, 64, CV_8UC1);
    random.fill(picture, cv::RNG::UNIFORM, 0, 256);
    pictures.push_back(picture);
  }
  return pictures;
}

void Write(const std::filesystem::path& file, const std::vector<cv::Mat>& pictures, double rate,
           std::optional<int> crf) {
  VideoWriter writer(file, pictures[0].size(), rate, crf);
  for (const cv::Mat& picture : pictures) writer.Write(picture);
  writer.Finish();
}

TEST(VideoWriter, LosslessPicturesAndTrueTimesComeBack) {
  const testing::TemporaryFolder folder;
  const std::vector<cv::Mat> pictures = Pictures(20);
  for (const double rate : {120.0, 59.94, 1000.0}) {
    const auto file = folder / "video.mp4";
    Write(file, pictures, rate, {});
    VideoReader reader(file);
    EXPECT_EQ(reader.FrameCount(), 20);
    EXPECT_NEAR(reader.FrameRate(), rate, 1e-6 * rate);
    int count = 0;
    while (const auto frame = reader.Next()) {
      ASSERT_LT(count, 20);
      EXPECT_NEAR(frame->time, count / rate, 1e-6);
      EXPECT_EQ(cv::norm(frame->luma, pictures[count], cv::NORM_INF), 0.0);
      ++count;
    }
    EXPECT_EQ(count, 20);
  }
}

TEST(VideoWriter, ALowRateFactorLosesLittleAndAHighOneMore) {
  const testing::TemporaryFolder folder;
  const std::vector<cv::Mat> pictures = Pictures(3);
  const auto error = [&](int crf) {
    Write(folder / "video.mp4", pictures, 120.0, crf);
    return cv::norm(VideoReader(folder / "video.mp4").Next()->luma, pictures[0], cv::NORM_L1) /
           static_cast<double>(pictures[0].total());
  };
  const double fine = error(1), coarse = error(40);
  EXPECT_GT(fine, 0.0);
  EXPECT_GT(coarse, 5.0 * fine);
}

// Truth: what was written. Flat colours pass the encoder and the halved colour planes unharmed, but
// for the rounding of Y'CbCr to whole levels: up to 2 for each of blue, green and red.
TEST(VideoWriter, ColoursComeBack) {
  const testing::TemporaryFolder folder;
  const auto file = folder / "video.mp4";
  cv::Mat picture(48, 64, CV_8UC3, cv::Scalar(200, 40, 90));
  picture(cv::Rect(0, 0, 32, 48)).setTo(cv::Scalar(30, 220, 230));
  VideoWriter writer(file, picture.size(), 25.0, {}, PictureKind::kColour);
  for (int k = 0; k < 3; ++k) writer.Write(picture);
  EXPECT_THROW(writer.Write(cv::Mat(48, 64, CV_8UC1)), std::invalid_argument);
  writer.Finish();
  cv::VideoCapture capture(file.string());
  cv::Mat read;
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(capture.read(read));
    for (const cv::Point place : {cv::Point(8, 24), cv::Point(56, 24)}) {
      const cv::Vec3i difference =
          cv::Vec3i(read.at<cv::Vec3b>(place)) - cv::Vec3i(picture.at<cv::Vec3b>(place));
      EXPECT_LE(cv::norm(difference, cv::NORM_INF), 3.0) << place;
    }
  }
  EXPECT_FALSE(capture.read(read));
  EXPECT_THROW(VideoWriter(file, {63, 48}, 25.0, {}, PictureKind::kColour), std::invalid_argument);
}

// Truth: what was written, to the rounding to 16 bits, each sample at its time.
TEST(VideoWriter, SoundComesBack) {
  const testing::TemporaryFolder folder;
  const auto file = folder / "video.mov";
  SoundTrack sound;
  sound.rate = 44100.0;
  for (int k = 0; k < 30000; ++k)
    sound.samples.push_back(0.9F * static_cast<float>((k * 7919) % 2001 - 1000) / 1000.0F);
  const std::vector<cv::Mat> pictures = Pictures(20);
  for (const double rate : {29.97, 240.0}) {
    VideoWriter writer(file, pictures[0].size(), rate, {}, PictureKind::kGrey, &sound);
    for (const cv::Mat& picture : pictures) writer.Write(picture);
    writer.Finish();
    const SoundTrack read = ReadSound(file);
    ASSERT_EQ(read.reason, "");
    EXPECT_EQ(read.rate, 44100.0);
    EXPECT_EQ(read.start, 0.0);
    ASSERT_EQ(read.samples.size(), sound.samples.size());
    for (std::size_t k = 0; k < sound.samples.size(); ++k)
      ASSERT_NEAR(read.samples[k], sound.samples[k], 1.0 / 16384.0) << k;
    VideoReader reader(file);
    for (int k = 0; k < 20; ++k) {
      const auto frame = reader.Next();
      ASSERT_TRUE(frame);
      EXPECT_NEAR(frame->time, k / rate, 2e-5);
      EXPECT_EQ(cv::norm(frame->luma, pictures[k], cv::NORM_INF), 0.0);
    }
  }
  sound.start = 0.5;
  EXPECT_THROW(VideoWriter(file, {64, 48}, 25.0, {}, PictureKind::kGrey, &sound),
               std::invalid_argument);
}

TEST(VideoWriter, LeavesNothingBehindThatIsNotFinished) {
  const testing::TemporaryFolder folder;
  {
    VideoWriter writer(folder / "video.mp4", {64, 48}, 120.0, 20);
    writer.Write(Pictures(1)[0]);
    EXPECT_THROW(writer.Write(cv::Mat(10, 10, CV_8UC1)), std::invalid_argument);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.Path()));
  EXPECT_NE(testing::InputErrorOf([&] {
              VideoWriter("/proc/missing/video.mp4", {64, 48}, 120.0, 20);
            }).find("/proc/missing/video.mp4: its folder cannot be made"),
            std::string::npos);
}

// Truth: the values written.
TEST(VideoWriter, KeepsTwelveBits) {
  const testing::TemporaryFolder folder;
  std::vector<cv::Mat> pictures;
  for (int k = 0; k < 3; ++k) {
    cv::Mat picture(48, 64, CV_16UC1);
    cv::randu(picture, 0, 4096);
    pictures.push_back(picture);
  }
  VideoWriter writer(folder / "deep.mov", {64, 48}, 3000.0, {}, PictureKind::kDeepGrey);
  for (const cv::Mat& picture : pictures) writer.Write(picture);
  writer.Finish();
  VideoReader reader(folder / "deep.mov");
  for (int k = 0; k < 3; ++k) {
    const auto frame = reader.NextStored();
    ASSERT_TRUE(frame);
    EXPECT_EQ(cv::norm(frame->luma, pictures[k], cv::NORM_INF), 0.0);
    EXPECT_EQ(frame->levels, LevelsOfBits(12));
    EXPECT_NEAR(frame->time, k / 3000.0, 1e-9);
  }
  EXPECT_THROW(VideoWriter(folder / "a.mov", {64, 48}, 1.0, 12, PictureKind::kDeepGrey),
               std::invalid_argument);
}

}  // namespace
}  // namespace percuss::capture
