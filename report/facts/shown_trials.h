// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "report/facts/run_folder.h"

namespace percuss::report {

// Which of many trials the report shows: a page has room for a dozen with pictures and plots, a
// plot for some hundred marks.

/// Finds the trial of an impact: the first of trial `a` is `a`, later ones `a-2`, `a-3`. Keeps the
/// names of the trials where they are.
class TrialsByImpact {
 public:
  explicit TrialsByImpact(const std::vector<TrialFacts>& trials);
  /// The place in the list of trials.
  std::optional<std::size_t> Find(std::string_view impact) const;

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
};

/// A plot marks all impacts of the fit, or of more than so many those that its first law explains
/// worst. A mark says its impact and leads to its trial.
inline constexpr std::size_t kMostMarks = 200;
/// The impacts that are marks; nothing: all are.
std::optional<std::unordered_set<std::string>> MarkedImpacts(const RunFolder& run);
/// The trials and impacts of which tables show rows, where they are more than kMostMarks: those
/// that failed, and those that the first law explains worst. Nothing: the first.
std::optional<std::unordered_set<std::string>> TabledTrials(const RunFolder& run);

// Places of trials, in the order of the run.
/// With pictures and plots: all, or of many those that failed and those with an impact that the
/// first law explains worst.
std::vector<std::size_t> FiguredTrials(const RunFolder& run);
/// In three dimensions: those with an impact; of many a dozen from the worst explained to the best,
/// in this order.
std::vector<std::size_t> ViewedTrials(const RunFolder& run);
/// With a page of their own, since a mark leads to them and the report has no room.
std::vector<std::size_t> TrialsWithPages(const RunFolder& run);

/// RunFolder::impulses, where there is a whole fit: the paths of trials that are shown, the
/// energies of all.
/// @throws InputError naming file and field of what is broken.
void ReadImpulses(RunFolder* run);

}  // namespace percuss::report
