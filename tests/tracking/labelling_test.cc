// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/tracking/synthetic_trial.h"
#include "tracking/layout_search.h"

namespace percuss::tracking {
namespace {

std::array<std::vector<Blob>, 2> BlobsOf(const std::array<VideoSpots, 2>& spots,
                                         std::size_t frame) {
  return {spots[0].frames[frame].blobs, spots[1].frames[frame].blobs};
}

/// Largest distance of a labelled sighting from where its marker truly is [px].
double WorstLabel(const SyntheticTrial& trial, double time,
                  const std::vector<MarkerObservation>& observations) {
  double worst = 0.0;
  const solver::FlightState<double> truth = trial.StateAt(time);
  for (const MarkerObservation& observation : observations) {
    const Eigen::Vector3d p_W =
        truth.q_WB * trial.body.markers[static_cast<std::size_t>(observation.marker)].p_BM +
        truth.p_WB;
    worst = std::max(
        worst, (OpenCvPixel(trial.calibration, observation.side, p_W) - observation.pixel).norm());
  }
  return worst;
}

TEST(SearchLayout, FindsTheMarkersAmongClutter) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(21);
  const auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  for (const std::size_t k : {0u, 20u, 35u, 45u}) {
    const LabelledFrame frame =
        SearchLayout(ViewsOf(trial.calibration), LayoutOf(trial.body), BlobsOf(spots, k));
    ASSERT_TRUE(frame.found) << frame.reason;
    EXPECT_EQ(frame.observations.size(), 12u);
    EXPECT_LT(WorstLabel(trial, static_cast<double>(k) / 120.0, frame.observations), 0.6);
  }
}

TEST(SearchLayout, SaysWhatItSawWhenTheLayoutIsNotThere) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(22);
  const auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  MarkerLayout wrong = LayoutOf(trial.body);
  for (std::size_t m = 0; m < wrong.p_BM.size(); ++m)
    wrong.p_BM[m] *= 0.5 + 0.2 * static_cast<double>(m);
  const LabelledFrame frame = SearchLayout(ViewsOf(trial.calibration), wrong, BlobsOf(spots, 20));
  EXPECT_FALSE(frame.found);
  EXPECT_THAT(frame.reason, testing::HasSubstr("16 spots left, 16 right"));
}

TEST(SearchLayout, RefusesALayoutThatLooksTheSameTurnedRound) {
  SyntheticTrial trial = MakeSyntheticTrial();
  const double z = 0.00625;
  trial.body.markers = {{"A", {-0.12, 0.015, z}},
                        {"B", {0.12, 0.015, z}},
                        {"C", {-0.12, -0.015, z}},
                        {"D", {0.12, -0.015, z}}};
  std::mt19937 random(23);
  const auto spots = MakeSpots(trial, {.noise_px = 0.05, .clutter = false}, &random);
  const LabelledFrame frame =
      SearchLayout(ViewsOf(trial.calibration), LayoutOf(trial.body), BlobsOf(spots, 20));
  EXPECT_FALSE(frame.found);
  EXPECT_THAT(frame.reason, testing::HasSubstr("symmetric"));
}

std::vector<TrackedFrame> Label(const SyntheticTrial& trial, const std::array<VideoSpots, 2>& spots,
                                std::string* reason) {
  capture::Alignment alignment;
  alignment.found = true;
  return LabelSpots(ViewsOf(trial.calibration), LayoutOf(trial.body), spots, alignment, {}, reason);
}

TEST(LabelSpots, LabelsEveryFrameThroughTheImpact) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(24);
  std::string reason;
  const auto frames = Label(trial, MakeSpots(trial, {.noise_px = 0.1}, &random), &reason);
  EXPECT_EQ(reason, "");
  ASSERT_EQ(frames.size(), 60u);
  for (const TrackedFrame& frame : frames) {
    EXPECT_TRUE(frame.pose.found) << frame.left_frame;
    EXPECT_GE(frame.observations.size(), 10u) << frame.left_frame;
    EXPECT_LT(WorstLabel(trial, frame.time, frame.observations), 0.6);
  }
}

// A fifth of all sightings missing at random, and one marker gone for fifteen frames.
TEST(LabelSpots, KeepsLabelsRightThroughOcclusions) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(25);
  auto spots = MakeSpots(trial, {.noise_px = 0.1, .hidden_fraction = 0.2}, &random);
  for (int k = 20; k < 35; ++k) {
    for (int side = 0; side < 2; ++side) {
      const solver::FlightState<double> truth = trial.StateAt(k / 120.0);
      const Eigen::Vector2d gone = OpenCvPixel(
          trial.calibration, side, truth.q_WB * trial.body.markers[2].p_BM + truth.p_WB);
      std::erase_if(spots[static_cast<std::size_t>(side)].frames[static_cast<std::size_t>(k)].blobs,
                    [&](const Blob& blob) { return (blob.centre - gone).norm() < 3.0; });
    }
  }
  std::string reason;
  const auto frames = Label(trial, spots, &reason);
  int sightings_of_the_lost = 0;
  for (const TrackedFrame& frame : frames) {
    EXPECT_TRUE(frame.pose.found) << frame.left_frame;
    EXPECT_LT(WorstLabel(trial, frame.time, frame.observations), 0.6) << frame.left_frame;
    for (const MarkerObservation& observation : frame.observations) {
      if (observation.marker == 2 && frame.left_frame >= 35) ++sightings_of_the_lost;
    }
  }
  EXPECT_GT(sightings_of_the_lost, 20);
}

TEST(LabelSpots, SaysThatNoLayoutWasFound) {
  SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(26);
  const auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  for (std::size_t m = 0; m < trial.body.markers.size(); ++m)
    trial.body.markers[m].p_BM.y() += 0.01 * static_cast<double>(m * m);
  std::string reason;
  Label(trial, spots, &reason);
  EXPECT_THAT(reason, testing::HasSubstr("the marker layout was found in none of 60 frames"));
}

}  // namespace
}  // namespace percuss::tracking
