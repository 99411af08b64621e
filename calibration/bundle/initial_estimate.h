// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "calibration/bundle/bundle.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// Numberings of the target points that its picture cannot tell apart: the point at place k of one
/// image may be the point order[k] of another. The first is the identity.
using PointOrders = std::vector<std::vector<std::size_t>>;

/// The identity alone where the picture fixes the order; otherwise with the half turn, and the
/// quarter turns of a board of as many columns as rows.
PointOrders PossibleOrders(const capture::Board& board, bool order_known);

/// Start values of all cameras and poses from used points: each camera alone (OpenCV), then the
/// relative poses of the cameras that most views agree on. Where the target's picture leaves the
/// numbering open, the points of each image are renumbered as they fit the first camera that sees
/// them.
/// Ends of known distances are placed in space.
/// @returns False if some camera has no view in common with those before it: then its pose is open.
bool EstimateStart(Bundle* bundle, const PointOrders& orders, int num_threads);

/// How the cameras of a rig stand to each other, as one board that all of them see has it.
struct BoardPlace {
  bool found = false;         ///< in each camera that sees it
  double angle = 0.0;         ///< largest, between their rotations and those of the rig [rad]
  double length_ratio = 1.0;  ///< distance between the cameras in the rig over that by the board
};

/// The pose of the one view of a bundle whose cameras are known, from the first camera that sees
/// the board. Where the picture leaves the numbering open, and where perspective leaves a tilt
/// open, the ones are taken with which the cameras stand to each other as the rig has it.
BoardPlace PlaceBoard(const PointOrders& orders, Bundle* bundle);

/// AdjustBundle, and again as long as a view has, among the poses that single cameras allow, one on
/// which all cameras agree clearly better: a small or distant board looks nearly the same tilted
/// either way, and cameras that are adjusted tell more views apart than those of the start.
AdjustmentSummary AdjustPosesAndTilts(Bundle* bundle, const AdjustmentOptions& options);

}  // namespace percuss::calibration
