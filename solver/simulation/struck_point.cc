// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/struck_point.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solver/impact_history.h"
#include "solver/multi_contact/contact_duration.h"

namespace percuss::solver {
namespace {

// The peaks of a point after one more event; not a number before its first, and for good where an
// event has no force over time.
void AddEvent(const ContactPeaks& own, bool first, ContactPeaks* peaks) {
  if (first || !std::isfinite(own.duration)) {
    *peaks = own;
  } else if (std::isfinite(peaks->duration)) {
    *peaks = {peaks->duration + own.duration, std::max(peaks->force, own.force),
              std::max(peaks->compression, own.compression), own.last_compression};
  }
}

}  // namespace

std::vector<StruckPoint> StruckPoints(const MultiImpactProblem& problem,
                                      const MultiImpactSummary& summary,
                                      const ForceOverTime& over_time) {
  std::vector<StruckPoint> struck(problem.points.size());
  std::vector<int> num_events(struck.size());
  for (std::size_t e = 0; e < summary.events.size(); ++e) {
    const ImpactEvent& event = summary.events[e];
    for (const ImpactPhase& phase : event.phases) {
      for (std::size_t k = 0; k < event.points.size(); ++k) {
        if (phase.modes[k] == PointMode::kOff) continue;
        struck[event.points[k]].modes.push_back(
            phase.modes[k] == PointMode::kStick ? ContactMode::kStick : ContactMode::kSlip);
      }
    }
    if (!over_time.material) continue;
    const ContactDuration duration =
        AugmentEvent(problem, summary, static_cast<int>(e), *over_time.material);
    for (std::size_t k = 0; k < event.points.size(); ++k) {
      const int point = event.points[k];
      AddEvent(PeaksOf(duration, static_cast<int>(k)), num_events[point]++ == 0,
               &struck[point].peaks);
    }
  }
  return struck;
}

StruckPoint StruckBy(std::string_view law, const Contact<double>& contact,
                     const std::vector<double>& parameters, const ImpactResult<double>& result,
                     const ForceOverTime& over_time) {
  StruckPoint struck{.modes = result.modes};
  if (over_time.stiffness) {
    struck.peaks = PeaksOf(FollowSolvedContact(law, contact, parameters, *over_time.stiffness));
  }
  return struck;
}

}  // namespace percuss::solver
