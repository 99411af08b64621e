// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capture/experiment.h"
#include "tracking/contact_point.h"
#include "tracking/flight_segmentation.h"
#include "tracking/impact_arcs.h"
#include "tracking/impact_record.h"
#include "tracking/marker_scale.h"
#include "tracking/marker_tracking.h"

namespace percuss::tracking {

struct TrialOptions {
  TrackingOptions tracking;
  SegmentationOptions segmentation;
  ArcFitOptions arcs;
  ContactOptions contact;
};

/// One impact with all that led to it.
struct TrialImpact {
  ImpactRecord record;
  ImpactFit fit;
  ContactChoice contact;
};

/// What became of one trial.
struct TrialResult {
  enum class Status { kOk, kBadInput, kNoAnswer };
  std::string trial;
  Status status = Status::kNoAnswer;
  std::string message = "not processed";  ///< one line when status is not kOk
  TrackedTrial tracked;
  std::vector<FlightArc> flights;
  std::vector<TrialImpact> impacts;
  MarkerScale marker_scale;
  std::vector<std::string> warnings;
};

/// All markers that both views see in the same frame.
std::vector<MarkerPoint> TriangulateMarkers(const TrackedTrial& tracked,
                                            const calibration::RigCalibration& calibration);

/// From two videos to the states just before and just after each impact: TrackMarkers,
/// FindFlightArcs, FindImpacts, FitImpactArcs, ChooseContact. Never throws for a bad trial: the
/// status says so, and other trials can go on.
TrialResult ProcessTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                         const calibration::RigCalibration& calibration,
                         const TrialOptions& options = {});

}  // namespace percuss::tracking
