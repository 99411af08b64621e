// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "fitting/result/findings.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

inline constexpr char kFitFormat[] = "percuss fit 1";

/// Everything fit.json holds.
struct FitReport {
  std::vector<LawFit> laws;
  int num_laws_left = 0;  ///< that are still being fitted; then nothing but `laws` is there
  std::vector<AuditFinding> audit;
  std::vector<ContactNumbers> impacts;            ///< that can be used, by no law
  std::vector<PixelFit> pixels;                   ///< where a fit to the pixels was asked for
  std::vector<NextDropAdvice> next_drop;          ///< where advice was asked for
  std::vector<LawPosePredictions> over_poses;     ///< where nobody measured the poses
  std::vector<RepeatabilityStudy> repeatability;  ///< where trials are grouped
  std::optional<ErrorBudget> error_budget;        ///< none where no impact was used
};

/// What a report says of one law, and of the data.
FitReport OfLaw(FitReport report, const std::string& law);

/// A number that is not finite is written as null; in ci95 of a fitted parameter null is an open
/// end.
std::string FitReportJson(const FitReport& report, const Provenance& provenance);
/// The findings, and what the impacts say of themselves, in the same form.
std::string AuditJson(const std::vector<AuditFinding>& findings,
                      const std::vector<ContactNumbers>& impacts, const Provenance& provenance);
void WriteFit(const FitReport& report, const Provenance& provenance,
              const std::filesystem::path& file);
/// @throws InputError naming file, field, what was found and what is allowed.
FitReport ReadFit(const std::filesystem::path& file);

}  // namespace percuss::fitting
