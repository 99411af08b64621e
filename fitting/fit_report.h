// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fitting/audit/audit.h"
#include "fitting/audit/error_budget.h"
#include "fitting/audit/gravity_audit.h"
#include "fitting/estimate/coefficient_fit.h"
#include "fitting/model/prepared_impacts.h"
#include "fitting/result/fit_files.h"
#include "impacts/pose_prior.h"

namespace percuss::fitting {

struct FitReportOptions {
  FitOptions fit = {};
  /// Nobody named the laws: the law of several points comes first where bodies landed on several.
  bool default_laws = false;
  /// Where the impacts came from, if from a described table: AuditOptions.
  const TableColumns* columns = nullptr;
  bool estimated_sigmas = false;
  std::vector<FlightGravity> flights = {};      ///< gravity as the flights before and after show it
  BodyTolerances tolerances = {};               ///< for the error budget
  std::vector<std::string> group_columns = {};  ///< StudyRepeatability over these
  bool next_drop = false;                       ///< AdviseNextDrop for every law
  /// Where nobody measured the poses: PredictOverPoses for every law.
  const impacts::PosePriors* priors = nullptr;
};

/// All that can be said of a table of impacts, in order: coefficients of every law, audit of the
/// data, advice on the next drop, predictions over poses, error budget and repeatability with the
/// first law. The fit to the pixels (FitReport::pixels) needs the videos and is the pipeline's.
/// @throws std::invalid_argument as FitCoefficients and CalcErrorBudget.
FitReport MakeFitReport(const PreparedImpacts& data, const FitReportOptions& options);

}  // namespace percuss::fitting
