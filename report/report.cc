// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report.h"

#include <fmt/format.h>

#include <utility>

#include "base/files/files.h"
#include "base/parallel.h"
#include "report/calibration/calibration_page.h"
#include "report/facts/run_folder.h"
#include "report/facts/shown_trials.h"
#include "report/page/document_files.h"
#include "report/page/html.h"
#include "report/sections/sections.h"
#include "report/summary/pdf.h"
#include "report/summary/summary_page.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

Document MakeDocument(const RunFolder& run) {
  Document document{
      .title = "Impact coefficients of " + run.name,
      .subtitle = "Friction and restitution from drop tests, model against experiment",
      .sections = {AnswerSection(run), SummarySection(run), CoefficientsSection(run),
                   VerdictSection(run), ComparisonSection(run), EnergySection(run),
                   TrackingSection(run), CalibrationSection(run), EngineSection(run),
                   ChecksSection(run), ProvenanceSection(run)}};
  if (!run.slides.empty()) {
    document.sections.insert(document.sections.begin() + 3, SlidesSection(run));
  }
  if (Section viewer = ViewerSection(run); !viewer.blocks.empty())
    document.sections.insert(document.sections.begin() + 1, std::move(viewer));
  // The answer first, then the drops themselves; all else is a click away, but for what failed.
  for (Section& section : document.sections)
    section.folded = section.id != "answer" && section.id != "viewer-section" &&
                     (section.id != "summary" || Failures(run).empty());
  return document;
}

/// What the tables are made of: the files of the run, but for those of the single trials.
Provenance ProvenanceOf(const fs::path& run_folder, const std::string& command) {
  Provenance provenance{"percuss table 1", command, {}};
  for (const char* name : {"calibration.json", "impacts.json", "fit.json", "impulses.json"}) {
    if (fs::exists(run_folder / name))
      provenance.input_hashes.emplace_back(name, HashFile(run_folder / name));
  }
  return provenance;
}

/// Those of trials that have one no more go.
void WritePagesOfDrops(const RunFolder& run, int num_threads) {
  std::vector<char> has_page(run.trials.size());
  const std::vector<std::size_t> places = TrialsWithPages(run);
  ParallelFor(static_cast<int>(places.size()), num_threads, [&](int i) {
    const TrialFacts& trial = run.trials[places[i]];
    const auto page = PageOfDrop(run, trial);
    if (page) WriteIfChanged(trial.folder / kPageOfDrop, ToHtml(*page));
    has_page[places[i]] = page.has_value();
  });
  for (std::size_t k = 0; k < has_page.size(); ++k) {
    if (!has_page[k]) RemoveOutdated(run.trials[k].folder / kPageOfDrop);
  }
}

}  // namespace

ReportSummary WriteReport(const fs::path& run_folder, const ReportOptions& options) {
  RunFolder read = ReadRunFolder(run_folder, options.num_threads);
  ReadImpulses(&read);
  const RunFolder run = std::move(read);  // tables refer to it
  WritePagesOfDrops(run, options.num_threads);
  const Document document = MakeDocument(run);

  ReportSummary summary;
  for (const Finding& failure : Failures(run)) {
    summary.missing_parts.push_back(failure.subject.empty()
                                        ? failure.text
                                        : fmt::format("{}: {}", failure.subject, failure.text));
  }
  summary.files_written = WriteDocument(
      run_folder, document, ProvenanceOf(run_folder, options.command), options.num_threads);
  if (run.calibration) {
    const fs::path page = run_folder / kCalibrationPage;
    WriteCalibrationPage(page, run.name, *run.calibration, run.corners);
    summary.files_written.push_back(page);
  }
  const fs::path file = run_folder / "summary.pdf";
  RemoveOutdated(file);
  if (!options.pdf) return summary;
  const PdfAnswer printed = PrintToPdf(options.chromium, SummaryPage(run));
  summary.missing_pdf = printed.problem;
  if (!printed.problem.empty()) return summary;
  WriteFileAtomically(file, printed.pdf);
  summary.files_written.push_back(file);
  return summary;
}

}  // namespace percuss::report
