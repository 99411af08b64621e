// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/sections.h"
#include "report/words.h"

namespace percuss::report {
namespace {

Finding CalibrationVerdict(const CalibrationFacts& calibration) {
  const bool is_ok = calibration.verdict == "ok";
  std::string text = is_ok ? "good enough" : "poor";
  if (!calibration.reasons.empty()) text += ": " + Join(calibration.reasons);
  return {is_ok ? Level::kOk : Level::kWarning, "calibration", text + "."};
}

Finding AuditVerdict(const FindingFacts& audit) {
  std::string text = audit.text;
  if (std::isfinite(audit.probability)) {
    text += fmt::format(" (probability of at least this by chance: {})",
                        FormatSignificant(audit.probability, 2));
  }
  const std::string subject =
      audit.trial.empty() ? audit.check : fmt::format("{}, {}", audit.trial, audit.check);
  return {audit.ok ? Level::kOk : Level::kWarning, subject, text};
}

}  // namespace

Section VerdictSection(const RunFolder& run) {
  Section section{.id = "verdicts", .title = "Can the data be believed?"};
  std::vector<Finding> findings;
  if (run.calibration) findings.push_back(CalibrationVerdict(*run.calibration));
  for (const TrialFacts& trial : run.trials) {
    for (const std::string& warning : trial.warnings) {
      findings.push_back({Level::kWarning, trial.name, warning});
    }
  }
  if (run.fit) {
    for (const FindingFacts& audit : run.fit->audit) findings.push_back(AuditVerdict(audit));
    if (!run.fit->laws.empty()) {
      for (const ComparisonFacts& trial : run.fit->laws.front().trials) {
        if (trial.used) continue;
        findings.push_back({Level::kWarning, trial.trial, "left out of the fit: " + trial.reason});
      }
    }
  } else {
    section.blocks.push_back(Paragraph{"The data audit is missing: it is part of fit.json."});
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.level > b.level; });
  const auto bad = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.level > Level::kNote;
  });
  section.blocks.push_back(
      Paragraph{bad == 0 ? fmt::format("All {} passed.", Count(std::ssize(findings), "check"))
                         : fmt::format("{} of {} speak against the data.", bad,
                                       Count(std::ssize(findings), "finding"))});
  section.blocks.push_back(Findings{std::move(findings)});
  return section;
}

}  // namespace percuss::report
