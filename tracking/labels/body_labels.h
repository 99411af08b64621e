// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracking/labels/body_filter.h"
#include "tracking/labels/layout_search.h"
#include "tracking/pose/tracked_frame.h"
#include "tracking/spots/stereo_spots.h"

namespace percuss::tracking {

/// Which spots of one instant are which markers.
struct InstantLabels {
  std::vector<MarkerObservation> observations;
  PoseEstimate pose;  ///< of these observations; found = false for fewer than three markers
  std::vector<UnlabelledSpot> unlabelled = {};  ///< where LabelOptions::keep_unlabelled
};

struct LabelOptions {
  BodyFilterOptions filter;
  LayoutSearchOptions search;
  double min_facing = 0.05;  ///< a marker seen at a lower cosine is not looked for
  double gate = 13.8;        ///< squared Mahalanobis distance: 99.9 % of chi-square, 2 coordinates
  double reject_px = 1.0;    ///< a sighting this far from the body's pose loses its label
  double reject_sigmas = 5.0;  ///< likewise, from where the filter predicts it
  /// Too few labels for a pose to check them are kept where the gate is narrower than this.
  double max_blind_gate_px = 1.5;
  bool keep_unlabelled = false;  ///< says of each spot without a label why it has none
  /// Of all searches of a trial together, as LayoutSearchOptions::max_work counts.
  std::int64_t max_work = 16'000'000;
};

/// What the body filter found of the motion. Numbers are places in the sequence of instants.
struct FilterSummary {
  double noise_scale = 1.0;  ///< by which the sigmas of the spots must be multiplied
  Innovations innovations;   ///< over all flights
  std::vector<std::pair<int, int>>
      flights;                ///< first and last instants that gravity alone explains
  std::vector<int> changes;   ///< instants at which a flight is found to have ended or begun
  std::vector<int> searches;  ///< instants at which the layout had to be searched
};

struct BodyLabels {
  std::string reason;  ///< why there are no labels; empty if there are
  std::vector<InstantLabels> instants;
  FilterSummary filter;
};

/// Labels the spots of a trial. The layout is searched in instants spread over the trial; from the
/// best one a body filter goes to both ends. At each instant it predicts where markers will be seen
/// if the body flies on; if what it sees contradicts that, if the body is driven; if that does not
/// explain it either (an impact), the layout is searched around the last pose, then anywhere, and
/// the filter starts afresh. Every labelling is checked against the pose that it gives.
BodyLabels LabelBody(const TrackedBody& body, std::span<const StereoSpots> instants,
                     const LabelOptions& options = {});

}  // namespace percuss::tracking
