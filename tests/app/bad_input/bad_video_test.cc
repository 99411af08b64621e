// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Videos that cannot be tracked, through `percuss track`: the trial and the reason are named, and
// the other trial goes on. Source of truth: as in bad_input_test.cc.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <utility>

#include "capture/video/video.h"
#include "tests/app/bad_input/bad_input.h"
#include "tests/capture/video/written_video.h"

namespace percuss {
namespace {

using testing::WriteVideo;
using testing::WrittenVideo;
using Edit = std::function<void(int frame, cv::Mat& grey)>;

std::string Jpeg(const cv::Mat& image) {
  std::vector<uchar> bytes;
  cv::imencode(".jpg", image, bytes, {cv::IMWRITE_JPEG_QUALITY, 95});
  return {bytes.begin(), bytes.end()};
}

// Frames first, first + 1, ... of a video of the trial a-slide, each changed by `edit`.
WrittenVideo Clip(const std::string& side, int first, int count, const Edit& edit = {}) {
  capture::VideoReader reader(kBarDrop / "trials/a-slide" / (side + ".mp4"));
  WrittenVideo clip{.codec = AV_CODEC_ID_MJPEG, .format = AV_PIX_FMT_YUVJ420P};
  for (int k = 0; k < first + count; ++k) {
    const auto frame = reader.Next();
    if (!frame) throw std::logic_error("the video is too short");
    if (k < first) continue;
    cv::Mat grey = frame->luma.clone();
    if (edit) edit(k, grey);
    clip.width = grey.cols;
    clip.height = grey.rows;
    clip.packets.push_back({.time = k - first, .bytes = Jpeg(grey)});
  }
  return clip;
}

// After the impact, within 3 sigmas of the second one.
void ExpectSameStates(const std::vector<impacts::ImpactRecord>& impacts) {
  ASSERT_EQ(impacts.size(), 2U);
  const auto sigma = [&](int first) {
    return std::sqrt(impacts[1].covariance->block<3, 3>(first, first).trace());
  };
  EXPECT_LT((impacts[0].v_post - impacts[1].v_post).norm(), 3.0 * sigma(impacts::kVPost));
  EXPECT_LT((impacts[0].w_post - impacts[1].w_post).norm(), 3.0 * sigma(impacts::kWPost));
}

TEST_F(BadInput, AMissingVideoIsNamed) {
  ExpectTheOtherTrialGoesOn(TrackVideos("nowhere.mp4", "trials/a-slide/right.mp4"), 2,
                            {"nowhere.mp4"});
}

TEST_F(BadInput, ATruncatedVideoNamesTheFrame) {
  const std::string whole = ReadFile(kBarDrop / "trials/a-slide/left.mp4");
  folder_.Write("cut.mp4", whole.substr(0, whole.size() / 2));
  ExpectTheOtherTrialGoesOn(TrackVideos("cut.mp4", "trials/a-slide/right.mp4"), 2,
                            {"cut.mp4", "frame ", "72 frames", "truncated"});
}

TEST_F(BadInput, AnEmptyVideoIsNamed) {
  folder_.Write("empty.mp4", "");
  ExpectTheOtherTrialGoesOn(TrackVideos("trials/a-slide/left.mp4", "empty.mp4"), 2,
                            {"empty.mp4", "empty"});
}

TEST_F(BadInput, ATextFileIsNotAVideo) {
  ExpectTheOtherTrialGoesOn(TrackVideos("notes.txt", "trials/a-slide/right.mp4"), 2,
                            {"notes.txt", "no readable video"});
}

TEST_F(BadInput, CamerasOfDifferentSizeAreBothNamed) {
  WriteVideo(folder_ / "small.mkv", Clip("right", 0, 20, [](int, cv::Mat& grey) {
               cv::resize(grey, grey, {640, 360}, 0.0, 0.0, cv::INTER_AREA);
             }));
  ExpectTheOtherTrialGoesOn(TrackVideos("trials/a-slide/left.mp4", "small.mkv"), 2,
                            {"small.mkv", "640 x 360", "1280 x 720"});
}

// The right video ends before the body moves, and begins after the flash.
TEST_F(BadInput, AVideoWithNeitherFlashNorMotionIsNamed) {
  WriteVideo(folder_ / "dark.mkv", Clip("right", 5, 8));
  ExpectTheOtherTrialGoesOn(
      TrackVideos("trials/a-slide/left.mp4", "dark.mkv"), 3,
      {"trial bad", "right video", "no flash", "nor does the motion of the markers tell"});
}

// Truth: the same trial with its flash. Cut after it, at frames that do not belong together, the
// videos are paired by the motion of the markers.
TEST_F(BadInput, AVideoWithoutFlashIsNone) {
  WriteVideo(folder_ / "left.mkv", Clip("left", 12, 60));
  WriteVideo(folder_ / "right.mkv", Clip("right", 6, 61));
  const auto run = Track(
      kHeader +
      std::string(
          "  - {name: cut, left: left.mkv, right: right.mkv}\n"
          "  - {name: whole, left: trials/a-slide/left.mp4, right: trials/a-slide/right.mp4}\n"));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto alignment = [&](const char* trial) {
    return nlohmann::json::parse(
        ReadFile(folder_ / "out/tracks" / trial / "trial.json"))["alignment"];
  };
  using Json = nlohmann::json;
  const Json mute = {{"reason", "left video: the video has no sound"}};
  EXPECT_EQ(alignment("cut"),
            (Json{{"lag_frames", -1}, {"rests_on", {"motion"}}, {"sound", mute}}));
  EXPECT_EQ(alignment("whole"),
            (Json{{"lag_frames", 5}, {"rests_on", {"flash", "motion"}}, {"sound", mute}}));
  ExpectSameStates(impacts::ReadImpacts(folder_ / "out/impacts.json").impacts);
}

TEST_F(BadInput, AClipThatStopsBeforeTheImpactHasNone) {
  WriteVideo(folder_ / "left.mkv", Clip("left", 0, 40));
  WriteVideo(folder_ / "right.mkv", Clip("right", 0, 35));
  ExpectTheOtherTrialGoesOn(TrackVideos("left.mkv", "right.mkv"), 3,
                            {"trial bad", "no impact found", "left frames "});
}

// A photograph in a film's container.
TEST_F(BadInput, OneFrameIsNoMotion) {
  for (const char* side : {"left", "right"}) {
    WriteVideo(folder_ / (std::string(side) + ".mkv"), Clip(side, 9, 1));
  }
  ExpectTheOtherTrialGoesOn(TrackVideos("left.mkv", "right.mkv"), 3, {"trial bad", "1 frame"});
}

TEST_F(BadInput, ABlackVideoShowsNoMarker) {
  WriteVideo(folder_ / "black.mkv", Clip("left", 0, 40, [](int, cv::Mat& grey) { grey = 0; }));
  ExpectTheOtherTrialGoesOn(TrackVideos("black.mkv", "trials/a-slide/right.mp4"), 3,
                            {"trial bad", "black.mkv", "no spot", "40 frames"});
}

// Two trials in one film. The right camera of c-reverse started three frames later after its left
// one than that of a-slide (truth.json), so the same instant is three frames earlier in its file.
TEST_F(BadInput, TwoBodiesAreNoneToBeSureOf) {
  for (const auto& [side, lead] : {std::pair{"left", 0}, std::pair{"right", 3}}) {
    capture::VideoReader other(kBarDrop / "trials/c-reverse" / (std::string(side) + ".mp4"));
    const Edit add = [&other, lead = lead](int frame, cv::Mat& grey) {
      if (frame >= lead) cv::max(grey, other.Next()->luma, grey);
    };
    WriteVideo(folder_ / (std::string(side) + ".mkv"), Clip(side, 0, 50, add));
  }
  ExpectTheOtherTrialGoesOn(TrackVideos("left.mkv", "right.mkv"), 3, {"trial bad", "two bodies"});
}

TEST_F(BadInput, FiveHundredMarkersAreTooMany) {
  const Edit crowd = [](int frame, cv::Mat& grey) {
    for (int k = 0; k < 500; ++k) {
      cv::circle(grey, {30 + 48 * (k % 25) + frame, 20 + 34 * (k / 25)}, 5, 230, cv::FILLED,
                 cv::LINE_AA);
    }
  };
  for (const char* side : {"left", "right"}) {
    WriteVideo(folder_ / (std::string(side) + ".mkv"), Clip(side, 0, 60, crowd));
  }
  ExpectTheOtherTrialGoesOn(TrackVideos("left.mkv", "right.mkv"), 3, {"trial bad", "spots"});
}

TEST_F(BadInput, AFrameOfAnotherSizeIsNamed) {
  WrittenVideo clip = Clip("right", 0, 20);
  clip.packets[12].bytes = Jpeg(cv::Mat(360, 640, CV_8UC1, cv::Scalar(30)));
  WriteVideo(folder_ / "sizes.mkv", clip);
  ExpectTheOtherTrialGoesOn(TrackVideos("trials/a-slide/left.mp4", "sizes.mkv"), 2,
                            {"sizes.mkv", "frame 12", "640 x 360", "1280 x 720"});
}

TEST_F(BadInput, ATimeThatGoesBackIsNamed) {
  WrittenVideo clip = Clip("right", 0, 20);
  std::swap(clip.packets[12].time, clip.packets[13].time);
  clip.decode_lead = 1;
  WriteVideo(folder_ / "back.mov", clip);
  ExpectTheOtherTrialGoesOn(TrackVideos("trials/a-slide/left.mp4", "back.mov"), 2,
                            {"back.mov", "frame 13", "rising times"});
}

// Dark markers on bright ground are found without being told of. Truth: the same trial with bright
// ones; grey values are taken from white, but for the flash.
TEST_F(BadInput, DarkMarkersAreNone) {
  double usual = 0.0;
  const auto negative = [&](int frame, cv::Mat& grey) {
    const double mean = cv::mean(grey)[0];
    if (frame == 0) usual = mean;
    if (mean > 1.05 * usual) {
      grey.setTo(255);
    } else {
      cv::bitwise_not(grey, grey);
    }
  };
  for (const std::string side : {"left", "right"}) {
    const capture::VideoReader reader(kBarDrop / "trials/a-slide" / (side + ".mp4"));
    WriteVideo(folder_ / (side + ".mkv"), Clip(side, 0, reader.FrameCount(), negative));
  }
  const auto run = Track(
      kHeader +
      std::string(
          "  - {name: dark, left: left.mkv, right: right.mkv}\n"
          "  - {name: bright, left: trials/a-slide/left.mp4, right: trials/a-slide/right.mp4}\n"));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, ::testing::HasSubstr("the markers are darker than their ground"));
  ExpectSameStates(impacts::ReadImpacts(folder_ / "out/impacts.json").impacts);
}

}  // namespace
}  // namespace percuss
