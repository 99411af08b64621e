// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "report/facts/run_folder.h"
#include "report/page/document.h"

namespace percuss::report {

// What the short names in the files mean to a reader. Names that are not known stay as they are.

/// A law whose misfit chance gives more rarely does not explain the data.
inline constexpr double kUnlikely = 0.01;

std::string LawInWords(const std::string& law);
std::string ParameterInWords(const std::string& parameter);
/// "0.2599", "≥ 0.26", "≤ 0.26" or "not known", without sigma.
std::string ValueInWords(const ParameterEstimate& parameter);
/// "the data only bound it from below", ...
std::string StatusInWords(fitting::ParameterStatus status);
std::string TrialStatusInWords(const std::string& status);
/// "slip, then stick"; "-" for laws without modes.
std::string ModesInWords(const std::vector<std::string>& modes);
/// "a, b and c".
std::string Join(const std::vector<std::string>& words);

/// Whether the best law explains the impacts: one sentence.
/// @param alone no other law was fitted
Finding LawInVerdict(const LawFit& best, bool alone);
/// The drop that would narrow the intervals of the best law most: one line; empty where none would.
std::string NextDropInWords(const fitting::FitReport& fit, const LawFit& best);
/// "mu, the friction coefficient, is 0.260 ± 0.002 ...": one sentence, with unit and interval.
std::string EstimateInWords(const ParameterEstimate& parameter);
/// The generated paragraph: what was measured and how.
std::string RunInWords(const RunFolder& run);

}  // namespace percuss::report
