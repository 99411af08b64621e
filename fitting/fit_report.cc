// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/fit_report.h"

#include <algorithm>
#include <string>

#include "fitting/audit/contact_numbers.h"
#include "fitting/audit/repeatability.h"
#include "fitting/next_drop.h"
#include "fitting/pose_prediction.h"
#include "solver/multi_contact/multi_impact_problem.h"

namespace percuss::fitting {

FitReport MakeFitReport(const PreparedImpacts& data, const FitReportOptions& options) {
  FitReport report;
  FitOptions fit = options.fit;
  const auto landed_on_several = [](const Impact& impact) {
    return impact.geometry.touching.size() > 1;
  };
  if (options.default_laws && std::ranges::any_of(data.impacts, landed_on_several)) {
    fit.laws.insert(fit.laws.begin(), std::string(solver::kMultiPoint));
  }
  report.laws = FitCoefficients(data, fit);
  report.audit = AuditGravity(options.flights);
  for (AuditFinding& finding : AuditImpacts(data, {.columns = options.columns,
                                                  .estimated_sigmas = options.estimated_sigmas,
                                                  .fits = &report.laws})) {
    report.audit.push_back(std::move(finding));
  }
  report.impacts = CalcContactNumbers(data);
  if (options.next_drop) {
    for (const LawFit& law : report.laws) report.next_drop.push_back(AdviseNextDrop(law, data));
  }
  if (options.priors != nullptr) {
    for (const std::string& law : fit.laws)
      report.over_poses.push_back(PredictOverPoses(law, data, fit.given, *options.priors));
  }
  report.error_budget = CalcErrorBudget(report.laws.front(), data, options.tolerances);
  report.repeatability = StudyRepeatability(data, report.laws.front().law, options.group_columns);
  return report;
}

}  // namespace percuss::fitting
