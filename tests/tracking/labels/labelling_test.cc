// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/labels/body_labels.h"
#include "tracking/labels/layout_search.h"
#include "tracking/labels/marker_tracking.h"
#include "tracking/spots/static_spots.h"

namespace percuss::tracking {
namespace {

std::array<std::vector<Blob>, 2> BlobsOf(const std::array<VideoSpots, 2>& spots,
                                         std::size_t frame) {
  return {spots[0].frames[frame].blobs, spots[1].frames[frame].blobs};
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

TrackedBody BodyOf(const SyntheticTrial& trial) {
  return {ViewsOf(trial.calibration), LayoutOf(trial.body), trial.body.body.inertia, trial.gravity};
}

TEST(LabelSpots, LabelsEveryFrameThroughTheImpact) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(24);
  std::string reason;
  const auto frames =
      LabelTrial(trial, MakeSpots(trial, {.noise_px = 0.1}, &random), &reason).frames;
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
  const auto frames = LabelTrial(trial, spots, &reason).frames;
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
  LabelTrial(trial, spots, &reason);
  EXPECT_THAT(reason, testing::HasSubstr("the marker layout was found in 0 of 60 frames"));
  EXPECT_THAT(reason, testing::HasSubstr("6 markers move as one body in "));
}

/// Spots of the markers alone, as instants.
std::vector<StereoSpots> InstantsOf(const SyntheticTrial& trial, double noise_px,
                                    std::mt19937* random) {
  const auto spots = MakeSpots(trial, {.noise_px = noise_px, .clutter = false}, random);
  std::vector<StereoSpots> instants;
  for (std::size_t k = 0; k < spots[0].frames.size(); ++k)
    instants.push_back({spots[0].frames[k].time, BlobsOf(spots, k)});
  return instants;
}

Eigen::Vector2d TruePixel(const SyntheticTrial& trial, double time, int marker, int side) {
  const solver::FlightState<double> truth = trial.StateAt(time);
  return OpenCvPixel(
      trial.calibration, side,
      truth.q_WB * trial.body.markers[static_cast<std::size_t>(marker)].p_BM + truth.p_WB);
}

/// Whether any sighting says that a pixel is a marker.
bool Says(const InstantLabels& labels, int marker, int side, const Eigen::Vector2d& pixel) {
  return std::ranges::any_of(labels.observations, [&](const MarkerObservation& o) {
    return o.marker == marker && o.side == side && (o.pixel - pixel).norm() < 1e-9;
  });
}

// A seventh spot crosses the path of a marker in the left image, through its very place, at 3 px
// per frame against it; the marker keeps its own spot in all frames, also next to the crossing.
TEST(LabelBody, KeepsAMarkerApartFromASpotThatCrossesIt) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(31);
  std::vector<StereoSpots> instants = InstantsOf(trial, 0.05, &random);
  std::vector<Eigen::Vector2d> stranger;
  for (int k = 0; k < 60; ++k) {
    auto& blobs = instants[static_cast<std::size_t>(k)].blobs[0];
    Blob blob = blobs.front();
    blob.centre = TruePixel(trial, 24.5 / 120.0, 2, 0) + (k - 24.5) * Eigen::Vector2d(-3.0, 0.5);
    blob.area = 50.0;
    stranger.push_back(blob.centre);
    blobs.push_back(blob);
  }
  const BodyLabels labels = LabelBody(BodyOf(trial), instants);
  ASSERT_EQ(labels.reason, "");
  for (std::size_t k = 0; k < 60; ++k) {
    EXPECT_LT(WorstLabel(trial, instants[k].time, labels.instants[k].observations), 0.5) << k;
    for (int marker = 0; marker < 6; ++marker)
      EXPECT_FALSE(Says(labels.instants[k], marker, 0, stranger[k])) << k;
  }
}

// Two markers of the body swap their order in an image as it turns: marker 0 and 1 are given places
// one behind the other on a body that spins; labels are checked against the truth in all frames.
TEST(LabelBody, KeepsTwoCrossingMarkersApart) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.before.w = {0.0, 14.0, 0.0};
  std::mt19937 random(32);
  const std::vector<StereoSpots> instants = InstantsOf(trial, 0.05, &random);
  // They do cross: what is left of the other in the image changes.
  const auto order = [&](int k) {
    return TruePixel(trial, k / 120.0, 1, 0).x() < TruePixel(trial, k / 120.0, 2, 0).x();
  };
  ASSERT_NE(order(12), order(36));
  const BodyLabels labels = LabelBody(BodyOf(trial), instants);
  ASSERT_EQ(labels.reason, "");
  for (std::size_t k = 0; k < 60; ++k) {
    EXPECT_LT(WorstLabel(trial, instants[k].time, labels.instants[k].observations), 0.3) << k;
    EXPECT_EQ(labels.instants[k].observations.size(),
              instants[k].blobs[0].size() + instants[k].blobs[1].size())
        << k;
  }
}

// Marker 3 is hidden in the left view for ten frames, while another spot passes 1.5 px from where
// it should be: thirty sigma. The stranger must not get its name; the marker must when it is back.
TEST(LabelBody, LeavesAHiddenMarkersNameToNoOther) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(33);
  std::vector<StereoSpots> instants = InstantsOf(trial, 0.05, &random);
  for (int k = 20; k < 30; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const Eigen::Vector2d place = TruePixel(trial, instants[index].time, 3, 0);
    for (Blob& blob : instants[index].blobs[0]) {
      if ((blob.centre - place).norm() < 1.0)
        blob.centre = place + Eigen::Vector2d(4.0 * (k - 24.5), 1.5);
    }
  }
  const BodyLabels labels = LabelBody(BodyOf(trial), instants);
  ASSERT_EQ(labels.reason, "");
  for (std::size_t k = 0; k < 60; ++k) {
    const auto& seen = labels.instants[k].observations;
    EXPECT_LT(WorstLabel(trial, instants[k].time, seen), 0.5) << k;
    EXPECT_EQ(seen.size(), k >= 20 && k < 30 ? 11u : 12u) << k;
  }
}

// Before the release the body does not fall, and of its twelve sightings five are left, a single
// marker in both views: they are where the body was a frame ago, and check each other.
TEST(LabelBody, LabelsTheFewMarkersThatAreLeft) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(35);
  std::vector<StereoSpots> instants = InstantsOf(trial, 0.05, &random);
  StereoSpots& few = instants[3];
  const auto keep = [&](int side, std::vector<int> markers) {
    std::erase_if(few.blobs[static_cast<std::size_t>(side)], [&](const Blob& blob) {
      return std::ranges::none_of(markers, [&](int marker) {
        return (TruePixel(trial, few.time, marker, side) - blob.centre).norm() < 1.0;
      });
    });
  };
  keep(0, {0});
  keep(1, {0, 1, 3, 5});
  const BodyLabels labels = LabelBody(BodyOf(trial), instants);
  ASSERT_EQ(labels.reason, "");
  const auto& seen = labels.instants[3].observations;
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_LT(WorstLabel(trial, few.time, seen), 0.5);
}

/// Adds the errors that the floor of a centroid's sigma stands for (ObservationsOf), so that the
/// spots are as uncertain as the filter takes them to be.
void AddFloorNoise(const SyntheticTrial& trial, std::mt19937* random,
                   std::vector<StereoSpots>* instants) {
  const Views views = ViewsOf(trial.calibration);
  const MarkerLayout layout = LayoutOf(trial.body);
  for (StereoSpots& spots : *instants) {
    const auto state = trial.StateAt(spots.time);
    for (int side = 0; side < 2; ++side) {
      const auto s = static_cast<std::size_t>(side);
      for (Blob& blob : spots.blobs[s]) {
        int marker = 0;
        while ((TruePixel(trial, spots.time, marker, side) - blob.centre).norm() > 3.0) ++marker;
        const double sigma =
            kCentroidFloorPx /
            std::max(0.1, MarkerFacing(layout, marker, {state.p_WB, state.q_WB}, views[s]));
        std::normal_distribution<double> noise(0.0, sigma);
        blob.centre += Eigen::Vector2d{noise(*random), noise(*random)};
      }
    }
  }
}

// Truth: Gaussian noise of the sigma that the filter uses, floor included, and a flight under
// gravity alone. The mean square is then 1, but that the gate keeps out the largest thousandth.
// Where sigmas are stated twice too large, the scale goes below 1: times 2 it is sqrt((10 + 60 / 4)
// / 70) = 1.2 with its start of ten frames, and a little more for the floor, which is as it should
// be.
TEST(LabelBody, InnovationsAreAsLargeAsTheFilterSays) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  for (const double stated : {1.0, 2.0}) {
    std::mt19937 random(34);
    double sum = 0.0, scale = 0.0;
    int count = 0;
    constexpr int kDraws = 24;
    for (int draw = 0; draw < kDraws; ++draw) {
      auto instants = InstantsOf(trial, 0.1, &random);
      AddFloorNoise(trial, &random, &instants);
      for (StereoSpots& spots : instants) {
        for (auto& blobs : spots.blobs) {
          for (Blob& blob : blobs) blob.covariance *= stated * stated;
        }
      }
      const FilterSummary filter = LabelBody(BodyOf(trial), instants).filter;
      sum += filter.innovations.mean_square * filter.innovations.count;
      count += filter.innovations.count;
      scale += filter.noise_scale / kDraws;
      // The release is seen going back, or the impact going on; no other change.
      for (const int change : filter.changes) {
        EXPECT_TRUE(stated != 1.0 || std::abs(change - 11) <= 1 || std::abs(change - 36.5) <= 1)
            << change;
      }
    }
    const Innovations all = SummariseInnovations(sum, count);
    EXPECT_GT(count, 20000);
    EXPECT_NEAR(scale * stated, stated == 1.0 ? 1.0 : 1.22, 0.04) << stated;
    if (stated != 1.0) continue;  // the scale is learnt on the way
    const double gate = LabelOptions{}.gate;
    const double beyond = std::exp(-0.5 * gate);
    const double expected = (1.0 - beyond * (1.0 + 0.5 * gate)) / (1.0 - beyond);
    EXPECT_GT(all.mean_square, expected * all.low);
    EXPECT_LT(all.mean_square, expected * all.high);
  }
}

// A reflection glides over the body as that falls: seen by both cameras at one point of its
// surface, which passes 1 mm (0.7 px) from marker 2 at 0.3 mm per frame. From frame 20 to 30 the
// marker itself is hidden in both views, when nothing else lies where it should be. The reflection
// never gets the marker's name farther than five sigmas from its place.
TEST(LabelBody, GivesAHighlightNoLabel) {
  SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(37);
  std::vector<StereoSpots> instants = InstantsOf(trial, 0.05, &random);
  SyntheticTrial shine = trial;
  std::array<std::vector<Eigen::Vector2d>, 2> highlight;
  for (int k = 0; k < 60; ++k) {
    const auto index = static_cast<std::size_t>(k);
    shine.body.markers[2].p_BM =
        trial.body.markers[2].p_BM + Eigen::Vector3d(0.0003 * (k - 25), -0.001, 0.0);
    for (int side = 0; side < 2; ++side) {
      auto& blobs = instants[index].blobs[static_cast<std::size_t>(side)];
      const Eigen::Vector2d marker = TruePixel(trial, instants[index].time, 2, side);
      Blob blob = blobs.front();
      blob.centre = TruePixel(shine, instants[index].time, 2, side);
      if (k >= 20 && k < 30)
        std::erase_if(blobs, [&](const Blob& b) { return (b.centre - marker).norm() < 0.4; });
      highlight[static_cast<std::size_t>(side)].push_back(blob.centre);
      blobs.push_back(blob);
    }
  }
  const BodyLabels labels = LabelBody(BodyOf(trial), instants);
  ASSERT_EQ(labels.reason, "");
  for (std::size_t k = 0; k < 60; ++k) {
    int seen = 0;
    for (const MarkerObservation& o : labels.instants[k].observations) {
      EXPECT_GT((o.pixel - highlight[static_cast<std::size_t>(o.side)][k]).norm(), 1e-9)
          << k << " marker " << o.marker;
      seen += o.marker == 2;
    }
    EXPECT_EQ(seen, k >= 20 && k < 30 ? 0 : 2) << k;
  }
}

TEST(LabelBody, EndsWithAReasonWhenTwoBodiesAreSeen) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  SyntheticTrial beside = trial;
  beside.before.p_WB += Eigen::Vector3d(-0.02, 0.12, 0.02);
  std::mt19937 random(35);
  std::vector<StereoSpots> instants = InstantsOf(trial, 0.1, &random);
  const std::vector<StereoSpots> others = InstantsOf(beside, 0.1, &random);
  for (std::size_t k = 0; k < instants.size(); ++k) {
    for (std::size_t side = 0; side < 2; ++side) {
      auto& blobs = instants[k].blobs[side];
      blobs.insert(blobs.end(), others[k].blobs[side].begin(), others[k].blobs[side].end());
    }
  }
  EXPECT_THAT(LabelBody(BodyOf(trial), instants).reason, testing::HasSubstr("two bodies"));
}

TEST(LabelBody, EndsWithAReasonWithoutSpotsAndAmongTooMany) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::vector<StereoSpots> instants(60);
  for (std::size_t k = 0; k < 60; ++k) instants[k].time = static_cast<double>(k) / 120.0;
  EXPECT_THAT(LabelBody(BodyOf(trial), instants).reason,
              testing::HasSubstr("0 of 60 frames; 0 spots left, 0 right"));

  std::mt19937 random(36);
  std::uniform_real_distribution<double> x(0.0, 1279.0), y(0.0, 719.0);
  for (StereoSpots& spots : instants) {
    for (auto& blobs : spots.blobs) {
      for (int i = 0; i < 500; ++i) {
        Blob blob;
        blob.centre = {x(random), y(random)};
        blob.area = 45.0;
        blobs.push_back(blob);
      }
    }
  }
  LabelOptions options;
  options.max_work = 2'000'000;  // an eighth of the default, so that the test is short
  EXPECT_THAT(LabelBody(BodyOf(trial), instants, options).reason,
              testing::HasSubstr("500 spots left, 500 right"));
}

// A clutter spot stands still from first to last; a marker at rest until the release, and one that
// comes to rest, do not.
TEST(RemoveStaticSpots, LeavesAMarkerAtRestBeforeItsRelease) {
  std::vector<StereoSpots> instants(100);
  const auto spot = [](double px, double py) {
    Blob blob;
    blob.centre = {px, py};
    return blob;
  };
  for (int k = 0; k < 100; ++k) {
    auto& blobs = instants[static_cast<std::size_t>(k)].blobs[0];
    blobs.push_back(spot(300.0, 200.0 + (k < 85 ? 0.0 : 3.0 * (k - 84))));  // released at 85
    blobs.push_back(spot(500.0 - 4.0 * std::max(0, 10 - k), 100.0));        // at rest from 10 on
    if (k % 5 != 0) blobs.push_back(spot(640.3 + 0.2 * (k % 2), 50.0));
  }
  EXPECT_EQ(RemoveStaticSpots(&instants), 1);
  for (const StereoSpots& spots : instants) {
    ASSERT_EQ(spots.blobs[0].size(), 2u);
    for (const Blob& blob : spots.blobs[0]) EXPECT_LT(blob.centre.x(), 501.0);
  }
}

// What a ruler errs by is some pixels where a picture shows a tenth of a millimetre in each. Gates
// of fixed width refuse the layout or lose its markers.
TEST(LabelTrialSpots, BearsTypedErrorsOfManyPixels) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  constexpr double kError = 2e-3;  // [m]: some 2 px, and 1 px is as far as a spot may be off
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(40 + seed);
    TrialSpots spots{.views = MakeSpots(trial, {.noise_px = 0.1}, &random)};
    capture::Experiment experiment;
    experiment.body = trial.body;
    experiment.synchronisation.genlocked = true;
    std::normal_distribution<double> normal;
    for (capture::Marker& marker : experiment.body.markers) {
      for (int axis = 0; axis < 2; ++axis) marker.p_BM[axis] += kError * normal(random);
    }
    capture::Trial typed;
    typed.gravity = trial.gravity;
    const auto num_labels = [&](double sigma) {
      experiment.body.sigma.marker = sigma;
      std::string reason;
      const TrackedTrial tracked =
          LabelTrialSpots(experiment, typed, ViewsOf(trial.calibration), spots, {}, &reason);
      std::size_t labels = 0;
      for (const TrackedFrame& frame : tracked.frames) {
        EXPECT_LT(WorstLabel(trial, frame.time, frame.observations), 0.6);
        labels += frame.observations.size();
      }
      return labels;
    };
    const std::size_t all = 60 * 12;
    EXPECT_LT(num_labels(0.0), 3 * all / 4) << seed;
    EXPECT_GT(num_labels(kError), 85 * all / 100) << seed;
  }
}

}  // namespace
}  // namespace percuss::tracking
