// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/marker_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/labels/stereo_points.h"
#include "tracking/spots/static_spots.h"

namespace percuss::tracking {
namespace {

/// A made-up trial with its spots, which truly are those of its six markers.
struct Scene {
  SyntheticTrial trial = MakeSyntheticTrial();
  Views views = ViewsOf(trial.calibration);
  std::vector<StereoSpots> instants;

  Scene(const SpotOptions& options, unsigned seed) {
    std::mt19937 random(seed);
    const auto spots = MakeSpots(trial, options, &random);
    for (std::size_t k = 0; k < spots[0].frames.size(); ++k) {
      instants.push_back({.time = spots[0].frames[k].time,
                          .blobs = {spots[0].frames[k].blobs, spots[1].frames[k].blobs}});
    }
    RemoveStaticSpots(&instants);
  }
  MarkerTracks Follow() const {
    return FollowMarkers(views, instants, trial.body.marker_diameter, trial.gravity);
  }
  /// The marker nearest to a point, and its error.
  std::pair<int, Eigen::Vector3d> Nearest(const MarkerSample& sample) const {
    const auto state = trial.StateAt(instants[static_cast<std::size_t>(sample.instant)].time);
    std::pair<int, Eigen::Vector3d> nearest{-1, Eigen::Vector3d::Constant(1e3)};
    for (std::size_t m = 0; m < trial.body.markers.size(); ++m) {
      const Eigen::Vector3d error =
          sample.p_W - (state.q_WB * trial.body.markers[m].p_BM + state.p_WB);
      if (error.norm() < nearest.second.norm()) nearest = {static_cast<int>(m), error};
    }
    return nearest;
  }
  double FlightTime(int instant) const {
    return instants[static_cast<std::size_t>(instant)].time - trial.release_time;
  }
};

// Truth: the made-up motion. A track never changes from one marker to another, and in flight its
// places are known to their stated sigmas.
TEST(FollowMarkers, StaysWithOneMarkerAndKnowsWhereItIs) {
  const Scene scene({.noise_px = 0.1}, 5);
  const MarkerTracks tracks = scene.Follow();
  int samples = 0;
  double squares = 0.0;
  for (const MarkerTrack& track : tracks.tracks) {
    const int marker = scene.Nearest(track.samples.front()).first;
    for (std::size_t i = 0; i < track.samples.size(); ++i) {
      const MarkerSample& sample = track.samples[i];
      const auto [nearest, error] = scene.Nearest(sample);
      EXPECT_EQ(nearest, marker) << "at " << sample.instant;
      EXPECT_LT(error.norm(), 0.003) << "at " << sample.instant;
      const double time = scene.FlightTime(sample.instant);
      if (i < 3 || time < 0.05 || sample.instant > 35) continue;
      squares += error.dot(sample.covariance.inverse() * error) / 3.0;
      ++samples;
    }
  }
  EXPECT_GT(samples, 50);
  // The filter allows for more jerk than this body has.
  EXPECT_LT(squares / samples, 1.0);
}

// Truth: the six markers; nearly every sighting after the release is in a track of some length.
TEST(FollowMarkers, FindsEveryMarkerOfAFlight) {
  const Scene scene({.noise_px = 0.05}, 6);
  const MarkerTracks tracks = scene.Follow();
  std::vector<int> seen(scene.trial.body.markers.size());
  int instants = 0;
  for (std::size_t k = 0; k < scene.instants.size(); ++k)
    instants += scene.FlightTime(static_cast<int>(k)) > 0.0;
  for (const MarkerTrack& track : tracks.tracks) {
    for (const MarkerSample& sample : track.samples) {
      if (scene.FlightTime(sample.instant) > 0.0)
        ++seen[static_cast<std::size_t>(scene.Nearest(sample).first)];
    }
  }
  for (const int count : seen) EXPECT_GE(count, 0.9 * instants);
}

/// Spots of one point whose acceleration wanders as the filter takes it to: white jerk, sampled
/// exactly from frame to frame. Pixels by OpenCV's projection.
std::vector<StereoSpots> WanderingPoint(const SyntheticTrial& trial, int num_frames,
                                        std::mt19937* random,
                                        std::vector<Eigen::Vector3d>* places) {
  const MarkerFilterOptions options;
  constexpr double kStep = 1.0 / 240.0, kNoise = 0.1;
  const double t = kStep;
  Eigen::Matrix3d jerk, move;
  jerk << std::pow(t, 5) / 20, std::pow(t, 4) / 8, std::pow(t, 3) / 6, std::pow(t, 4) / 8,
      std::pow(t, 3) / 3, std::pow(t, 2) / 2, std::pow(t, 3) / 6, std::pow(t, 2) / 2, t;
  move << 1, t, t * t / 2, 0, 1, t, 0, 0, 1;
  const Eigen::Matrix3d root = options.jerk_density * Eigen::Matrix3d(jerk.llt().matrixL());
  std::normal_distribution<double> normal;
  const auto draw = [&] {
    const double x = normal(*random), y = normal(*random), z = normal(*random);
    return Eigen::Vector3d(x, y, z);
  };
  Eigen::Matrix3d state;  // rows: place, velocity, acceleration
  state.row(0) = Eigen::RowVector3d(0.0, 0.0, 0.15);
  state.row(1) = 0.5 * draw().transpose();
  state.row(2) = trial.gravity.transpose() + options.acceleration_sigma * draw().transpose();
  const double sigma = std::hypot(kNoise, kCentroidFloorPx);
  std::vector<StereoSpots> instants;
  for (int k = 0; k < num_frames; ++k) {
    places->push_back(state.row(0));
    StereoSpots instant{.time = k * kStep, .blobs = {}};
    for (int side = 0; side < 2; ++side) {
      Blob blob;
      blob.centre = OpenCvPixel(trial.calibration, side, places->back()) +
                    sigma * Eigen::Vector2d(draw().head<2>());
      blob.covariance = kNoise * kNoise * Eigen::Matrix2d::Identity();
      blob.area = FaceOnArea(ViewsOf(trial.calibration)[static_cast<std::size_t>(side)],
                             places->back(), trial.body.marker_diameter);
      instant.blobs[static_cast<std::size_t>(side)].push_back(blob);
    }
    instants.push_back(std::move(instant));
    Eigen::Matrix3d noise;
    for (int axis = 0; axis < 3; ++axis) noise.col(axis) = root * draw();
    state = (move * state + noise).eval();
  }
  return instants;
}

// Truth: the drawn motions, whose model is the filter's: innovations and errors are as large as it
// says. The first velocities are taken from frames that come later, which makes the innovations of
// these smaller: a twentieth of all.
TEST(FollowMarkers, InnovationsAndErrorsAreAsLargeAsItSays) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Views views = ViewsOf(trial.calibration);
  std::mt19937 random(21);
  double innovations = 0.0, squares = 0.0;
  int coordinates = 0, samples = 0;
  for (int run = 0; run < 60; ++run) {
    std::vector<Eigen::Vector3d> places;
    const auto instants = WanderingPoint(trial, 24, &random, &places);
    const MarkerTracks tracks =
        FollowMarkers(views, instants, trial.body.marker_diameter, trial.gravity);
    innovations += tracks.innovations.mean_square * tracks.innovations.count;
    coordinates += tracks.innovations.count;
    for (const MarkerTrack& track : tracks.tracks) {
      for (const MarkerSample& sample : track.samples) {
        const Eigen::Vector3d error = sample.p_W - places[static_cast<std::size_t>(sample.instant)];
        squares += error.dot(sample.covariance.inverse() * error) / 3.0;
        ++samples;
      }
    }
  }
  EXPECT_GT(samples, 60 * 22);
  EXPECT_NEAR(innovations / coordinates, 0.975, 0.025 + 3.0 * std::sqrt(2.0 / coordinates));
  // Errors of neighbouring frames are alike: as if one in three counted.
  EXPECT_NEAR(squares / samples, 1.0, 3.0 * std::sqrt(2.0 / samples));
}

// Truth: the same, with a fifth of all spots hidden: tracks go on behind them.
TEST(FollowMarkers, GoesOnWhereMarkersAreHidden) {
  const Scene scene({.noise_px = 0.1, .hidden_fraction = 0.2}, 8);
  const MarkerTracks tracks = scene.Follow();
  int longest = 0;
  for (const MarkerTrack& track : tracks.tracks) {
    const int marker = scene.Nearest(track.samples.front()).first;
    for (const MarkerSample& sample : track.samples) EXPECT_EQ(scene.Nearest(sample).first, marker);
    longest = std::max(longest, track.samples.back().instant - track.samples.front().instant + 1);
  }
  EXPECT_GE(longest, 15);
}

// Truth: the layout. The flight before the impact lasts some 24 frames.
TEST(LargestRigidGroup, IsTheBody) {
  const Scene scene({.noise_px = 0.05}, 9);
  const MarkerTracks tracks = scene.Follow();
  const RigidGroup group = LargestRigidGroup(tracks);
  ASSERT_EQ(group.tracks.size(), 6u);
  EXPECT_GE(group.instants, 6);
  std::vector<int> marker;
  for (const int track : group.tracks) {
    marker.push_back(
        scene.Nearest(tracks.tracks[static_cast<std::size_t>(track)].samples.front()).first);
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) {
      const auto place = [&](int k) {
        return scene.trial.body
            .markers[static_cast<std::size_t>(marker[static_cast<std::size_t>(k)])]
            .p_BM;
      };
      EXPECT_NEAR(group.distances(i, j), (place(i) - place(j)).norm(), 0.001);
    }
  }
  EXPECT_THAT(DescribeRigidGroup(group, LayoutOf(scene.trial)),
              testing::HasSubstr("the layout has all 15 distances between them"));
}

// Truth: one marker of the layout is 12 mm from where it was glued: five distances are wrong.
TEST(DescribeRigidGroup, NamesTheDistancesThatALayoutLacks) {
  const Scene scene({.noise_px = 0.05}, 10);
  MarkerLayout layout = LayoutOf(scene.trial);
  layout.p_BM[2] += Eigen::Vector3d(0.004, 0.009, 0.007);
  const std::string text = DescribeRigidGroup(LargestRigidGroup(scene.Follow()), layout);
  EXPECT_THAT(text, testing::HasSubstr("6 markers move as one body"));
  EXPECT_THAT(text, testing::HasSubstr("of the 15 distances between them, not "));
  EXPECT_EQ(DescribeRigidGroup({}, layout), "");
}

// Truth: the layout, seen by a right camera that exposes a third of a frame after the left one. The
// body moves by up to 6 mm in that time.
TEST(FollowMarkers, KnowsWhenEachCameraExposed) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.right_offset = 1.0 / 360.0;
  std::mt19937 random(12);
  const auto spots = MakeSpots(trial, {.noise_px = 0.05, .clutter = false}, &random);
  std::vector<StereoSpots> instants;
  for (std::size_t k = 0; k < spots[0].frames.size(); ++k) {
    instants.push_back({.time = spots[0].frames[k].time,
                        .blobs = {spots[0].frames[k].blobs, spots[1].frames[k].blobs}});
    instants.back().exposure[1].after = trial.right_offset;
  }
  const MarkerTracks tracks = FollowMarkers(ViewsOf(trial.calibration), instants,
                                            trial.body.marker_diameter, trial.gravity);
  const RigidGroup group = LargestRigidGroup(tracks);
  EXPECT_EQ(group.tracks.size(), 6u);
  EXPECT_THAT(DescribeRigidGroup(group, LayoutOf(trial)),
              testing::HasSubstr("the layout has all 15 distances between them"));
}

TEST(FollowMarkers, HasNothingToSayOfNothing) {
  const Scene scene({.noise_px = 0.1}, 11);
  EXPECT_TRUE(FollowMarkers(scene.views, {}, 0.008, scene.trial.gravity).tracks.empty());
  const std::vector<StereoSpots> empty(10);
  EXPECT_TRUE(FollowMarkers(scene.views, empty, 0.008, scene.trial.gravity).tracks.empty());
  EXPECT_TRUE(LargestRigidGroup({}).tracks.empty());
}

}  // namespace
}  // namespace percuss::tracking
