// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/requests/multi_impact_request.h"
#include "solver/multi_contact/contact_duration.h"

namespace percuss::app {

/// The forces of each event over time, if the request has a `material`; else empty.
std::vector<solver::ContactDuration> DurationsOf(const MultiImpactRequest& request,
                                                 const solver::MultiImpactSummary& summary);

/// What `percuss impact` prints of an impact at several points (docs/file-formats.md): vectors of
/// points in world axes for a body, else in rows (t, n) or (t1, t2, n) of each point. Where there
/// is no answer its numbers are null and `reason` says why.
nlohmann::ordered_json AnswerOf(const MultiImpactRequest& request,
                                const solver::MultiImpactSummary& summary,
                                const std::vector<solver::ContactDuration>& durations);

/// `percuss impact --history`: one row for each event, time and point of the event.
std::string HistoryCsv(const MultiImpactRequest& request, const solver::MultiImpactSummary& summary,
                       const std::vector<solver::ContactDuration>& durations);

}  // namespace percuss::app
