// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

/// More are named, and their reasons are in the table of all trials.
constexpr std::size_t kMostFailures = 12;
/// Likewise in a sentence.
constexpr std::size_t kMostNames = 40;

std::string Headline(const RunFolder& run, std::size_t num_failures) {
  if (num_failures == 0) return "Every step of this run gave a result.";
  std::vector<std::string> failed;
  for (const TrialFacts& trial : run.trials) {
    if (trial.status != "ok") failed.push_back(trial.name);
  }
  std::string text = "This run failed in part.";
  if (!failed.empty()) {
    text += fmt::format(" {} of {} gave no impact", failed.size(),
                        Count(std::ssize(run.trials), "trial"));
    text += failed.size() <= kMostNames ? fmt::format(": {}.", Join(failed))
                                        : fmt::format(", from {} to {}, all in tables/trials.csv.",
                                                      failed.front(), failed.back());
  }
  if (!run.fit) text += " There are no coefficients.";
  return text;
}

}  // namespace

std::vector<Finding> Failures(const RunFolder& run) {
  std::vector<Finding> failures;
  for (const TrialFacts& trial : run.trials) {
    if (trial.status == "ok") continue;
    failures.push_back({Level::kFailure, trial.name,
                        fmt::format("{}: {}", TrialStatusInWords(trial.status), trial.message)});
  }
  for (const SlideFacts& slide : run.slides) {
    if (slide.trial.status != "ok")
      failures.push_back({Level::kFailure, slide.trial.name, slide.trial.message});
  }
  for (const std::string& missing : run.missing_parts) {
    failures.push_back({Level::kFailure, "", missing});
  }
  if (!run.fit) return failures;
  for (const LawFit& law : run.fit->laws) {
    if (law.converged) continue;
    failures.push_back({Level::kFailure, law.law, "the fit did not converge: " + law.message});
  }
  return failures;
}

Section SummarySection(const RunFolder& run) {
  Section section{.id = "summary", .title = "What was measured"};
  const std::vector<Finding> failures = Failures(run);
  Findings top;
  for (const std::string& note : run.notes)
    top.findings.push_back({Level::kWarning, "Experiment file", note});
  top.findings.push_back(
      {failures.empty() ? Level::kOk : Level::kFailure, "", Headline(run, failures.size())});
  const std::size_t num_shown = std::min(failures.size(), kMostFailures);
  top.findings.insert(top.findings.end(), failures.begin(),
                      failures.begin() + static_cast<std::ptrdiff_t>(num_shown));
  if (num_shown < failures.size()) {
    top.findings.push_back({Level::kFailure, "",
                            fmt::format("{} more, each with its reason in tables/trials.csv",
                                        failures.size() - num_shown)});
  }
  section.blocks.push_back(top);
  section.blocks.push_back(Paragraph{RunInWords(run)});
  return section;
}

}  // namespace percuss::report
