// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/text/json_field.h"
#include "tracking/slides/slide.h"

namespace percuss::tracking {

/// `slide` of trial.json (docs/file-formats.md); points and warnings are elsewhere.
nlohmann::json SlideJson(const SlideEstimate& slide);
/// @throws InputError naming file and field for what is not that.
SlideEstimate SlideOf(const JsonField& field);

/// slide.csv: frame, time [s], s and s_fitted [m], slope_deg.
std::string SlideCsv(const SlideEstimate& slide);

}  // namespace percuss::tracking
