// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/stereo_clock.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/baselines/rts_states.h"
#include "tracking/labels/sighting_times.h"
#include "tracking/synchronisation/moving_spots.h"

namespace percuss::tracking {
namespace {

// Truth: spots on a parabola, given at uneven times; a second one stands still.
TEST(MotionOfSpots, IsTheParabolaThroughThreeFrames) {
  const Eigen::Vector2d velocity(300.0, -150.0), acceleration(200.0, 9000.0);
  const auto place = [&](double t) -> Eigen::Vector2d {
    return Eigen::Vector2d(100.0, 200.0) + t * velocity + 0.5 * t * t * acceleration;
  };
  std::vector<FrameBlobs> frames;
  for (const double time : {0.0, 0.008, 0.017, 0.025}) {
    Blob moving, still;
    moving.centre = place(time);
    still.centre = {400.0, 300.0};
    frames.push_back({time, {still, moving}});
  }
  const auto motions = MotionOfSpots(frames);
  ASSERT_EQ(motions.size(), 4u);
  EXPECT_FALSE(motions[0][1].has_value());
  EXPECT_FALSE(motions[3][1].has_value());
  for (const std::size_t k : {1u, 2u}) {
    ASSERT_TRUE(motions[k][1].has_value());
    EXPECT_LT((place(frames[k].time) + motions[k][1]->After(0.003) - place(frames[k].time + 0.003))
                  .norm(),
              1e-9);
    EXPECT_LT(motions[k][0]->velocity.norm(), 1e-9);
  }
}

// Truth: the offset of the made-up trial. Ten spots of clutter, one in twenty markers hidden, 0.05
// px: a hundredth of a frame is a sixth of a pixel of motion.
TEST(EstimateClock, FindsTheOffsetWithoutLabels) {
  std::mt19937 random(51);
  for (const double frames : {-0.49, -0.2, 0.0, 0.03, 0.37, 0.9}) {
    SyntheticTrial trial = MakeSyntheticTrial();
    trial.right_offset = frames / trial.frame_rate;
    const auto spots = MakeSpots(trial, {.noise_px = 0.05, .hidden_fraction = 0.05}, &random);
    const ClockEstimate clock = EstimateClock(ViewsOf(trial.calibration), spots, 0.0);
    ASSERT_TRUE(clock.found) << clock.reason;
    EXPECT_NEAR(clock.offset * trial.frame_rate, frames, 0.01);
  }
}

TEST(EstimateClock, SaysThatNothingMoves) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.num_frames = 10;  // still held
  std::mt19937 random(52);
  const ClockEstimate clock =
      EstimateClock(ViewsOf(trial.calibration), MakeSpots(trial, {}, &random), 0.0);
  EXPECT_FALSE(clock.found);
  EXPECT_EQ(clock.reason, "0 moving spots are seen by both cameras, at least 30 needed");
}

// Truth: the labels and times that the spots were made with. At 0.4 frames from each other the two
// images of a falling body do not fit one pose; the labels are found all the same.
TEST(LabelSpots, LabelsFramesOfCamerasThatRunFree) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.right_offset = 0.4 / trial.frame_rate;
  std::mt19937 random(53);
  const auto spots = MakeSpots(trial, {.noise_px = 0.05}, &random);
  capture::Alignment alignment;
  alignment.found = true;
  alignment.time_offset = alignment.sub_frame_offset = trial.right_offset;
  const Views views = ViewsOf(trial.calibration);
  const MarkerLayout layout = LayoutOf(trial.body);
  std::string reason;
  const TrackedTrial tracked = LabelSpots({views, layout, trial.body.body.inertia, trial.gravity},
                                          spots, alignment, {}, &reason);
  ASSERT_EQ(reason, "");
  int seen = 0;
  for (const TrackedFrame& frame : tracked.frames) {
    for (const MarkerObservation& o : frame.observations) {
      const double time = frame.time + (o.side == 1 ? trial.right_offset : 0.0);
      EXPECT_NEAR(std::isnan(o.time) ? frame.time : o.time, time, 1e-12);
      const solver::FlightState<double> state = trial.StateAt(time);
      const Eigen::Vector3d p_W =
          state.q_WB * layout.p_BM[static_cast<std::size_t>(o.marker)] + state.p_WB;
      // As seen, not as moved: within 6 sigmas.
      EXPECT_LT((o.pixel - OpenCvPixel(trial.calibration, o.side, p_W)).norm(), 0.3);
      ++seen;
    }
  }
  EXPECT_GT(seen, 0.9 * 12 * trial.num_frames);
}

// Truth: a flight seen by a right camera that exposes 0.4 frames later. With the sightings' times
// the innovations of the smoother are those of the noise; without them they are not.
TEST(SmoothFlight, CorrectsAtTheTimesOfTheSightings) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.right_offset = 0.4 / trial.frame_rate;
  std::mt19937 random(54);
  auto frames = MakeTrackedFrames(trial, 0.05, &random);
  frames = {frames.begin() + 13, frames.begin() + 36};
  const Views views = ViewsOf(trial.calibration);
  const auto smooth = [&] {
    return SmoothFlight(frames, LayoutOf(trial.body), views, trial.body.body.inertia,
                        trial.gravity);
  };
  const SmoothedFlight with_times = smooth();
  ASSERT_TRUE(with_times.usable) << with_times.reason;
  EXPECT_NEAR(with_times.innovations.mean_square, 1.0,
              4.0 * std::sqrt(2.0 / with_times.innovations.count));
  EXPECT_EQ(with_times.rejected, 0);
  ShiftClocks({0.0, -trial.right_offset}, &frames);
  EXPECT_GT(smooth().rejected, 20);
}

}  // namespace
}  // namespace percuss::tracking
