// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

using fitting::AuditFinding;

Finding CalibrationVerdict(const calibration::RigCalibration& calibration) {
  const bool is_ok = calibration.verdict == "ok";
  std::string text = is_ok ? "good enough" : "poor";
  if (!calibration.verdict_reasons.empty()) text += ": " + Join(calibration.verdict_reasons);
  text += fmt::format("; residual {} px rms", FormatSignificant(calibration.rms_px, 2));
  const double held_out = calibration.quality.held_out.rms_px;
  if (std::isfinite(held_out)) {
    text += fmt::format(", {} px on views left out", FormatSignificant(held_out, 2));
  }
  return {is_ok ? Level::kOk : Level::kWarning, "calibration", text + "."};
}

// The sentence of a check, with the sign that a terminal may not have.
std::string TypesetText(const AuditFinding& check) {
  constexpr std::string_view kPlain = "m/s^2";
  std::string text = check.text;
  for (std::size_t at = text.find(kPlain); at != std::string::npos; at = text.find(kPlain, at))
    text.replace(at, kPlain.size(), "m/s²");
  return text;
}

Finding Failed(const AuditFinding& check) {
  std::string text = TypesetText(check);
  if (std::isfinite(check.probability)) {
    text += fmt::format(" (probability of at least this by chance: {})",
                        FormatProbability(check.probability));
  }
  const std::string subject =
      check.trial.empty() ? check.check : fmt::format("{}, {}", check.trial, check.check);
  return {Level::kWarning, subject, text};
}

// One line for all checks of a kind that passed: ChecksSection has each.
Finding Passed(const std::string& kind, const std::vector<const AuditFinding*>& passed,
               std::size_t total) {
  if (total == 1) return {Level::kOk, kind, TypesetText(*passed.front())};
  const AuditFinding* least = passed.front();
  for (const AuditFinding* check : passed) {
    if (check->probability < least->probability) least = check;
  }
  std::string text = passed.size() == total
                         ? fmt::format("all {} checks in order", total)
                         : fmt::format("{} of {} checks in order", passed.size(), total);
  if (std::isfinite(least->probability)) {
    text += fmt::format("; the least likely{} has a probability of {}",
                        least->trial.empty() ? "" : ", of " + least->trial + ",",
                        FormatProbability(least->probability));
  }
  return {Level::kOk, kind, text + "."};
}

std::vector<Finding> AuditFindings(const std::vector<AuditFinding>& audit) {
  std::vector<std::string> kinds;
  std::map<std::string, std::vector<const AuditFinding*>> passed;
  std::map<std::string, std::size_t> totals;
  std::vector<Finding> findings;
  for (const AuditFinding& check : audit) {
    if (totals[check.check]++ == 0) kinds.push_back(check.check);
    if (check.ok) {
      passed[check.check].push_back(&check);
    } else {
      findings.push_back(Failed(check));
    }
  }
  for (const std::string& kind : kinds) {
    if (passed.contains(kind)) findings.push_back(Passed(kind, passed[kind], totals[kind]));
  }
  return findings;
}

/// Of many trials the checks that are not in order.
RowChoice ShownChecks(const RunFolder& run) {
  if (!TabledTrials(run)) return {};
  return {.is_shown = [](const Row& row) { return row.cells[2].text == "NO"; },
          .words = "of those that are not in order"};
}

Table CheckTable(const RunFolder& run) {
  Table table{
      .id = "checks",
      .caption = "Each check, trial by trial",
      .columns = {TextColumn("check", "check"), TextColumn("trial", "trial"),
                  TextColumn("in_order", "in order"), NumberColumn("probability", "chance", "-", 2),
                  TextColumn("finding", "finding")},
      .note =
          "Chance: probability of at least this finding if the data were right and "
          "their sigmas true."};
  SetRows(
      [&audit = run.fit->audit](const RowSink& add) {
        for (const AuditFinding& check : audit) {
          add({.cells = {TextCell(check.check), TextCell(check.trial.empty() ? "all" : check.trial),
                         TextCell(check.ok ? "yes" : "NO"), ProbabilityCell(check.probability),
                         TextCell(TypesetText(check))},
               .starts_group = &check == &audit.front() || check.check != (&check - 1)->check});
        }
      },
      &table, ShownChecks(run));
  return table;
}

/// All that is to be said of the data, the bad news first.
std::vector<Finding> FindingsOf(const RunFolder& run) {
  std::vector<Finding> findings;
  if (run.calibration) findings.push_back(CalibrationVerdict(*run.calibration));
  for (const TrialFacts& trial : run.trials) {
    for (const std::string& warning : trial.warnings) {
      findings.push_back({Level::kWarning, trial.name, warning});
    }
  }
  if (run.fit) {
    for (Finding& finding : AuditFindings(run.fit->audit)) findings.push_back(std::move(finding));
    if (!run.fit->laws.empty()) {
      for (const TrialComparison& trial : run.fit->laws.front().trials) {
        if (trial.used) continue;
        findings.push_back({Level::kWarning, trial.trial, "left out of the fit: " + trial.reason});
      }
    }
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.level > b.level; });
  return findings;
}

std::size_t CountBad(const std::vector<Finding>& findings) {
  return std::ranges::count_if(findings,
                               [](const Finding& finding) { return finding.level > Level::kNote; });
}

/// A list has room for so many that speak against the data; a table and its files hold all of more.
constexpr std::size_t kMostBad = 60;

Table FindingTable(const RunFolder& run) {
  Table table{.id = "findings",
              .caption = "Each finding against the data",
              .columns = {TextColumn("subject", "subject"), TextColumn("finding", "finding")}};
  SetRows(
      [&run](const RowSink& add) {
        for (const Finding& finding : FindingsOf(run)) {
          if (finding.level > Level::kNote)
            add({.cells = {TextCell(finding.subject), TextCell(finding.text)}});
        }
      },
      &table);
  return table;
}

}  // namespace

Section VerdictSection(const RunFolder& run) {
  Section section{.id = "verdicts", .title = "Can the data be believed?"};
  std::vector<Finding> findings = FindingsOf(run);
  const std::size_t bad = CountBad(findings);
  section.blocks.push_back(Paragraph{
      bad == 0
          ? "Nothing speaks against them."
          : fmt::format("{} against them.",
                        bad == 1 ? "One finding speaks" : fmt::format("{} findings speak", bad))});
  if (bad > kMostBad) {
    const auto at = [&](std::size_t k) {
      return findings.begin() + static_cast<std::ptrdiff_t>(k);
    };
    findings.erase(at(kMostBad), at(bad));
    findings.insert(
        at(kMostBad),
        {Level::kWarning, "", fmt::format("{} more, all in tables/findings.csv.", bad - kMostBad)});
  }
  section.blocks.push_back(Findings{std::move(findings)});
  if (!run.fit) {
    section.blocks.push_back(Paragraph{"The data audit is missing: it is part of fit.json."});
  }
  return section;
}

Section ChecksSection(const RunFolder& run) {
  Section section{.id = "checks-section", .title = "All checks of the data"};
  if (CountBad(FindingsOf(run)) > kMostBad) section.blocks.push_back(FindingTable(run));
  if (run.fit && !run.fit->audit.empty()) {
    section.blocks.push_back(CheckTable(run));
  } else {
    section.blocks.push_back(Paragraph{"There are none: the data audit is part of fit.json."});
  }
  return section;
}

}  // namespace percuss::report
