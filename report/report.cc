// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report.h"

#include <fmt/format.h>

#include <future>
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

Document MakeDocument(const RunFolder& run, int num_threads) {
  using MakeSection = Section (*)(const RunFolder&);
  std::vector<MakeSection> makers = {AnswerSection,       ViewerSection,   SummarySection,
                                     CoefficientsSection, VerdictSection,  ComparisonSection,
                                     EnergySection,       TrackingSection, CalibrationSection,
                                     EngineSection,       ChecksSection,   ProvenanceSection};
  if (!run.slides.empty()) makers.insert(makers.begin() + 4, SlidesSection);
  Document document{
      .title = "Impact coefficients of " + run.name,
      .subtitle = "Friction and restitution from drop tests, model against experiment",
      .sections = std::vector<Section>(makers.size())};
  ParallelFor(static_cast<int>(makers.size()), num_threads,
              [&](int i) { document.sections[i] = makers[i](run); });
  Section& viewer = document.sections[1];  // of nothing where no trial has an impact
  if (viewer.blocks.empty()) document.sections.erase(document.sections.begin() + 1);
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
  std::vector<char> has_page(run.trials.size());  // bits of a vector<bool> share their bytes
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
  // Files of thousands of trials take a while to hash.
  std::future<Provenance> provenance =
      std::async(options.num_threads > 1 ? std::launch::async : std::launch::deferred, ProvenanceOf,
                 run_folder, options.command);
  RunFolder read = ReadRunFolder(run_folder, options.num_threads);
  ReadImpulses(&read);
  const RunFolder run = std::move(read);  // tables refer to it
  WritePagesOfDrops(run, options.num_threads);
  const Document document = MakeDocument(run, options.num_threads);

  ReportSummary summary;
  for (const Finding& failure : Failures(run)) {
    summary.missing_parts.push_back(failure.subject.empty()
                                        ? failure.text
                                        : fmt::format("{}: {}", failure.subject, failure.text));
  }
  summary.files_written =
      WriteDocument(run_folder, document, provenance.get(), options.num_threads);
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
