// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/align_videos.h"

#include <gmock/gmock.h>

#include <numbers>
#include <random>

#include "tests/tracking/synchronisation/filmed_points.h"

namespace percuss::tracking {
namespace {

using capture::Witness;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A drop whose right video begins 7 frames later, by the frames and parts of a frame that are
/// asked for; flashes are added by the tests.
struct Drop {
  explicit Drop(double parts = 0.0) {
    trial.right_offset = parts / trial.frame_rate;
    std::mt19937 random(95);
    spots = WithoutFirstFrames(MakeSpots(trial, {.noise_px = 0.05}, &random), {0, 7});
  }
  VideoAlignment Align(const capture::Synchronisation& known = {}) const {
    return AlignVideos(known, {0.0, 0.0}, ViewsOf(trial.calibration), spots);
  }
  double Frames(double seconds) const { return seconds * trial.frame_rate; }

  SyntheticTrial trial = MakeSyntheticTrial();
  std::array<VideoSpots, 2> spots;
};

TEST(AlignVideos, RestsOnBothWhereTheyAgree) {
  Drop drop;
  drop.spots[0].mean_grey[11] = 90.0;
  drop.spots[1].mean_grey[4] = 90.0;
  const VideoAlignment result = drop.Align();
  ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
  EXPECT_THAT(result.alignment.rests_on, ElementsAre(Witness::kFlash, Witness::kMotion));
  EXPECT_EQ(result.alignment.lag_frames, 7);
  EXPECT_EQ(result.alignment.left_flash_frame, 11);
  EXPECT_EQ(result.alignment.right_flash_frame, 4);
  EXPECT_NEAR(drop.Frames(result.alignment.time_offset), 7.0, 1e-9);
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(AlignVideos, NeedsNoFlash) {
  for (const double parts : {0.0, 0.3, -0.45}) {
    const Drop drop(parts);
    const VideoAlignment result = drop.Align();
    ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
    EXPECT_THAT(result.alignment.rests_on, ElementsAre(Witness::kMotion));
    EXPECT_EQ(result.alignment.lag_frames, 7);
    EXPECT_EQ(result.alignment.left_flash_frame, -1);
    EXPECT_EQ(result.alignment.reason, "");
    EXPECT_NEAR(drop.Frames(result.alignment.time_offset), 7.0 + parts, 0.02);
    EXPECT_NEAR(drop.Frames(result.alignment.sub_frame_offset), parts, 0.02);
    EXPECT_THAT(result.warnings, IsEmpty());
  }
}

// The cameras expose together: the frames are paired, and nothing is left over.
TEST(AlignVideos, PairsWholeFramesOfGenlockedCameras) {
  const VideoAlignment result = Drop().Align({.genlocked = true});
  ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
  EXPECT_EQ(result.alignment.sub_frame_offset, 0.0);
  EXPECT_NEAR(Drop().Frames(result.alignment.time_offset), 7.0, 1e-9);
}

// The right camera saw another flash than the left one, 25 frames later: named, and not believed.
TEST(AlignVideos, NamesAFlashThatTheMotionContradicts) {
  Drop drop;
  drop.spots[0].mean_grey[11] = 90.0;
  drop.spots[1].mean_grey[29] = 90.0;
  const VideoAlignment result = drop.Align();
  ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
  EXPECT_THAT(result.alignment.rests_on, ElementsAre(Witness::kMotion));
  EXPECT_EQ(result.alignment.lag_frames, 7);
  EXPECT_EQ(result.alignment.flash_lag_frames, -18);
  EXPECT_NEAR(drop.Frames(result.alignment.time_offset), 7.0, 0.02);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0], HasSubstr("left frame k - 18, the motion of the markers k + 7"));
}

/// One impact, heard at these times of the two videos [s].
void Hear(double left, double right, std::array<VideoSpots, 2>* spots) {
  (*spots)[0].sound.onsets = {{left, 30.0}};
  (*spots)[1].sound.onsets = {{right, 30.0}};
}

// The sound is 15 ms, nearly two frames, off: phones are.
TEST(AlignVideos, TakesTheSoundForAWitness) {
  Drop drop;
  Hear(0.3, 0.3 - 7.0 / drop.trial.frame_rate + 0.015, &drop.spots);
  const VideoAlignment result = drop.Align();
  ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
  EXPECT_THAT(result.alignment.rests_on, ElementsAre(Witness::kMotion, Witness::kSound));
  EXPECT_EQ(result.alignment.lag_frames, 7);
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(AlignVideos, NamesASoundThatTheMotionContradicts) {
  Drop drop;
  Hear(0.3, 0.7, &drop.spots);
  const VideoAlignment result = drop.Align();
  ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
  EXPECT_THAT(result.alignment.rests_on, ElementsAre(Witness::kMotion));
  EXPECT_EQ(result.alignment.lag_frames, 7);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings[0], HasSubstr("the sound says that the right video began -0.4"));
}

// A body that turns with a period of 30 frames, in videos that begin 7 frames apart: the motion
// alone leaves 7, 37, -23 and so on; the sound, 15 ms off, leaves one of them.
TEST(AlignVideos, SoundDecidesWhereTheMotionRepeatsItself) {
  std::mt19937 random(96);
  FilmedPoints film{.points = [](double t) {
    const double angle = 2.0 * std::numbers::pi * t / 0.25;
    std::vector<Eigen::Vector3d> points;
    for (const double at : {0.0, 0.9, 2.0, 3.6, 4.9}) {
      points.emplace_back(0.05 + 0.06 * std::cos(angle + at), 0.02 * at,
                          0.2 + 0.06 * std::sin(angle + at));
    }
    return points;
  }};
  film.start = {0.0, 7.0 / film.frame_rate};
  std::array<VideoSpots, 2> spots = Film(film, &random);
  const Views views = ViewsOf(MakeSyntheticTrial().calibration);
  EXPECT_FALSE(AlignVideos({}, {0.0, 0.0}, views, spots).alignment.found);
  Hear(0.4, 0.4 - 7.0 / film.frame_rate + 0.015, &spots);
  const VideoAlignment result = AlignVideos({}, {0.0, 0.0}, views, spots);
  ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
  EXPECT_THAT(result.alignment.rests_on, ElementsAre(Witness::kMotion, Witness::kSound));
  EXPECT_EQ(result.alignment.lag_frames, 7);
}

TEST(AlignVideos, RestsOnTheFlashWhereNothingMoves) {
  Drop drop;
  for (VideoSpots& video : drop.spots) {  // the release is at frame 12 of the left video
    video.frames.resize(&video == &drop.spots[0] ? 12 : 5);
    video.mean_grey.resize(video.frames.size());
  }
  drop.spots[0].mean_grey[9] = 90.0;
  drop.spots[1].mean_grey[2] = 90.0;
  const VideoAlignment result = drop.Align();
  ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
  EXPECT_THAT(result.alignment.rests_on, ElementsAre(Witness::kFlash));
  EXPECT_EQ(result.alignment.lag_frames, 7);
}

TEST(AlignVideos, SaysWhyNeitherTells) {
  Drop drop;
  for (VideoSpots& video : drop.spots) {
    video.frames.resize(10);
    video.mean_grey.resize(10);
  }
  drop.spots[0].frames.resize(8);
  drop.spots[0].mean_grey.resize(8);
  const VideoAlignment result = drop.Align();
  EXPECT_FALSE(result.alignment.found);
  EXPECT_THAT(result.alignment.reason, HasSubstr("left video: no flash"));
  EXPECT_THAT(result.alignment.reason, HasSubstr("nor does the motion of the markers tell"));
  EXPECT_THAT(result.alignment.reason, HasSubstr("spots move in the left video"));
}

// A stated offset is kept to the digit; the motion chooses the whole frames with which it fits.
TEST(AlignVideos, TakesWholeFramesThatSuitAStatedOffset) {
  const Drop drop(0.3);
  for (const double stated : {0.3, -0.7, 1.3}) {
    const double offset = stated / drop.trial.frame_rate;
    const VideoAlignment result = drop.Align({.offset = offset});
    ASSERT_TRUE(result.alignment.found) << result.alignment.reason;
    EXPECT_EQ(result.alignment.lag_frames, std::lround(7.3 - stated)) << stated;
    EXPECT_EQ(result.alignment.sub_frame_offset, offset);
    EXPECT_NEAR(drop.Frames(result.alignment.time_offset), 7.3, 1e-9);
  }
}

TEST(AlignVideos, NamesFrameRatesThatDiffer) {
  Drop drop;
  for (FrameBlobs& frame : drop.spots[1].frames) frame.time *= 1.1;
  const VideoAlignment result = drop.Align();
  EXPECT_FALSE(result.alignment.found);
  EXPECT_THAT(result.alignment.reason, HasSubstr("different frame rates"));
}

}  // namespace
}  // namespace percuss::tracking
