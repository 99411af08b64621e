// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report.h"

#include <fmt/format.h>

#include <set>

#include "base/files/files.h"
#include "report/facts/run_folder.h"
#include "report/page/html.h"
#include "report/page/text_writers.h"
#include "report/plots/plot_parts.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

Document MakeDocument(const RunFolder& run, const Plotter& plotter) {
  Document document{
      .title = "Impact coefficients of " + run.name,
      .subtitle = "Friction and restitution from drop tests, model against experiment",
      .sections = {SummarySection(run), CoefficientsSection(run), VerdictSection(run),
                   ComparisonSection(run, plotter), EnergySection(run, plotter),
                   TrackingSection(run, plotter), CalibrationSection(run, plotter),
                   EngineSection(run), ChecksSection(run), ProvenanceSection(run)}};
  if (!run.slides.empty()) {
    document.sections.insert(document.sections.begin() + 2, SlidesSection(run, plotter));
  }
  return document;
}

template <typename T, typename Visitor>
void ForEach(const Document& document, const Visitor& visitor) {
  for (const Section& section : document.sections) {
    for (const Block& block : section.blocks) {
      if (const T* content = std::get_if<T>(&block)) visitor(*content);
    }
  }
}

// Tables of an earlier report may have no successor (a law that is gone): they must not stay.
void RemoveOldTables(const fs::path& folder, const std::set<fs::path>& current) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path ending = entry.path().extension();
    const bool is_table = entry.is_regular_file() && (ending == ".csv" || ending == ".json");
    if (is_table && !current.contains(entry.path())) old.push_back(entry.path());
  }
  for (const fs::path& table : old) fs::remove(table);
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

}  // namespace

ReportSummary WriteReport(const fs::path& run_folder, const ReportOptions& options) {
  const RunFolder run = ReadRunFolder(run_folder);
  const Document document = MakeDocument(run, {.program = options.gnuplot});

  ReportSummary summary;
  for (const Finding& failure : Failures(run)) {
    summary.missing_parts.push_back(failure.subject.empty()
                                        ? failure.text
                                        : fmt::format("{}: {}", failure.subject, failure.text));
  }
  ForEach<Figures>(document, [&](const Figures& figures) {
    for (const Figure& figure : figures.figures) {
      if (summary.missing_plots.empty() && figure.problem != kNoNumbers)
        summary.missing_plots = figure.problem;
    }
  });

  const auto write = [&](const fs::path& file, const std::string& content) {
    WriteFileAtomically(file, content);
    summary.files_written.push_back(file);
  };
  write(run_folder / "report.html", ToHtml(document));
  write(run_folder / "report.md", ToMarkdown(document));
  const Provenance provenance = ProvenanceOf(run_folder, options.command);
  std::set<fs::path> tables;
  ForEach<Table>(document, [&](const Table& table) {
    const fs::path csv = run_folder / CsvFileOf(table);
    const fs::path json = fs::path(csv).replace_extension(".json");
    write(csv, ToCsv(table));
    write(json, ToJson(table, provenance));
    tables.insert({csv, json});
  });
  RemoveOldTables(run_folder / "tables", tables);
  return summary;
}

}  // namespace percuss::report
