// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/marker_presence.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/trial_checks.h"

namespace percuss::pipeline {
namespace {

constexpr int kThird = 2;
using Trials = std::vector<std::vector<MarkerPresence>>;

/// Six markers in every frame, of which one has no name, or is not there at all.
struct Drop {
  tracking::SyntheticTrial trial = tracking::MakeSyntheticTrial();
  tracking::Views views = tracking::ViewsOf(trial.calibration);
  std::vector<tracking::TrackedFrame> frames;
  tracking::TrialSpots spots;

  Drop() {
    std::mt19937 random(8);
    frames = MakeTrackedFrames(trial, 0.05, &random);
    spots.views = MakeSpots(trial, {.noise_px = 0.05}, &random);
  }
  void ForgetNames() {
    for (tracking::TrackedFrame& frame : frames)
      std::erase_if(frame.observations, [](const auto& seen) { return seen.marker == kThird; });
  }
  void TakeSpots() {
    for (const tracking::TrackedFrame& frame : frames) {
      for (const tracking::MarkerObservation& seen : frame.observations) {
        if (seen.marker != kThird) continue;
        const int number = seen.side == 0 ? frame.left_frame : frame.right_frame;
        std::erase_if(spots.views[seen.side].frames[number].blobs,
                      [&](const auto& blob) { return (blob.centre - seen.pixel).norm() < 2.0; });
      }
    }
  }
  std::vector<MarkerPresence> Measure() const {
    return MeasurePresence(trial.body, views, frames, spots);
  }
};

TEST(MarkerPresence, IsThatOfSpotsWhetherOrNotTheyHaveNames) {
  Drop drop;
  drop.ForgetNames();
  // The tracker has reason to warn, and the marker is there all the same.
  EXPECT_FALSE(MissingMarkerWarnings(drop.trial.body, LayoutOf(drop.trial), drop.views, drop.frames)
                   .empty());
  const std::vector<MarkerPresence> markers = drop.Measure();
  EXPECT_EQ(markers[kThird].NumThere(), markers[kThird].NumExpected());
  EXPECT_FALSE(MissingFrom(Trials{markers}, kThird));
}

TEST(MarkerPresence, IsNoneOfAMarkerThatCameOff) {
  Drop drop;
  drop.TakeSpots();
  drop.ForgetNames();
  const std::vector<MarkerPresence> markers = drop.Measure();
  EXPECT_EQ(markers[kThird].NumThere(), 0);
  for (std::size_t m = 0; m < markers.size(); ++m)
    EXPECT_EQ(MissingFrom(Trials{markers}, m).has_value(), m == kThird);
}

TEST(MarkerPresence, CountsTheBodyAtRestOnce) {
  const Drop drop;
  const int moving =
      static_cast<int>(std::ranges::count_if(drop.frames, [&](const tracking::TrackedFrame& frame) {
        return frame.time > drop.trial.release_time;
      }));
  for (const MarkerPresence& marker : drop.Measure()) {
    for (const int expected : marker.expected) EXPECT_LE(expected, moving + 1);
  }
}

MarkerPresence Seen(int there, int expected) { return {{expected, expected}, {there, there}}; }

TEST(MissingMarker, IsToldFromOneThatIsHidden) {
  // Two pictures of a marker that was hidden in both: as likely as 1 : 6 where others are, too.
  EXPECT_FALSE(MissingFrom(Trials{{Seen(0, 1), Seen(6, 10), Seen(5, 10)}}, 0));
  EXPECT_EQ(MissingFrom(Trials{{Seen(0, 10), Seen(10, 10), Seen(9, 10)}}, 0), 0u);
  // One camera sees it.
  EXPECT_FALSE(MissingFrom(Trials{{{{10, 10}, {0, 9}}, Seen(10, 10), Seen(10, 10)}}, 0));
}

TEST(MissingMarker, ShowsInTrialsTogetherWhereEachHasFewPictures) {
  const std::vector<MarkerPresence> few = {Seen(0, 1), Seen(4, 4), Seen(4, 4)};
  EXPECT_FALSE(MissingFrom(Trials{few}, 0));
  EXPECT_EQ(MissingFrom(Trials{few, few}, 0), 0u);
}

TEST(MissingMarker, DoesNotComeBack) {
  const std::vector<MarkerPresence> there = {Seen(10, 10), Seen(10, 10)},
                                    missing = {Seen(0, 10), Seen(10, 10)},
                                    turned_away = {Seen(0, 0), Seen(10, 10)}, no_impact;
  EXPECT_EQ(MissingFrom(Trials{there, missing, turned_away, missing}, 0), 1u);
  EXPECT_EQ(MissingFrom(Trials{there, missing, no_impact}, 0), 1u);
  EXPECT_FALSE(MissingFrom(Trials{there, missing, there}, 0));
  EXPECT_FALSE(MissingFrom(Trials{there, turned_away}, 0));
}

}  // namespace
}  // namespace percuss::pipeline
