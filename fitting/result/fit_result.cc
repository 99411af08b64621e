// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/result/fit_result.h"

#include <cmath>

namespace percuss::fitting {

std::string_view NameOf(ParameterStatus status) {
  switch (status) {
    case ParameterStatus::kIdentified:
      return "identified";
    case ParameterStatus::kLowerBound:
      return "lower_bound";
    case ParameterStatus::kUpperBound:
      return "upper_bound";
    case ParameterStatus::kUnidentified:
      return "unidentified";
    case ParameterStatus::kGiven:
      return "given";
  }
  return "";
}

std::vector<ParameterStatus> AllValues(ParameterStatus) {
  return {ParameterStatus::kIdentified, ParameterStatus::kLowerBound, ParameterStatus::kUpperBound,
          ParameterStatus::kUnidentified, ParameterStatus::kGiven};
}

bool IsWeaklyIdentified(const ParameterEstimate& estimate) {
  const double width = estimate.ci95[1] - estimate.ci95[0];
  return estimate.status == ParameterStatus::kIdentified && 3.0 * width > std::abs(estimate.value);
}

bool IsKnown(const ParameterEstimate& estimate) {
  return estimate.status == ParameterStatus::kIdentified ||
         estimate.status == ParameterStatus::kGiven;
}

const LawFit& BestLaw(const std::vector<LawFit>& laws) {
  const LawFit* best = &laws.front();
  for (const LawFit& law : laws) {
    if (law.converged && (law.aicc < best->aicc || !std::isfinite(best->aicc)) &&
        std::isfinite(law.aicc))
      best = &law;
  }
  return *best;
}

}  // namespace percuss::fitting
