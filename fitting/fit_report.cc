// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/fit_report.h"

#include "fitting/audit/contact_numbers.h"
#include "fitting/audit/repeatability.h"
#include "fitting/next_drop.h"
#include "fitting/pose_prediction.h"

namespace percuss::fitting {

FitReport MakeFitReport(const PreparedImpacts& data, const FitReportOptions& options) {
  FitReport report;
  report.laws = FitCoefficients(data, options.fit);
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
    for (const std::string& law : options.fit.laws)
      report.over_poses.push_back(PredictOverPoses(law, data, options.fit.given, *options.priors));
  }
  report.error_budget = CalcErrorBudget(report.laws.front(), data, options.tolerances);
  report.repeatability = StudyRepeatability(data, report.laws.front().law, options.group_columns);
  return report;
}

}  // namespace percuss::fitting
