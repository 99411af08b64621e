// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/summary/summary_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/files.h"
#include "report/page/html.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

// Behind the style of the report. The sheet is as high as the paper within its margins, a line less
// than would begin a second one; pictures take what the texts leave.
constexpr const char* kSheetStyle = R"css(
@page { size: A4; margin: 13mm 15mm; }
:root { color-scheme: light; }
html { font-size: 9.5pt; }
body { height: 268mm; display: flex; flex-direction: column; overflow: hidden; max-width: none; padding: 0; }
h1 { font-size: 1.7rem; }
h2 { font-size: 1.1rem; margin: 0.5rem 0 0; }
main { flex: 1; min-height: 0; display: flex; flex-direction: column; gap: 0.75rem; }
#answer { flex: 1; min-height: 0; }
.answer { height: 100%; display: flex; flex-direction: column; }
.numbers { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2.5rem; }
.numbers .findings, .numbers .advice { grid-column: 1 / -1; }
.coefficient { margin: 0 0 0.75rem; }
.coefficient .value { font-size: 1.9rem; }
.sights { flex: 1; min-height: 0; grid-template-rows: minmax(0, 2fr) minmax(0, 3fr); margin-top: 0.75rem; }
.sights figure { min-height: 0; display: flex; flex-direction: column; }
.sights svg.plot { flex: 1; min-height: 0; max-height: none; }
#sources p { max-width: none; font: 0.8rem/1.4 var(--sans); color: var(--soft); margin: 0; }
)css";

/// As many as a sheet has room for.
template <typename T>
void KeepFirst(std::size_t most, std::vector<T>* all) {
  if (all->size() > most) all->resize(most);
}

/// The answer, as far as it fits.
Section AnswerOnASheet(const RunFolder& run) {
  Section section = AnswerSection(run);
  std::erase_if(section.blocks,
                [](const Block& block) { return !std::holds_alternative<Answer>(block); });
  for (Block& block : section.blocks) {
    Answer& answer = std::get<Answer>(block);
    KeepFirst(4, &answer.coefficients);
    for (Coefficient& coefficient : answer.coefficients) KeepFirst(4, &coefficient.intervals);
  }
  return section;
}

Section CoefficientsOnASheet(const fitting::FitReport& fit) {
  constexpr std::size_t kMost = 12;
  Table table = CoefficientTable(OfLaw(fit, fitting::BestLaw(fit.laws).law));
  table.caption = "Coefficients of the best law";
  if (table.rows.size() > kMost) {
    table.note = fmt::format("{} more are in report.html.", table.rows.size() - kMost);
    table.rows.resize(kMost);
  }
  return {.id = "coefficients-section", .blocks = {std::move(table)}};
}

/// What made the numbers, so that the sheet can be told from another.
std::string Sources(const RunFolder& run) {
  std::string text = "percuss " + ProgramVersion();
  const auto fit = std::ranges::find(run.provenance, "fit.json", &ProvenanceFacts::file);
  if (fit != run.provenance.end()) text += fmt::format(": {}", fit->command);
  const std::filesystem::path file = run.path / "fit.json";
  if (std::filesystem::exists(file))
    text += fmt::format("; SHA-256 of fit.json {}", HashFile(file));
  return text;
}

}  // namespace

std::string SummaryPage(const RunFolder& run) {
  Document sheet{.title = "Impact coefficients of " + run.name,
                 .subtitle = "Friction and restitution from drop tests, model against experiment",
                 .sections = {AnswerOnASheet(run)}};
  if (run.fit && !run.fit->laws.empty()) sheet.sections.push_back(CoefficientsOnASheet(*run.fit));
  sheet.sections.push_back({.id = "sources", .blocks = {Paragraph{Sources(run)}}});
  sheet.style = kSheetStyle;
  return ToHtml(sheet);
}

}  // namespace percuss::report
