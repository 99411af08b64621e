// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

#include "report/facts/run_folder.h"
#include "report/page/document.h"

namespace percuss::report {

/// The address of what is shown of a trial, in the page or in a file beside it; empty: nothing.
using PlaceOfTrial = std::function<std::string(const std::string& trial)>;

/// Predicted over measured dissipation of all trials, with bars of 95 %. Each mark says its trial
/// and values where a mouse rests on it, and leads to the trial.
Figure DissipationScatter(const LawFit& law, const PlaceOfTrial& place_of);

}  // namespace percuss::report
