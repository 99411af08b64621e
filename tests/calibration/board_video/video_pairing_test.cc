// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: a waved board projected into two cameras at known times.

#include "calibration/board_video/video_pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "calibration/board_video/corner_instants.h"
#include "calibration/targets/target_points.h"
#include "tests/calibration/board_video/waved_board.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::calibration {
namespace {

using ::testing::HasSubstr;

constexpr double kNoisePx = 0.1;
constexpr double kRate = 30.0;  // [Hz]

// Rays of the corners in frames of one camera, frame k at start + k / rate.
RayTrack Follow(const WavedRig& rig, std::size_t camera, const Waving& waving, double start,
                int num_frames, std::uint32_t seed, double rate = kRate) {
  std::mt19937 random(seed);
  const double focal = rig.cameras[camera].intrinsics[0];
  std::normal_distribution<double> noise(0.0, kNoisePx / focal);
  RayTrack track{.frames = {}, .focal_px = focal, .max_gap = 2.5 / kRate};
  for (int k = 0; k < num_frames; ++k) {
    TimedPoints& frame = track.frames.emplace_back();
    frame.time = k / kRate;  // as the file says
    const BoardHold hold = waving.At(start + k / rate);
    const Pose camera_from_board =
        rig.camera_from_first[camera] * BoardInFront(rig.board, hold.turn, hold.tilt, hold.centre);
    for (const Eigen::Vector3d& point : TargetPoints(rig.board)) {
      const Eigen::Vector3d p_C = camera_from_board * point;
      frame.points.emplace_back(p_C.x() / p_C.z() + noise(random),
                                p_C.y() / p_C.z() + noise(random));
    }
  }
  return track;
}

Waving WavingOf(int holds, std::uint32_t seed) { return {.holds = RandomHolds(holds, 0.8, seed)}; }

TEST(PairVideos, FindsPartsOfAFrameAndManyFrames) {
  const WavedRig rig = MakeWavedRig(1280, 720);
  for (const double frames : {0.4, -17.0, 96.3}) {
    const Waving waving = WavingOf(12, 3);
    const VideoPairing pairing = PairVideos(Follow(rig, 0, waving, 0.0, 240, 1),
                                            Follow(rig, 1, waving, frames / kRate, 240, 2));
    ASSERT_TRUE(pairing.found) << pairing.reason;
    EXPECT_NEAR(pairing.offset, frames / kRate, std::max(5.0 * pairing.offset_sigma, 5e-5));
    EXPECT_LT(pairing.offset_sigma, 5e-4);
    EXPECT_EQ(pairing.rate, 0.0);
    EXPECT_NEAR(pairing.misfit_px, kNoisePx, 0.05);
  }
}

TEST(PairVideos, FindsAShortVideoInALongOne) {
  const WavedRig rig = MakeWavedRig(1280, 720);
  const Waving waving = WavingOf(16, 3);
  const VideoPairing pairing = PairVideos(Follow(rig, 0, waving, 0.0, 400, 1),
                                          Follow(rig, 1, waving, 155.3 / kRate, 120, 2));
  ASSERT_TRUE(pairing.found) << pairing.reason;
  EXPECT_NEAR(pairing.offset, 155.3 / kRate, 5e-4);
}

TEST(PairVideos, FindsThatClocksRunApart) {
  const WavedRig rig = MakeWavedRig(1280, 720);
  const Waving waving = WavingOf(16, 5);
  // A second of the right clock lasts 1.0005 s: after ten seconds it is 5 ms behind.
  const VideoPairing pairing = PairVideos(Follow(rig, 0, waving, 0.0, 300, 1),
                                          Follow(rig, 1, waving, 0.5, 300, 2, kRate / 1.0005));
  ASSERT_TRUE(pairing.found) << pairing.reason;
  EXPECT_NEAR(pairing.rate, 5e-4, 5e-5);
  for (const double left : {1.0, 5.0, 9.0}) {
    EXPECT_NEAR(pairing.RightTime(left), (left - 0.5) / 1.0005, 2e-4);
  }
}

TEST(PairVideos, RefusesAnotherMotion) {
  const WavedRig rig = MakeWavedRig(1280, 720);
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const VideoPairing pairing = PairVideos(Follow(rig, 0, WavingOf(8, 10 + seed), 0.0, 150, 1),
                                            Follow(rig, 1, WavingOf(8, 50 + seed), 0.0, 150, 2));
    EXPECT_FALSE(pairing.found) << seed << ' ' << pairing.offset << ' ' << pairing.misfit_px;
    EXPECT_THAT(pairing.reason, HasSubstr("do both show the same motion"));
  }
}

TEST(PairVideos, RefusesABoardAtRest) {
  const WavedRig rig = MakeWavedRig(1280, 720);
  Waving rest = WavingOf(1, 3);
  rest.tremor = 0.0;
  const VideoPairing pairing =
      PairVideos(Follow(rig, 0, rest, 0.0, 100, 1), Follow(rig, 1, rest, 0.1, 100, 2));
  EXPECT_FALSE(pairing.found);
  EXPECT_THAT(pairing.reason, HasSubstr("does the board move"));
}

TEST(PairVideos, RefusesTooFewFrames) {
  const WavedRig rig = MakeWavedRig(1280, 720);
  const Waving waving = WavingOf(3, 3);
  const VideoPairing pairing =
      PairVideos(Follow(rig, 0, waving, 0.0, 60, 1), Follow(rig, 1, waving, 0.0, 9, 2));
  EXPECT_FALSE(pairing.found);
  EXPECT_THAT(pairing.reason, HasSubstr("60 frames of one and 9 of the other"));
}

// x(t) = sin(2 t) at 0.05 s: the polynomial is off by at most 0.024 (0.1)^4.
TEST(PointsAt, FollowsASmoothMotion) {
  std::vector<TimedPoints> frames;
  for (int k = 0; k < 20; ++k) {
    const double time = 0.05 * k;
    frames.push_back({.time = time, .points = {{std::sin(2.0 * time), 0.0}, {3.0, 1.0}}});
  }
  const auto at = PointsAt(frames, 0.5213, 0.06);
  ASSERT_TRUE(at.has_value());
  EXPECT_NEAR(at->points[0].x(), std::sin(2.0 * 0.5213), 0.024 * 1e-4);
  EXPECT_NEAR(at->velocities[0].x(), 2.0 * std::cos(2.0 * 0.5213), 1e-3);
  EXPECT_LT(at->noise, 1.0);  // it averages
  // The frame itself, and none about the instant.
  EXPECT_DOUBLE_EQ(PointsAt(frames, 0.05, 0.06)->points[0].x(), std::sin(0.1));
  EXPECT_FALSE(PointsAt(frames, 0.5213, 0.04).has_value());
  EXPECT_FALSE(PointsAt(frames, 1.2, 0.06).has_value());
  // The other end of the board, or another board: it jumps.
  frames[11].points = {{30.0, 0.0}, {3.0, 10.0}};
  EXPECT_FALSE(PointsAt(frames, 0.5213, 0.06).has_value());
}

// Rows that are exposed later show the motion later.
TEST(PointsAt, AccountsForTheTimesOfRows) {
  std::vector<TimedPoints> frames;
  for (int k = 0; k < 6; ++k) {
    const double time = 0.05 * k;
    const double delay = 0.004;
    frames.push_back({.time = time,
                      .points = {{10.0 * (time + delay), 1.0}, {20.0 + 10.0 * (time - delay), 1.0}},
                      .delays = {delay, -delay}});
  }
  const auto at = PointsAt(frames, 0.1, 0.06);
  ASSERT_TRUE(at.has_value());
  EXPECT_NEAR(at->points[0].x(), 1.0, 1e-12);
  EXPECT_NEAR(at->points[1].x(), 21.0, 1e-12);
}

}  // namespace
}  // namespace percuss::calibration
