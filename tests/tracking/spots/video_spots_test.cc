// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/video_spots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/base/temporary_folder.h"
#include "tests/capture/video/written_video.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/trial.h"

namespace percuss::tracking {
namespace {

namespace fs = std::filesystem;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WrittenVideo;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const cv::Size kVideoSpotsSize(160, 120);

cv::Mat Discs(const std::vector<cv::Point>& centres, cv::Size size = kVideoSpotsSize) {
  cv::Mat image(size, CV_8UC1, cv::Scalar(30));
  for (const cv::Point& centre : centres) cv::circle(image, centre, 4, 200, cv::FILLED);
  return image;
}

/// JPEG frames of full range, 120 Hz.
fs::path WriteJpegVideo(const fs::path& file, const std::vector<cv::Mat>& images) {
  WrittenVideo video{.codec = AV_CODEC_ID_MJPEG,
                     .format = AV_PIX_FMT_YUVJ420P,
                     .width = images.front().cols,
                     .height = images.front().rows};
  for (const cv::Mat& image : images) {
    std::vector<uchar> bytes;
    cv::imencode(".jpg", image, bytes, {cv::IMWRITE_JPEG_QUALITY, 95});
    video.packets.push_back({.time = static_cast<std::int64_t>(video.packets.size()),
                             .bytes = {bytes.begin(), bytes.end()}});
  }
  testing::WriteVideo(file, video);
  return file;
}

/// The same images in studio range, black at 16 and white at 235.
fs::path WriteStudioVideo(const fs::path& file, const std::vector<cv::Mat>& images) {
  WrittenVideo video{.format = AV_PIX_FMT_YUV420P,
                     .width = kVideoSpotsSize.width,
                     .height = kVideoSpotsSize.height};
  for (const cv::Mat& image : images) {
    cv::Mat stored;
    image.convertTo(stored, CV_8U, 219.0 / 255.0, 16.0);
    std::string bytes(stored.begin<char>(), stored.end<char>());
    bytes.append(stored.total() / 2, static_cast<char>(128));
    video.packets.push_back(
        {.time = static_cast<std::int64_t>(video.packets.size()), .bytes = bytes});
  }
  testing::WriteVideo(file, video);
  return file;
}

VideoSpots Find(const fs::path& file) { return FindSpots(file, {}, {}, {}); }

TEST(FindSpots, LeavesOutWhatARepeatedPictureShows) {
  const TemporaryFolder folder;
  std::vector<cv::Mat> images;
  for (const int x : {20, 26, 32, 32, 44, 50, 56, 62}) images.push_back(Discs({{x, 60}, {x, 90}}));
  const fs::path file = WriteJpegVideo(folder / "left.avi", images);
  const VideoSpots spots = Find(file);
  ASSERT_THAT(spots.frames, SizeIs(8));
  EXPECT_THAT(spots.timing.repeated, ElementsAre(3));
  for (std::size_t k = 0; k < 8; ++k) EXPECT_THAT(spots.frames[k].blobs, SizeIs(k == 3 ? 0 : 2));
  EXPECT_NEAR(spots.frames[3].time, 3 / 120.0, 1e-9);
  EXPECT_THAT(VideoWarnings(spots, "left.avi"),
              ElementsAre("left.avi: 1 frame shows the picture before again (first: frame 3); left "
                          "out"));
}

// Truth: the same picture in both ranges, as a PNG and as raw video; they may differ by rounding to
// 219 levels, which is 0.004 of light at grey 200.
TEST(FindSpots, StudioRangeIsTheSame) {
  const TemporaryFolder folder;
  const cv::Mat image = Discs({{40, 40}, {100, 70}});
  cv::imwrite((folder / "0.png").string(), image);
  const VideoSpots full = FindSpots(folder / "*.png", {120.0}, {}, {});
  const VideoSpots studio = Find(WriteStudioVideo(folder / "studio.avi", {image}));
  EXPECT_NEAR(studio.mean_grey[0], full.mean_grey[0], 0.6);
  ASSERT_THAT(full.frames[0].blobs, SizeIs(2));
  ASSERT_THAT(studio.frames[0].blobs, SizeIs(2));
  for (const Blob& blob : studio.frames[0].blobs) {
    double nearest = 1e9;
    for (const Blob& other : full.frames[0].blobs) {
      if ((other.centre - blob.centre).norm() > 1.0) continue;
      nearest = (other.centre - blob.centre).norm();
      EXPECT_NEAR(other.contrast, blob.contrast, 0.01);
    }
    EXPECT_LT(nearest, 0.05);
  }
}

TEST(FindSpots, NamesAFrameSizeThatIsNotTheCalibrations) {
  const TemporaryFolder folder;
  const fs::path file = WriteJpegVideo(folder / "left.avi", {Discs({})});
  EXPECT_THAT(InputErrorOf([&] { FindSpots(file, {}, {}, {}, {}, cv::Size(1280, 720)); }),
              HasSubstr("left.avi: frame size 160 x 120, allowed 1280 x 720"));
}

TEST(FindSpots, KeepsTwoHundredOfFiveHundredSpotsAndSaysSo) {
  const TemporaryFolder folder;
  std::vector<cv::Point> centres;
  for (int k = 0; k < 500; ++k) centres.emplace_back(20 + 24 * (k % 25), 20 + 24 * (k / 25));
  const cv::Mat crowd = Discs(centres, {640, 520});
  const VideoSpots spots =
      Find(WriteJpegVideo(folder / "left.avi", {Discs({{40, 40}}, crowd.size()), crowd, crowd}));
  EXPECT_THAT(spots.frames[0].blobs, SizeIs(1));
  EXPECT_THAT(spots.frames[1].blobs, SizeIs(200));
  EXPECT_THAT(spots.crowded, ElementsAre(1, 2));
  EXPECT_THAT(VideoWarnings(spots, "left.avi"),
              ElementsAre(HasSubstr("left.avi: 2 of 3 frames show 200 spots or more (first: frame "
                                    "1), of which the strongest are used")));
}

/// Bad videos as trials of an experiment: each is named, none stops the others.
class BadTrial : public ::testing::Test {
 protected:
  TrialResult Process(const fs::path& left, const fs::path& right) {
    capture::Experiment experiment;
    experiment.body = truth_.body;
    capture::Trial trial;
    trial.name = "a";
    trial.left = left;
    trial.right = right;
    trial.gravity = truth_.gravity;
    return ProcessTrial(experiment, trial, truth_.calibration);
  }
  fs::path Video(const std::string& name, const std::vector<cv::Mat>& images) {
    return WriteJpegVideo(folder_ / name, images);
  }
  std::vector<cv::Mat> Frames(std::size_t count, const std::vector<cv::Point>& discs) {
    return std::vector<cv::Mat>(count, Discs(discs, {1280, 720}));
  }
  std::vector<cv::Mat> Black(std::size_t count) {
    return std::vector<cv::Mat>(count, cv::Mat::zeros(720, 1280, CV_8UC1));
  }

  SyntheticTrial truth_ = MakeSyntheticTrial();
  TemporaryFolder folder_;
};

TEST_F(BadTrial, OfOneFrame) {
  const TrialResult result = Process(Video("left.avi", Frames(1, {{600, 300}})),
                                     Video("right.avi", Frames(1, {{600, 300}})));
  EXPECT_EQ(result.status, TrialResult::Status::kNoAnswer);
  EXPECT_THAT(result.message, AllOf(HasSubstr("left.avi"), HasSubstr("1 frame")));
}

TEST_F(BadTrial, OfABlackVideo) {
  const TrialResult result =
      Process(Video("left.avi", Frames(12, {{600, 300}})), Video("right.avi", Black(12)));
  EXPECT_EQ(result.status, TrialResult::Status::kNoAnswer);
  EXPECT_THAT(result.message,
              HasSubstr("right.avi: no spot that could be a marker in any of 12 frames"));
}

TEST_F(BadTrial, WithoutMarkers) {
  const TrialResult result =
      Process(Video("left.avi", Frames(12, {})), Video("right.avi", Frames(12, {})));
  EXPECT_EQ(result.status, TrialResult::Status::kNoAnswer);
  EXPECT_THAT(result.message, HasSubstr("left.avi: no spot that could be a marker"));
}

TEST_F(BadTrial, WhoseFrameSizeChanges) {
  std::vector<cv::Mat> images = Frames(3, {{600, 300}});
  images.push_back(Discs({}, {640, 480}));
  const TrialResult result =
      Process(Video("left.avi", Frames(4, {{600, 300}})), Video("right.avi", images));
  EXPECT_EQ(result.status, TrialResult::Status::kBadInput);
  EXPECT_THAT(result.message, AllOf(HasSubstr("right.avi"), HasSubstr("frame 3")));
}

TEST_F(BadTrial, OfAnEmptyFile) {
  const TrialResult result =
      Process(folder_.Write("left.avi", ""), Video("right.avi", Frames(4, {{600, 300}})));
  EXPECT_EQ(result.status, TrialResult::Status::kBadInput);
  EXPECT_THAT(result.message, HasSubstr("left.avi: found an empty file"));
}

}  // namespace
}  // namespace percuss::tracking
