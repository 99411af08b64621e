// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/static_spots.h"

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace percuss::tracking {
namespace {

/// A place in one image, and when a spot was there.
struct Place {
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  int first = 0, last = 0, count = 0;
};

/// Places by cells of a raster as wide as the radius, so that a search looks at nine cells.
class PlaceMap {
 public:
  explicit PlaceMap(double radius_px) : radius_(radius_px) {}

  /// The place within the radius of a pixel that is nearest to it, or -1.
  int Find(const Eigen::Vector2d& pixel) const {
    int nearest = -1;
    double distance = radius_;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const auto cell = cells_.find(Key(pixel, dx, dy));
        if (cell == cells_.end()) continue;
        for (const int place : cell->second) {
          const double from = (places_[place].pixel - pixel).norm();
          if (from > distance) continue;
          distance = from;
          nearest = place;
        }
      }
    }
    return nearest;
  }

  void Add(const Eigen::Vector2d& pixel, int instant) {
    int index = Find(pixel);
    if (index < 0) {
      index = static_cast<int>(places_.size());
      places_.push_back({pixel, instant, -1, 0});
      cells_[Key(pixel, 0, 0)].push_back(index);
    }
    Place& place = places_[index];
    place.count += place.last != instant;
    place.last = instant;
  }

  const std::vector<Place>& Places() const { return places_; }

 private:
  std::int64_t Key(const Eigen::Vector2d& pixel, int dx, int dy) const {
    const auto x = static_cast<std::int64_t>(std::floor(pixel.x() / radius_)) + dx;
    const auto y = static_cast<std::int64_t>(std::floor(pixel.y() / radius_)) + dy;
    return y * 1'000'000 + x;
  }

  double radius_;
  std::vector<Place> places_;
  std::unordered_map<std::int64_t, std::vector<int>> cells_;
};

}  // namespace

StaticPlaces FindStaticPlaces(const std::vector<std::vector<Eigen::Vector2d>>& pixels,
                              const StaticSpotOptions& options) {
  StaticPlaces result;
  const int count = static_cast<int>(pixels.size());
  for (const auto& spots : pixels) result.place.emplace_back(spots.size(), -1);
  if (count < 4 * options.max_missing_ends) return result;
  PlaceMap map(options.radius_px);
  for (int k = 0; k < count; ++k) {
    for (const Eigen::Vector2d& pixel : pixels[k]) map.Add(pixel, k);
  }
  std::vector<int> number;
  for (const Place& place : map.Places()) {
    const bool is_static = place.first <= options.max_missing_ends &&
                           place.last >= count - 1 - options.max_missing_ends &&
                           place.count >= options.min_share * count;
    number.push_back(is_static ? result.count++ : -1);
  }
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    for (std::size_t j = 0; j < pixels[k].size(); ++j) {
      const int place = map.Find(pixels[k][j]);
      if (place >= 0) result.place[k][j] = number[place];
    }
  }
  return result;
}

int RemoveStaticSpots(std::vector<StereoSpots>* instants, const StaticSpotOptions& options) {
  int num_static = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<std::vector<Eigen::Vector2d>> pixels;
    for (const StereoSpots& spots : *instants) {
      auto& here = pixels.emplace_back();
      for (const Blob& blob : spots.blobs[side]) here.push_back(blob.centre);
    }
    const StaticPlaces places = FindStaticPlaces(pixels, options);
    num_static += places.count;
    for (std::size_t k = 0; k < instants->size(); ++k) {
      std::vector<Blob> moving;
      const std::vector<Blob>& all = (*instants)[k].blobs[side];
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (places.place[k][j] < 0) moving.push_back(all[j]);
      }
      (*instants)[k].blobs[side] = std::move(moving);
    }
  }
  return num_static;
}

}  // namespace percuss::tracking
