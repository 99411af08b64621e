// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::tracking {
namespace {

TrackedTrial Label(const SyntheticTrial& trial, const std::array<VideoSpots, 2>& spots) {
  capture::Alignment alignment;
  alignment.found = true;
  alignment.time_offset = alignment.sub_frame_offset = trial.right_offset;
  TrackingOptions options;
  options.line_time = {trial.line_time, trial.line_time};
  std::string reason;
  TrackedTrial tracked = LabelSpots(
      {ViewsOf(trial.calibration), LayoutOf(trial.body), trial.body.body.inertia, trial.gravity},
      spots, alignment, options, &reason);
  EXPECT_EQ(reason, "");
  return tracked;
}

/// Labels, after a check that each lies on its marker when that was exposed: 0.1 px of noise and
/// 0.05 px between the image of a disc's centre and the centre of its image.
int CountRightLabels(const SyntheticTrial& trial, const TrackedTrial& tracked) {
  int count = 0;
  for (const TrackedFrame& frame : tracked.frames) {
    for (const MarkerObservation& o : frame.observations) {
      const auto state = trial.StateAt(std::isnan(o.time) ? frame.time : o.time);
      const auto m = static_cast<std::size_t>(o.marker);
      const Eigen::Vector2d truth = OpenCvPixel(
          trial.calibration, o.side, state.q_WB * trial.body.markers[m].p_BM + state.p_WB);
      EXPECT_LT((o.pixel - truth).norm(), 0.6) << frame.left_frame << " marker " << o.marker;
      ++count;
    }
  }
  return count;
}

/// Squared Mahalanobis distance of a frame's pose from the truth at the frame's time: chi-square
/// with 6 degrees of freedom.
double PoseDistance(const SyntheticTrial& trial, const TrackedFrame& frame) {
  const auto truth = trial.StateAt(frame.time);
  const Eigen::AngleAxisd turn(truth.q_WB * frame.pose.pose.q_WB.conjugate());
  Eigen::Matrix<double, 6, 1> error;
  error << truth.p_WB - frame.pose.pose.p_WB, turn.angle() * turn.axis();
  return error.dot(frame.pose.covariance.inverse() * error);
}

/// 3.3 m/s and 20 rad/s at the impact.
SyntheticTrial FastTrial() {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.before.v = {1.5, 0.3, -2.9};
  trial.before.w = {6.0, 17.0, 8.0};
  return trial;
}

// Truth: the motion that the spots were made from. At 0.48 frames the right picture shows markers
// 10 px from where they are at the frame's time, and the rows of a picture up to 11 ms apart. A
// picture or two about release and impact show some markers after the change, where they are looked
// for as before it: two changes, two views, six markers; nothing else may be lost against cameras
// that expose together.
TEST(LabelSpots, LabelsAtTheTimeOfEachSighting) {
  for (const bool fast : {false, true}) {
    SyntheticTrial trial = fast ? FastTrial() : MakeSyntheticTrial();
    std::mt19937 random(61);
    const int together =
        CountRightLabels(trial, Label(trial, MakeSpots(trial, {.noise_px = 0.1}, &random)));
    EXPECT_GT(together, 600);
    for (const double offset : {-0.48, -0.3, -0.1, 0.1, 0.25, 0.4, 0.48}) {
      for (const double line_time : {0.0, 15e-6}) {
        trial.right_offset = offset / trial.frame_rate;
        trial.line_time = line_time;
        std::mt19937 same(61);
        const TrackedTrial tracked = Label(trial, MakeSpots(trial, {.noise_px = 0.1}, &same));
        SCOPED_TRACE(testing::Message() << offset << " frames, " << line_time << " s");
        EXPECT_GE(CountRightLabels(trial, tracked), together - 24);
        double sum = 0.0;
        int poses = 0;
        for (const TrackedFrame& frame : tracked.frames) {
          const auto apart = [&](double time) { return std::abs(frame.time - time) * 120.0; };
          if (apart(trial.release_time) < 1.6 || apart(trial.impact_time) < 1.6) continue;
          EXPECT_TRUE(frame.pose.found) << frame.left_frame;
          // Within a frame the body is taken to fly, which one that is held does not.
          if (frame.time < trial.release_time) continue;
          EXPECT_LT(PoseDistance(trial, frame), 40.0) << frame.left_frame;  // 1 in 2 million
          sum += PoseDistance(trial, frame) / 6.0;
          ++poses;
        }
        // Mean over some 44 frames: 4 sigmas of sqrt(2 / 6 / 44).
        EXPECT_NEAR(sum / poses, 1.0, 0.35);
      }
    }
  }
}

// Pictures that one camera dropped: the frame stays, labelled in the other view.
TEST(LabelSpots, UsesFramesThatOneCameraDropped) {
  for (const double offset : {0.0, 0.3}) {
    SyntheticTrial trial = MakeSyntheticTrial();
    trial.right_offset = offset / trial.frame_rate;
    std::mt19937 random(62);
    auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
    for (VideoSpots& video : spots) {
      for (const int k : {50, 31, 20, 19}) {
        const int dropped = &video == &spots[0] ? k : k + 3;
        video.frames.erase(video.frames.begin() + dropped);
      }
    }
    const TrackedTrial tracked = Label(trial, spots);
    ASSERT_EQ(tracked.frames.size(), 60u);
    EXPECT_GT(CountRightLabels(trial, tracked), 720 - 8 * 6 - 12);
    int with_one_view = 0;
    for (const TrackedFrame& frame : tracked.frames) {
      EXPECT_TRUE(frame.pose.found) << frame.time;
      if (frame.has_picture[0] && frame.has_picture[1]) continue;
      ++with_one_view;
      EXPECT_EQ(frame.observations.size(), 6u) << frame.time;
      for (const MarkerObservation& o : frame.observations)
        EXPECT_TRUE(frame.has_picture[static_cast<std::size_t>(o.side)]);
      EXPECT_LT(PoseDistance(trial, frame), 40.0) << frame.time;
    }
    EXPECT_EQ(with_one_view, 8);
  }
}

// A recorder wrote a picture twice: what it shows was there a frame earlier, 20 px away. It is no
// measurement, even where its spots are still in the list; the other view is.
TEST(LabelSpots, LeavesOutPicturesThatRepeatTheOneBefore) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(63);
  auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  spots[1].frames[25].blobs = spots[1].frames[24].blobs;
  spots[0].frames[45].blobs = spots[0].frames[44].blobs;
  spots[1].timing.repeated = {25};
  spots[0].timing.repeated = {45};
  const TrackedTrial tracked = Label(trial, spots);
  ASSERT_EQ(tracked.frames.size(), 60u);
  EXPECT_GT(CountRightLabels(trial, tracked), 720 - 12 - 6);
  for (const auto& [k, repeated_side] : {std::pair(25, 1), std::pair(45, 0)}) {
    const TrackedFrame& frame = tracked.frames[static_cast<std::size_t>(k)];
    EXPECT_FALSE(frame.has_picture[static_cast<std::size_t>(repeated_side)]);
    EXPECT_EQ(frame.observations.size(), 6u);
    for (const MarkerObservation& o : frame.observations) EXPECT_NE(o.side, repeated_side);
  }
}

}  // namespace
}  // namespace percuss::tracking
