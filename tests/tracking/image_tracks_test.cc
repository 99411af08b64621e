// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/image_tracks.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "tracking/marker_filter.h"

namespace percuss::tracking {
namespace {

Blob SpotAt(double x, double y) {
  Blob blob;
  blob.centre = {x, y};
  blob.covariance = 0.01 * Eigen::Matrix2d::Identity();
  return blob;
}

// Truth: the filter's own model, drawn at random. Each normalised innovation squared is then
// chi-square with 2 degrees of freedom, so the mean of 2000 is 2 within 3 sqrt(4 / 2000).
TEST(MarkerFilter, InnovationsAreAsLargeAsTheFilterSays) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const MarkerFilterOptions options{
      .max_speed_px = 600.0, .acceleration_px = 3000.0, .jerk_density_px = 1e8};
  const double dt = 1.0 / 120.0, sigma = 0.1;
  double sum = 0.0;
  int count = 0;
  for (int run = 0; run < 100; ++run) {
    Eigen::Matrix<double, 3, 2> truth;
    truth << 300.0, 200.0, 300.0 * normal(random), 300.0 * normal(random), 3000.0 * normal(random),
        3000.0 * normal(random);
    const auto measure = [&] {
      return Eigen::Vector2d(truth(0, 0) + sigma * normal(random),
                             truth(0, 1) + sigma * normal(random));
    };
    MarkerFilter filter = StartMarkerFilter(measure(), sigma, options);
    // The process noise of one step has rank three; its Cholesky factor draws it.
    MarkerFilter unit;
    const Eigen::Matrix3d Q = Predict(unit, dt, options).covariance;
    const Eigen::Matrix3d factor = Q.llt().matrixL();
    for (int k = 0; k < 20; ++k) {
      MarkerFilter moved;
      moved.state = truth;
      truth = Predict(moved, dt, options).state;
      for (int axis = 0; axis < 2; ++axis)
        truth.col(axis) += factor * Eigen::Vector3d(normal(random), normal(random), normal(random));
      filter = Predict(filter, dt, options);
      const Eigen::Vector2d pixel = measure();
      sum += NormalisedInnovationSquared(filter, pixel, sigma);
      ++count;
      filter = Update(filter, pixel, sigma);
    }
  }
  EXPECT_NEAR(sum / count, 2.0, 3.0 * std::sqrt(4.0 / count));
}

TEST(LinkBlobs, KeepsTwoCrossingMarkersApart) {
  std::vector<FrameBlobs> frames;
  for (int k = 0; k < 30; ++k)
    frames.push_back({k / 120.0, {SpotAt(100 + 6 * k, 200), SpotAt(280 - 6 * k, 203)}});
  const ImageTracks tracks = LinkBlobs(frames);
  for (const auto& frame : tracks) {
    EXPECT_EQ(frame[0], tracks[0][0]);
    EXPECT_EQ(frame[1], tracks[0][1]);
  }
}

TEST(LinkBlobs, BridgesAShortOcclusionAndEndsAfterALongOne) {
  const auto track_after_gap = [](int gap) {
    std::vector<FrameBlobs> frames;
    for (int k = 0; k < 30; ++k) {
      frames.push_back({k / 120.0, {}});
      if (k < 12 || k >= 12 + gap)
        frames.back().blobs.push_back(SpotAt(100 + 5 * k, 200 + 0.04 * k * k));
    }
    const ImageTracks tracks = LinkBlobs(frames);
    return tracks.back()[0] == tracks.front()[0];
  };
  EXPECT_TRUE(track_after_gap(3));
  EXPECT_FALSE(track_after_gap(6));
}

}  // namespace
}  // namespace percuss::tracking
