// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "tracking/spots/stereo_spots.h"

namespace percuss::tracking {

struct StaticSpotOptions {
  double radius_px = 1.0;    ///< a spot stands still while it stays this near to where it began
  double min_share = 0.7;    ///< of all instants: the body may pass before it
  int max_missing_ends = 5;  ///< instants without it at the start and at the end
};

/// Which spots of one view stand still from the first to the last instant.
struct StaticPlaces {
  int count = 0;                        ///< places
  std::vector<std::vector<int>> place;  ///< of each spot of each instant: its number, or -1
};

/// @param pixels of the spots of each instant
StaticPlaces FindStaticPlaces(const std::vector<std::vector<Eigen::Vector2d>>& pixels,
                              const StaticSpotOptions& options = {});

/// Takes away the spots of things that are no part of the body: what stands still from the first to
/// the last instant in one view. A marker at rest before its release, or after it came to rest, is
/// absent at the other end. Sequences shorter than four times `max_missing_ends` are left alone.
/// @return how many places were found, both views
int RemoveStaticSpots(std::vector<StereoSpots>* instants, const StaticSpotOptions& options = {});

}  // namespace percuss::tracking
