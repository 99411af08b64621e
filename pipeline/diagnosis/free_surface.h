// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "pipeline/judgement/judgement.h"

namespace percuss::pipeline {

/// The surface as the flights show it, whatever picture was taken of it.
struct FreeSurface {
  Judgement judgement;
  double turned_deg = 0.0;  ///< by how much it leans against the typed one
  double shifted = 0.0;     ///< how far along its normal it lies from there [m]
};

/// Turns W until the bodies fall as stated and shifts it until they touch z = 0, first by what
/// moves at a constant acceleration (MeasureFreeFall), then by the fitted flights, and judges what
/// comes out. What no gravity shows, a turn about it and a shift across it, stays.
/// @returns nothing where nothing falls, there is still something to complain of, or the surface is
/// within half a degree and 5 mm where it was.
std::optional<FreeSurface> FindFreeSurface(const capture::Experiment& experiment,
                                           const calibration::RigCalibration& calibration,
                                           Recordings* recordings);

}  // namespace percuss::pipeline
