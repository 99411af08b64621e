// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/further_views.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::tracking {
namespace {

/// A trial before four cameras and what is labelled of it.
struct Filmed {
  SyntheticTrial trial = MakeFourCameraTrial();
  TrialSpots spots;
  capture::Experiment experiment;
  capture::Trial names;

  explicit Filmed(unsigned seed, double noise_px = 0.1) { Film(seed, noise_px); }

  void Film(unsigned seed, double noise_px = 0.1) {
    std::mt19937 random(seed);
    std::vector<VideoSpots> all = MakeSpotsOfAll(trial, {.noise_px = noise_px}, &random);
    spots.views = {all[0], all[1]};
    spots.others = {all[2], all[3]};
    experiment.body = trial.body;
    names.gravity = trial.gravity;
    names.left = "left.mp4", names.right = "right.mp4";
    names.others = {"third.mp4", "fourth.mp4"};
  }

  TrackedTrial Label() const {
    std::string reason;
    TrackedTrial tracked =
        LabelTrialSpots(experiment, names, ViewsOf(trial.calibration), spots, {}, &reason);
    EXPECT_EQ(reason, "");
    return tracked;
  }

  /// Largest distance of a further camera's sighting from its marker when it was seen [px].
  double WorstSighting(const TrackedTrial& tracked, int side, double offset) const {
    const MarkerLayout layout = LayoutOf(trial);
    double worst = 0.0;
    for (const TrackedFrame& frame : tracked.frames) {
      for (const MarkerObservation& seen : frame.observations) {
        if (seen.side != side) continue;
        const auto state = trial.StateAt(seen.time - offset + trial.OffsetOf(side));
        const auto m = static_cast<std::size_t>(seen.marker);
        const Eigen::Vector2d truth =
            OpenCvPixel(trial.calibration, side, state.q_WB * layout.p_BM[m] + state.p_WB);
        worst = std::max(worst, (seen.pixel - truth).norm());
      }
    }
    return worst;
  }
};

// Truth: the offsets of the clocks and the labels. At 0.1 px of noise the poses of single frames,
// on which the path rests, err by as much as the spots; a frame is some 15 px of motion, and each
// camera has hundreds of sightings.
TEST(FurtherViews, FindClockAndMarkersOfEachCamera) {
  const Filmed filmed(7);
  const TrackedTrial tracked = filmed.Label();
  EXPECT_THAT(tracked.warnings, testing::IsEmpty());
  ASSERT_EQ(tracked.further.size(), 2u);
  for (int side = 2; side < 4; ++side) {
    const FurtherView& view = tracked.further[static_cast<std::size_t>(side - 2)];
    EXPECT_EQ(view.reason, "");
    EXPECT_NEAR(view.offset, filmed.trial.OffsetOf(side), 0.005 / filmed.trial.frame_rate);
    EXPECT_LT(filmed.WorstSighting(tracked, side, view.offset), 0.7);
    // Six markers, sixty frames; the tilted bar hides some at the end.
    EXPECT_GT(view.sightings, 250);
  }
  // The frame whose picture it is: the one exposed nearest to the left camera's.
  for (std::size_t k = 1; k + 1 < tracked.frames.size(); ++k)
    EXPECT_EQ(tracked.further[0].frames[k], tracked.frames[k].left_frame);
}

// Truth: the offsets, which are refined beyond what votes in windows of a quarter of a frame say:
// several hundred sightings, off by 0.1 px beside the error of the poses, of 15 px of motion.
TEST(FurtherViews, RefineTheClockByAllSightings) {
  double squares = 0.0;
  constexpr int kDraws = 8;
  for (unsigned seed = 100; seed < 100 + kDraws; ++seed) {
    const Filmed filmed(seed);
    const TrackedTrial tracked = filmed.Label();
    for (int side = 2; side < 4; ++side) {
      const double error = tracked.further.at(static_cast<std::size_t>(side - 2)).offset -
                           filmed.trial.OffsetOf(side);
      squares += std::pow(error * filmed.trial.frame_rate, 2);
    }
  }
  EXPECT_LT(std::sqrt(squares / (2 * kDraws)), 0.002);
}

// Truth: what pictures of 8 ms between them show of an impact. The frames on either side of it are
// labelled by the flight on their side; where they lie in the midst of those of left and right, the
// straight way between these passes 5 px beside the markers.
TEST(FurtherViews, LabelFramesOnBothSidesOfAnImpact) {
  Filmed filmed(8);
  const double interval = 1.0 / filmed.trial.frame_rate;
  for (double& offset : filmed.trial.further_offsets)
    offset = std::copysign(0.47, offset) * interval;
  filmed.Film(8);
  const TrackedTrial tracked = filmed.Label();
  for (int side = 2; side < 4; ++side) {
    int before = 0, after = 0;  // of the last frame before it and the first after it
    for (const TrackedFrame& frame : tracked.frames) {
      for (const MarkerObservation& seen : frame.observations) {
        const double since_impact = seen.time - filmed.trial.impact_time;
        if (seen.side != side || std::abs(since_impact) > interval) continue;
        ++(since_impact < 0.0 ? before : after);
      }
    }
    EXPECT_EQ(before, 6) << side;
    EXPECT_EQ(after, 6) << side;
  }
}

// Truth: cameras on one clock, which begin some frames apart. The offset is that of frames, exact.
TEST(FurtherViews, OfGenlockedCamerasHaveTheClockOfTheLeftOne) {
  Filmed filmed(9);
  filmed.trial.further_offsets = {0.0, 0.0};
  filmed.Film(9);
  filmed.experiment.synchronisation.genlocked = true;
  filmed.spots.others[0].frames.erase(filmed.spots.others[0].frames.begin(),
                                      filmed.spots.others[0].frames.begin() + 3);
  for (FrameBlobs& frame : filmed.spots.others[0].frames)
    frame.time -= 3.0 / filmed.trial.frame_rate;
  const TrackedTrial tracked = filmed.Label();
  ASSERT_EQ(tracked.further.size(), 2u);
  EXPECT_NEAR(tracked.further[0].offset, 3.0 / filmed.trial.frame_rate, 1e-12);
  EXPECT_NEAR(tracked.further[1].offset, 0.0, 1e-12);
  EXPECT_GT(tracked.further[0].sightings, 250);
}

TEST(FurtherViews, SayThatACameraIsNotGenlocked) {
  Filmed filmed(10);
  filmed.experiment.synchronisation.genlocked = true;
  const TrackedTrial tracked = filmed.Label();
  EXPECT_THAT(tracked.warnings,
              testing::Contains(testing::AllOf(
                  testing::HasSubstr("third.mp4: not used: its frames lie 0.31 frames beside"),
                  testing::HasSubstr("synchronisation.genlocked"))));
  EXPECT_EQ(tracked.further[0].sightings, 0);
}

// Truth: the fourth camera's video is of another drop. Nothing of it fits, and the others are as
// they were.
TEST(FurtherViews, LeaveOutTheVideoOfAnotherTrial) {
  Filmed filmed(11), other(11);
  other.trial.before.q_WB = Eigen::AngleAxisd(0.9, Eigen::Vector3d::UnitZ()) *
                            Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX());
  other.trial.before.v = {-0.6, 0.2, -1.1};
  other.trial.before.p_WB += Eigen::Vector3d(0.1, 0.05, 0.1);
  other.Film(12);
  filmed.spots.others[1] = other.spots.others[1];
  const TrackedTrial tracked = filmed.Label();
  EXPECT_THAT(tracked.warnings,
              testing::Contains(testing::HasSubstr("fourth.mp4: not used: nothing tells when")));
  EXPECT_EQ(tracked.further[1].sightings, 0);
  EXPECT_GT(tracked.further[0].sightings, 250);
}

TEST(FurtherViews, MayMissATrial) {
  Filmed filmed(13);
  filmed.spots.others[0] = {};
  filmed.names.others[0].clear();
  const TrackedTrial tracked = filmed.Label();
  EXPECT_THAT(tracked.warnings, testing::IsEmpty());
  EXPECT_EQ(tracked.further[0].reason, "it has no video of this trial");
  EXPECT_GT(tracked.further[1].sightings, 250);
}

}  // namespace
}  // namespace percuss::tracking
