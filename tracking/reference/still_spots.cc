// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/reference/still_spots.h"

#include <algorithm>

#include "tracking/spots/static_spots.h"

namespace percuss::tracking {

std::vector<StillSpot> FindStillSpots(const VideoSpots& video) {
  std::vector<std::vector<Eigen::Vector2d>> pixels;
  for (const FrameBlobs& frame : video.frames) {
    std::vector<Eigen::Vector2d>& centres = pixels.emplace_back();
    for (const Blob& blob : frame.blobs) centres.push_back(blob.centre);
  }
  const StaticPlaces places = FindStaticPlaces(pixels);
  std::vector<StillSpot> still(static_cast<std::size_t>(places.count));
  for (StillSpot& spot : still) spot.covariance.setZero();
  const auto for_each = [&](const auto& use) {
    for (std::size_t k = 0; k < video.frames.size(); ++k) {
      for (std::size_t j = 0; j < video.frames[k].blobs.size(); ++j) {
        if (places.place[k][j] >= 0) use(still[places.place[k][j]], video.frames[k].blobs[j]);
      }
    }
  };
  for_each([](StillSpot& spot, const Blob& blob) {
    spot.pixel += blob.centre;
    spot.covariance += blob.covariance;
    spot.area += blob.area;
    ++spot.frames;
  });
  for (StillSpot& spot : still) {
    spot.pixel /= spot.frames;
    spot.covariance /= spot.frames;
    spot.area /= spot.frames;
  }
  std::vector<double> scatter(still.size(), 0.0);  // mean square distance
  for_each([&](StillSpot& spot, const Blob& blob) {
    scatter[static_cast<std::size_t>(&spot - still.data())] +=
        (blob.centre - spot.pixel).squaredNorm() / spot.frames;
  });
  for (std::size_t i = 0; i < still.size(); ++i) {
    Eigen::Matrix2d& covariance = still[i].covariance;
    if (scatter[i] <= covariance.trace()) continue;
    if (covariance.trace() > 0.0) {
      covariance *= scatter[i] / covariance.trace();
    } else {
      covariance = 0.5 * scatter[i] * Eigen::Matrix2d::Identity();
    }
  }
  return still;
}

}  // namespace percuss::tracking
