// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "tracking/flights/flight_motion.h"
#include "tracking/labels/marker_tracking.h"
#include "tracking/layout/marker_configuration.h"
#include "tracking/layout/outline_fit.h"

namespace percuss::tracking {

/// A trial while the layout is being found.
struct LayoutTrial {
  capture::Trial trial;
  UnnamedTrial unnamed;
  TrackedTrial tracked = {};  ///< labelled with the layout of the round
};

/// Labels the spots of a trial with a layout (LabelBody).
void LabelWith(const capture::MarkedBody& body, const Views& views, LayoutTrial* trial);

/// The places of labelled markers that fit their sightings in all trials best while the poses stay:
/// one Gauss-Newton step for each marker. `sightings` are counted anew, by camera and frame.
void RefinePlaces(const Views& views, std::span<const LayoutTrial> trials,
                  const capture::MarkedBody& body, std::vector<PlacedMarker>* markers);

/// Pictures of the body in free flight, `count` of each camera, evenly chosen.
/// @throws InputError naming file and frame
std::vector<BodyPicture> ReadBodyPictures(const capture::Experiment& experiment,
                                          const capture::MarkedBody& body, const Views& views,
                                          const LayoutTrial& trial, int trial_number, int count);

}  // namespace percuss::tracking
