// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "tracking/labels/marker_filter.h"
#include "tracking/pose/body_pose.h"

namespace percuss::pipeline {

/// Markers of a layout for markers that move as one body, by their distances alone.
struct DistanceMatch {
  std::vector<int> marker_of;  ///< of each of the group; -1: none fits
  int matched = 0;
  double scale = 1.0;  ///< stated over measured distances
  double sigma = 0.0;  ///< of `scale`, from how the distances differ from each other
};

/// The markers of a layout that have the distances of a group but for a common factor: from three
/// of them on, more are taken while all distances agree to 1 % and 1.5 mm of the layout. Factors
/// that match as many markers, at least 4, each once; none if there are not so many.
std::vector<DistanceMatch> MatchDistances(const tracking::RigidGroup& group,
                                          const tracking::MarkerLayout& layout);

}  // namespace percuss::pipeline
