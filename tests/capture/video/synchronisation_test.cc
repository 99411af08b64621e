// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/synchronisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture/video/video.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Mean grey of a dull scene with sensor noise and a body that slowly darkens it, no flash.
std::vector<double> DullVideo(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 0.05);
  std::vector<double> grey(count);
  for (int k = 0; k < count; ++k) {
    grey[k] = 78.0 - 4.0 * std::pow(k / double(count), 2) + noise(random);
  }
  return grey;
}

std::vector<double> Times(int count, double rate) {
  std::vector<double> times(count);
  for (int k = 0; k < count; ++k) times[k] = k / rate;
  return times;
}

// Truth for all made-up videos: the flash that was put in.

TEST(FindFlash, FindsOneLitFrameAnywhere) {
  for (const int frame : {0, 1, 30, 58, 59}) {
    std::vector<double> grey = DullVideo(60, 1);
    grey[frame] += 15.0;
    const Flash flash = FindFlash(grey);
    ASSERT_TRUE(flash.found) << frame << ": " << flash.reason;
    EXPECT_EQ(flash.first_frame, frame);
    EXPECT_EQ(flash.num_frames, 1);
    EXPECT_DOUBLE_EQ(flash.centre_frame, frame);
    EXPECT_GT(flash.prominence, 50.0);
  }
}

// A flash across two exposures: the centroid of 12 and 4 grey values over frames 20 and 21.
TEST(FindFlash, CentroidOfAFlashOverTwoFrames) {
  std::vector<double> grey = DullVideo(60, 2);
  grey[20] += 12.0;
  grey[21] += 4.0;
  const Flash flash = FindFlash(grey);
  ASSERT_TRUE(flash.found) << flash.reason;
  EXPECT_EQ(flash.first_frame, 20);
  EXPECT_EQ(flash.num_frames, 2);
  EXPECT_NEAR(flash.centre_frame, 20.25, 0.02);  // noise 0.05 of 16 grey values
}

TEST(FindFlash, IgnoresADimReflectionOfABodyThatMoves) {
  std::vector<double> grey = DullVideo(60, 3);
  grey[8] += 15.0;
  grey[40] += 3.0;  // a fifth of the flash
  const Flash flash = FindFlash(grey);
  ASSERT_TRUE(flash.found) << flash.reason;
  EXPECT_EQ(flash.first_frame, 8);
}

TEST(FindFlash, FindsNoneInNoiseAndMotion) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Flash flash = FindFlash(DullVideo(60, seed));
    EXPECT_FALSE(flash.found) << seed;
    EXPECT_THAT(flash.reason, HasSubstr("no flash: the brightest frame "));
    EXPECT_EQ(flash.first_frame, -1);
  }
}

// Lamps on mains flicker by some percent: above 2 % in many frames, but not by 8 sigmas in one.
TEST(FindFlash, FlickerIsNoFlash) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> flicker(0.0, 1.5);
    std::vector<double> grey = DullVideo(60, seed);
    for (double& value : grey) value += flicker(random);
    EXPECT_FALSE(FindFlash(grey).found) << seed;
  }
}

// The lamp is switched on, or a bright body enters and stays.
TEST(FindFlash, AStepIsNoFlash) {
  std::vector<double> grey = DullVideo(60, 4);
  for (std::size_t k = 25; k < grey.size(); ++k) grey[k] += 15.0;
  EXPECT_FALSE(FindFlash(grey).found);
}

TEST(FindFlash, ALongBrightSpellIsNoFlash) {
  std::vector<double> grey = DullVideo(200, 5);
  for (std::size_t k = 80; k < 93; ++k) grey[k] += 15.0;
  const Flash flash = FindFlash(grey);
  EXPECT_FALSE(flash.found);
  EXPECT_EQ(flash.reason,
            "no flash: frames 80 to 92 are bright, allowed at most 10 (a twentieth of the 200 "
            "frames)");
}

TEST(FindFlash, BlackVideoHasNone) {
  const Flash flash = FindFlash(std::vector<double>(60, 0.0));
  EXPECT_FALSE(flash.found);
  EXPECT_THAT(flash.reason, HasSubstr("no flash"));
}

TEST(FindFlash, NamesTwoFlashes) {
  std::vector<double> grey = DullVideo(60, 6);
  grey[8] += 15.0;
  grey[33] += 12.0;
  const Flash flash = FindFlash(grey);
  EXPECT_FALSE(flash.found);
  EXPECT_EQ(flash.reason, "2 flashes, the first two at frames 8 and 33, allowed exactly one");
}

TEST(FindFlash, NeedsAFewFrames) {
  EXPECT_EQ(FindFlash(std::vector<double>{1, 9, 1, 1}).reason,
            "no flash: the video has 4 frames, allowed at least 5");
}

TEST(FindFlash, RejectsGreyValuesThatAreNone) {
  std::vector<double> grey = DullVideo(60, 7);
  grey[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(FindFlash(grey), std::invalid_argument);
  grey[5] = -1.0;
  EXPECT_THROW(FindFlash(grey), std::invalid_argument);
}

struct Pair {
  std::vector<double> left = DullVideo(60, 11);
  std::vector<double> right = DullVideo(50, 12);
  std::vector<double> left_times = Times(60, 120.0);
  std::vector<double> right_times = Times(50, 120.0);
  Alignment Align(bool genlocked = false) const {
    return AlignByFlash(left, right, left_times, right_times, genlocked);
  }
};

TEST(AlignByFlash, LagIsLeftMinusRight) {
  for (const int right_frame : {0, 4, 30}) {
    Pair pair;
    pair.left[9] += 15.0;
    pair.right[right_frame] += 15.0;
    const Alignment alignment = pair.Align();
    ASSERT_TRUE(alignment.found) << alignment.reason;
    EXPECT_EQ(alignment.lag_frames, 9 - right_frame);
    EXPECT_NEAR(alignment.time_offset, (9 - right_frame) / 120.0, 1e-12);
  }
}

// The right video begins in the middle of a flash that lights two frames of the left one.
TEST(AlignByFlash, SaysThatAFlashIsCut) {
  Pair pair;
  pair.left[9] += 10.0;
  pair.left[10] += 12.0;
  pair.right[0] += 12.0;
  const Alignment alignment = pair.Align(true);
  EXPECT_FALSE(alignment.found);
  EXPECT_THAT(alignment.reason, HasSubstr("the flash is 9.5"));
  EXPECT_THAT(alignment.reason, HasSubstr("allowed a whole number within 0.25"));
}

// Cameras that run free may see the flash half a frame apart: the nearest whole number is taken.
TEST(AlignByFlash, TakesWholeFramesOfFreeCameras) {
  Pair pair;
  pair.left[9] += 10.0;
  pair.left[10] += 12.0;
  pair.right[4] += 12.0;
  const Alignment alignment = pair.Align();
  ASSERT_TRUE(alignment.found) << alignment.reason;
  EXPECT_THAT(alignment.lag_frames, ::testing::AnyOf(5, 6));
  EXPECT_NEAR(alignment.time_offset, alignment.lag_frames / 120.0, 1e-12);
}

// Truth: the pairs written down by hand; left frames at 0, 1, 2, ..., right ones shifted.
TEST(PairFrames, NearestInTimeAndTheRestAlone) {
  const std::vector<double> left = {0.0, 1.0, 2.0, 3.0}, right = {0.4, 1.4, 2.4, 3.4};
  const auto text = [](const std::vector<FramePair>& pairs) {
    std::string all;
    for (const FramePair& pair : pairs) {
      all += (pair.left ? std::to_string(*pair.left) : "-") + ":" +
             (pair.right ? std::to_string(*pair.right) : "-") + " ";
    }
    return all;
  };
  EXPECT_EQ(text(PairFrames(left, right, 0.0)), "0:0 1:1 2:2 3:3 ");
  EXPECT_EQ(text(PairFrames(left, right, 0.2)), "0:- 1:0 2:1 3:2 -:3 ");
  EXPECT_EQ(text(PairFrames(left, right, -1.4)), "-:0 0:1 1:2 2:3 3:- ");
  // The left camera drops frame 2.
  const std::vector<double> dropped = {0.0, 1.0, 3.0, 4.0, 5.0};
  const std::vector<double> whole = {0.1, 1.1, 2.1, 3.1, 4.1};
  EXPECT_EQ(text(PairFrames(dropped, whole, 0.0)), "0:0 1:1 -:2 2:3 3:4 4:- ");
  EXPECT_EQ(text(PairFrames(left, {}, 0.0)), "0:- 1:- 2:- 3:- ");
}

TEST(RowDelay, IsZeroInTheMiddleRow) {
  EXPECT_DOUBLE_EQ(RowDelay(359.5, 720, 1e-5), 0.0);
  EXPECT_DOUBLE_EQ(RowDelay(719.0, 720, 1e-5), 359.5e-5);
}

TEST(AlignByFlash, NamesTheVideoWithoutFlash) {
  Pair pair;
  pair.right[4] += 15.0;
  EXPECT_THAT(pair.Align().reason, HasSubstr("left video: no flash"));
  Pair other;
  other.left[4] += 15.0;
  EXPECT_THAT(other.Align().reason, HasSubstr("right video: no flash"));
}

TEST(AlignByFlash, NamesDifferentFrameRates) {
  Pair pair;
  pair.left[9] += 15.0;
  pair.right[4] += 15.0;
  pair.right_times = Times(50, 60.0);
  EXPECT_EQ(pair.Align().reason,
            "the videos have different frame rates: left 120 Hz, right 60 Hz, allowed equal within "
            "1 %");
}

// A gap in the times of one video: the others show the same instants as before.
TEST(AlignByFlash, IsNotMovedByDroppedFrames) {
  Pair pair;
  pair.left[9] += 15.0;
  pair.right[4] += 15.0;
  const double offset = pair.Align().time_offset;
  for (std::size_t k = 30; k < pair.right_times.size(); ++k) pair.right_times[k] += 1.0 / 120.0;
  EXPECT_TRUE(pair.Align().found);
  EXPECT_EQ(pair.Align().time_offset, offset);
  const std::vector<FramePair> pairs = PairFrames(pair.left_times, pair.right_times, offset);
  EXPECT_EQ(std::ranges::count_if(pairs, [](const FramePair& both) { return both.left == 35; }), 1);
  for (const FramePair& both : pairs) {
    if (both.left == 35) {
      EXPECT_FALSE(both.right);
    }
    if (both.left == 36) {
      EXPECT_EQ(both.right, 30);
    }
  }
}

// Truth: 0.95 % of 59 intervals.
TEST(AlignByFlash, NoticesClocksThatRunApart) {
  Pair pair;
  pair.left[9] += 15.0;
  pair.right[4] += 15.0;
  for (double& time : pair.right_times) time *= 1.008;
  EXPECT_TRUE(pair.Align().found);
  pair.right_times = Times(50, 120.0 / 1.0095);
  EXPECT_THAT(pair.Align().reason, HasSubstr("the clocks run apart by 0.6 frames"));
}

TEST(AlignByFlash, RejectsTimesThatDoNotMatchTheFrames) {
  Pair pair;
  pair.right_times.pop_back();
  EXPECT_THROW(pair.Align(), std::invalid_argument);
}

// Truth: truth.json of the rendered data sets, all six trials.
TEST(AlignByFlash, FindsTheOffsetOfEveryRenderedTrial) {
  for (const std::string set : {"bar-drop", "cube-drop"}) {
    const fs::path folder = fs::path(PERCUSS_DATA_DIR) / set;
    std::ifstream stream(folder / "truth.json");
    const nlohmann::json truth = nlohmann::json::parse(stream);
    for (const auto& [name, trial] : truth.at("trials").items()) {
      SCOPED_TRACE(set + " " + name);
      std::vector<double> grey[2];
      std::vector<double> times[2];
      const char* sides[2] = {"left", "right"};
      for (int side = 0; side < 2; ++side) {
        VideoReader reader(folder / "trials" / name / (std::string(sides[side]) + ".mp4"));
        while (const auto frame = reader.Next()) {
          grey[side].push_back(cv::mean(frame->luma)[0]);
          times[side].push_back(frame->time);
        }
        const auto& camera = trial.at("cameras").at(sides[side]);
        EXPECT_EQ(grey[side].size(), camera.at("n_frames").get<std::size_t>());
        const Flash flash = FindFlash(grey[side]);
        ASSERT_TRUE(flash.found) << flash.reason;
        EXPECT_EQ(flash.first_frame, std::lround(camera.at("flash_frame").get<double>()));
        EXPECT_EQ(flash.num_frames, 1);
      }
      const Alignment alignment = AlignByFlash(grey[0], grey[1], times[0], times[1]);
      ASSERT_TRUE(alignment.found) << alignment.reason;
      const double offset = trial.at("time_offset_right_minus_left").get<double>();
      EXPECT_EQ(alignment.lag_frames, std::lround(offset * 120.0));
      EXPECT_NEAR(alignment.time_offset, offset, 1e-6);
    }
  }
}

}  // namespace
}  // namespace percuss::capture
