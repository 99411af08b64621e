// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: display matrices by their definition (ISO/IEC 14496-12), and keys as written.

#include "capture/video/recorded_camera.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/files/files.h"
#include "capture/video/track_keys.h"
#include "capture/video/video.h"
#include "tests/base/temporary_folder.h"
#include "tests/capture/video/written_video.h"

namespace percuss::capture {
namespace {

using ::percuss::testing::AddTrackKey;
using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WriteVideo;
using ::percuss::testing::WrittenVideo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kOne = 65536;

/// All that turn or mirror: a, b, c, d.
constexpr int kTurns[8][4] = {{1, 0, 0, 1},  {0, 1, -1, 0}, {-1, 0, 0, -1}, {0, -1, 1, 0},
                              {-1, 0, 0, 1}, {1, 0, 0, -1}, {0, 1, 1, 0},   {0, -1, -1, 0}};

WrittenVideo SmallVideo(double frames_per_second = 120.0) {
  WrittenVideo video{.codec = AV_CODEC_ID_PNG,
                     .format = AV_PIX_FMT_GRAY8,
                     .width = 64,
                     .height = 48,
                     .time_base = {1, static_cast<int>(frames_per_second)}};
  cv::Mat stored(48, 64, CV_8UC1, cv::Scalar(20));
  stored(cv::Rect(0, 0, 16, 8)) = 220;
  for (int k = 0; k < 4; ++k) {
    std::vector<uchar> bytes;
    cv::imencode(".png", stored, bytes);
    video.packets.push_back({.time = k, .bytes = std::string(bytes.begin(), bytes.end())});
  }
  return video;
}

TEST(RecordedCamera, TurnsPicturesAsTheMatrixSays) {
  cv::Mat stored(3, 5, CV_8UC1);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 5; ++x) stored.at<uchar>(y, x) = static_cast<uchar>(10 * y + x);
  }
  for (const auto& [a, b, c, d] : kTurns) {
    const PictureTurn turn = TurnOf({kOne * a, kOne * b, 0, kOne * c, kOne * d, 0, 0, 0, 1 << 30});
    EXPECT_TRUE(turn.stated);
    const cv::Mat upright = Upright(stored, turn);
    const int left = std::min({0, 4 * a}) + std::min({0, 2 * c});
    const int top = std::min({0, 4 * b}) + std::min({0, 2 * d});
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 5; ++x)
        EXPECT_EQ(upright.at<uchar>(b * x + d * y - top, a * x + c * y - left),
                  stored.at<uchar>(y, x))
            << a << b << c << d;
    }
    // Where the next row goes.
    EXPECT_EQ(RowDirection(turn), Eigen::Vector2d(c, d)) << a << b << c << d;
  }
  EXPECT_FALSE(TurnOf({}).stated);
}

TEST(RecordedCamera, TheReaderTellsHowItTurned) {
  const TemporaryFolder folder;
  WrittenVideo video = SmallVideo();
  WriteVideo(folder / "plain.mov", video);
  EXPECT_FALSE(VideoReader(folder / "plain.mov").Camera().turn.stated);
  video.mirrored = true;
  video.clockwise_deg = 270.0;
  WriteVideo(folder / "turned.mov", video);
  VideoReader reader(folder / "turned.mov");
  EXPECT_TRUE(reader.Camera().turn.stated);
  EXPECT_TRUE(reader.Camera().turn.mirrored);
  EXPECT_EQ(reader.Camera().turn.quarters, 3);
  const cv::Mat luma = reader.Next()->luma;
  ASSERT_EQ(luma.size(), cv::Size(48, 64));
  EXPECT_EQ(luma.at<uchar>(3, 3), 220);  // top left, to the top right, to the top left
  EXPECT_EQ(luma.at<uchar>(12, 3), 220);
  EXPECT_EQ(luma.at<uchar>(3, 12), 20);
}

TEST(RecordedCamera, ReadsTheKeysOfPhones) {
  const TemporaryFolder folder;
  WrittenVideo video = SmallVideo();
  video.keys = {{"com.apple.quicktime.make", "Apple"}, {"com.apple.quicktime.model", "iPhone 13"}};
  WriteVideo(folder / "phone.mov", video);
  EXPECT_FALSE(VideoReader(folder / "phone.mov").Camera().focal_35mm);
  const char* const focal = "com.apple.quicktime.camera.focal_length.35mm_equivalent";
  // Numbers of a track as phones write them, and text as the documentation has it.
  AddTrackKey(folder / "phone.mov", focal, 21, std::string("\0\0\0\x1b", 4));
  RecordedCamera camera = VideoReader(folder / "phone.mov").Camera();
  EXPECT_EQ(camera.model, "Apple iPhone 13");
  EXPECT_EQ(camera.focal_35mm, 27.0);
  EXPECT_THAT(camera.warnings, ElementsAre());
  for (const auto& [type, bytes, value] :
       {std::tuple(1, std::string("50.00mm"), 50.0), std::tuple(1, std::string("13"), 13.0),
        std::tuple(22, std::string("\x4d", 1), 77.0),
        std::tuple(23, std::string("\x41\xcc\0\0", 4), 25.5)}) {
    WriteVideo(folder / "phone.mov", video);
    AddTrackKey(folder / "phone.mov", focal, type, bytes);
    EXPECT_EQ(VideoReader(folder / "phone.mov").Camera().focal_35mm, value);
  }
  // A key of the whole file, as after a conversion.
  video.keys = {{focal, "26"}};
  WriteVideo(folder / "converted.mov", video);
  EXPECT_EQ(VideoReader(folder / "converted.mov").Camera().focal_35mm, 26.0);
}

TEST(RecordedCamera, LeavesOutWhatMakesNoSense) {
  for (const char* value : {"abc", "0", "-3", "1e9", "", "26 inches", "nan"}) {
    const RecordedCamera camera =
        CameraOf({{"FocalLengthIn35mmFilm", value}, {"com.android.capture.fps", value}});
    EXPECT_FALSE(camera.focal_35mm) << value;
    EXPECT_FALSE(camera.capture_rate) << value;
    ASSERT_EQ(camera.warnings.size(), 2U) << value;
    EXPECT_EQ(camera.warnings[0],
              "FocalLengthIn35mmFilm: found " + std::string(value) +
                  " in the file, allowed 5 to 2000 mm: not used, --focal-35mm states it by hand");
  }
  // Whatever a file holds, messages have one line and JSON can hold them.
  EXPECT_THAT(CameraOf({{"focal 35mm \xff", "26\nx"}}).warnings,
              ElementsAre(StartsWith("focal 35mm ?: found 26?x in the file")));
  const RecordedCamera camera =
      CameraOf({{"com.android.manufacturer", "Google"}, {"com.android.model", "Google Pixel 7"}});
  EXPECT_EQ(camera.model, "Google Pixel 7");
}

TEST(RecordedCamera, DamagedKeysOfATrackAreLeftOut) {
  const TemporaryFolder folder;
  WriteVideo(folder / "phone.mov", SmallVideo());
  AddTrackKey(folder / "phone.mov", "com.apple.quicktime.camera.focal_length.35mm_equivalent", 1,
              "27");
  const std::string whole = ReadFile(folder / "phone.mov");
  const std::size_t keys = whole.find("keys");
  ASSERT_NE(keys, std::string::npos);
  // Every byte of the boxes with the largest and the smallest size: no crash, no endless loop.
  for (std::size_t at = keys - 40; at < whole.size() && at < keys + 110; ++at) {
    for (const char byte : {'\xff', '\0'}) {
      std::string damaged = whole;
      damaged[at] = byte;
      TrackKeys(folder.Write("damaged.mov", damaged));
    }
  }
  TrackKeys(folder.Write("short.mov", whole.substr(0, keys + 20)));
  // A size of 64 bits that leads back to the beginning.
  const std::string free(
      "\0\0\0\x8"
      "free",
      8);
  const std::string back(
      "\0\0\0\1"
      "free"
      "\xff\xff\xff\xff\xff\xff\xff\xf8",
      16);
  EXPECT_TRUE(TrackKeys(folder.Write("back.mov", free + back)).empty());
  EXPECT_TRUE(TrackKeys(folder.Write("empty.mov", "")).empty());
  EXPECT_TRUE(TrackKeys(folder / "none.mov").empty());
}

TEST(RecordedCamera, SlowMotionThatTheFileStatesHasItsTrueTimes) {
  const TemporaryFolder folder;
  WrittenVideo video = SmallVideo(30.0);
  const auto written = [&](const char* rate) {
    video.keys = {{"com.android.capture.fps", rate}};
    WriteVideo(folder / "slow.mov", video);
    return folder / "slow.mov";
  };
  const auto last_time = [&](const char* rate, const VideoClock& clock) {
    VideoReader reader(written(rate), clock);
    double time = 0.0;
    while (const auto frame = reader.Next()) time = frame->time;
    return time;
  };
  EXPECT_NEAR(last_time("240.000000", {}), 3.0 / 240.0, 1e-9);
  EXPECT_NEAR(last_time("240", {120.0}), 3.0 / 120.0, 1e-9);  // stated: that counts
  EXPECT_NEAR(last_time("240", {{}, TimeBase::kContainer}), 3.0 / 30.0, 1e-9);
  EXPECT_NEAR(last_time("30", {}), 3.0 / 30.0, 1e-9);
  EXPECT_NEAR(last_time("100", {}), 3.0 / 30.0, 1e-9);  // no whole multiple
  EXPECT_NEAR(last_time("1", {}), 3.0 / 30.0, 1e-9);    // time lapse
  const auto note = [&](const char* rate, const VideoClock& clock, const char* option) {
    return VideoReader(written(rate), clock).ClockNote(option);
  };
  EXPECT_THAT(note("240", {}, "--fps "),
              HasSubstr("filmed at 240 frames/s, 8 times the rate of its times, and so it counts "
                        "(--fps 30 says otherwise)"));
  EXPECT_THAT(note("100", {}, "--fps "), HasSubstr("its times say 30, and these count (--fps 100"));
  EXPECT_THAT(note("100", {}, "frame_rate: "),
              HasSubstr("(frame_rate: 100 with time_base: stated says otherwise)"));
  EXPECT_EQ(note("30.0", {}, "--fps "), "");
  EXPECT_EQ(VideoReader(written("240")).FrameRate(), 240.0);
  EXPECT_NEAR(VideoReader(written("240")).TimeScale(), 0.125, 1e-12);
}

}  // namespace
}  // namespace percuss::capture
