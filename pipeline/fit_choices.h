// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "fitting/fit_report.h"
#include "tracking/track_files.h"

// What a user can ask of a fit of coefficients, the same in `percuss fit` and `percuss run`.
namespace percuss::pipeline {

struct FitChoices {
  std::vector<std::string> laws = {"stronge", "poisson", "newton"};  ///< names, or "all"
  std::vector<std::string> models;                                   ///< PARAMETER=MODEL
  std::string group;                                                 ///< COLUMN[:PARAMETER,...]
  std::vector<std::string> fix;  ///< PARAMETER=VALUE±SIGMA, or a file of percuss measure --json
  bool scatter = false;
  bool robust = false;
  int bootstrap = 0;
};

/// @param stated in the experiment file: given parameters, unless FitChoices::fix has others.
/// @throws std::invalid_argument for an unknown law, model or parameter, or a value that is none.
/// @throws InputError for a file in FitChoices::fix that is not from percuss measure.
fitting::FitOptions FitOptionsOf(const FitChoices& choices, const capture::Coefficients& stated,
                                 int num_threads);

/// The choices as a command line has them, each with a blank before it, without what is default.
std::string CommandLineOf(const FitChoices& choices);

/// The typed standard deviations of the body for an error budget.
fitting::BodyTolerances TolerancesOf(const capture::BodySigmas& sigma);

/// What the report of a run's fit is told: the choices, and of the experiment the flights' gravity,
/// the typed sigmas of the body and the columns of groups.
fitting::FitReportOptions ReportOptionsOf(const FitChoices& choices, int num_threads,
                                          const capture::Experiment& experiment,
                                          const std::vector<tracking::TrialSummary>& trials);

}  // namespace percuss::pipeline
