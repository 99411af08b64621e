// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "calibration/rig/triangulation.h"
#include "report/facts/run_folder.h"
#include "solver/body/flight.h"

namespace percuss::report {

// Where a body is, and how it looks in a picture: what frame strips and overlay videos draw.

using Flight = solver::FlightState<double>;

/// At rest.
Flight StateOf(const PlaceFacts& place);

/// Corners of the body's outline in the picture [px], anticlockwise where y points up; none if a
/// part of it is behind the camera.
std::vector<Eigen::Vector2d> OutlineInPicture(const Flight& state, const TrialPictures& body,
                                              const calibration::View& view);

/// What a law (may be nullptr) says of an impact; nullptr if nothing.
const TrialComparison* FindComparison(const LawFit* law, const std::string& impact);

/// Where a law has the body after an impact: the free flight from the pose at the impact with the
/// velocities that it predicts. Nothing before the impact, or where the law is silent.
std::optional<Flight> PredictedAt(const TrialPictures& body, const ImpactPictures& impact,
                                  const TrialComparison* comparison, double time);

}  // namespace percuss::report
