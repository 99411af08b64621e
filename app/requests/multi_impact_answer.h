// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/requests/multi_impact_request.h"

namespace percuss::app {

/// What `percuss impact` prints of an impact at several points (docs/file-formats.md): vectors of
/// points in world axes for a body, else in rows (t, n) or (t1, t2, n) of each point. Where there
/// is no answer its numbers are null and `reason` says why.
nlohmann::ordered_json AnswerOf(const MultiImpactRequest& request,
                                const solver::MultiImpactSummary& summary);

}  // namespace percuss::app
