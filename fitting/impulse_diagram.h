// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fitting/model/prepared_impacts.h"
#include "fitting/result/impulse_files.h"

namespace percuss::fitting {

/// One diagram for each trial that the fit used. Sigmas are first order in the errors of the state;
/// where the table states none, they are those that the fit found (LawFit::interval_scale). Path
/// and friction need parameters that are the same in all trials.
std::vector<ImpulseDiagram> CalcImpulseDiagrams(const PreparedImpacts& data, const LawFit& fit);

}  // namespace percuss::fitting
