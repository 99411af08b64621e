// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/requests/impact_request.h"
#include "solver/contact/contact_peaks.h"
#include "solver/law/impact_law.h"

namespace percuss::app {

/// What `percuss impact` prints of an impact at one point (docs/file-formats.md).
nlohmann::ordered_json AnswerOf(const ImpactRequest& request,
                                const solver::ImpactResult<double>& result);
/// The same of a mechanism that vibrates meanwhile.
nlohmann::ordered_json AnswerOf(const ImpactRequest& request,
                                const solver::VibratingImpact& impact);

/// "slip", "stick", ... in order.
nlohmann::ordered_json ModesJson(const solver::ModeSequence& modes);

/// What the force over time comes to: duration, largest, compression, permanent_indentation.
nlohmann::ordered_json PeaksJson(const solver::ContactPeaks& peaks);

}  // namespace percuss::app
