// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// Something that was looked at in a picture, and what became of it.
struct InspectedSpot {
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  std::string marker;   ///< whose image it is; empty: it was rejected
  std::string fault;    ///< why, in two or three words, the same for all such spots
  std::string reason;   ///< why, with the numbers and limits of this one
  bool common = false;  ///< of a kind that pictures are full of, and that says little
};

/// What one camera saw of an instant.
struct InspectedView {
  std::optional<int> frame;  ///< of its video; nothing where it has none of this time
  bool repeats = false;      ///< the picture before, and nothing is looked for in it
  std::vector<InspectedSpot> spots;
};

struct InspectedFrame {
  double time = 0.0;                   ///< [s], of the left camera's clock
  std::array<InspectedView, 2> views;  ///< left, right
  double rms_px = 0.0;                 ///< of the sightings about the body's pose; NaN without one
  bool in_flight = false;              ///< gravity alone explains it
  bool changed = false;                ///< it contradicts the flight on one side of it
  bool searched = false;               ///< the layout had to be searched in it
  bool pictured = false;               ///< WriteEnhanced writes its pictures
};

/// All frames of both videos in the order of time, with all that was looked at. The reasons:
/// detection (FindSpots), what stands still (FindStaticPlaces), labels (LabelBody).
/// @param spots found with DetectionOptions::keep_rejected
/// @param tracked labelled with LabelOptions::keep_unlabelled; without frames where the labels
///   failed: then frames of both videos with the same number stand beside each other
/// @param every so many left frames are pictured, with the right frames that belong to them
/// @throws std::invalid_argument unless `every` is positive
std::vector<InspectedFrame> InspectTrial(const capture::MarkedBody& body, const TrialSpots& spots,
                                         const TrackedTrial& tracked, int every);

}  // namespace percuss::tracking
