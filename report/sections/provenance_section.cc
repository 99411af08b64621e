// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/files/files.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

/// An input, and what was made from it.
struct Use {
  const std::pair<std::string, std::string>* input;  ///< file, SHA-256
  std::size_t num_results = 0;
  std::vector<std::string_view> results{};  ///< the first of them

  std::string ResultsInWords() const {
    std::string text = fmt::format("{}", fmt::join(results, ", "));
    if (results.size() < num_results)
      text += fmt::format(" and {} more", num_results - results.size());
    return text;
  }
};

// Most inputs serve several steps: each is listed once.
std::vector<Use> UsesOf(const std::vector<ProvenanceFacts>& provenance) {
  constexpr std::size_t kMostResults = 40;  // each file names its inputs, too
  std::vector<Use> uses;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> place_of;
  for (const ProvenanceFacts& result : provenance) {
    for (const auto& input : result.inputs) {
      const auto [at, is_new] = place_of.try_emplace(input, uses.size());
      if (is_new) uses.push_back({.input = &input});
      Use& use = uses[at->second];
      if (use.num_results++ < kMostResults) use.results.push_back(result.file);
    }
  }
  return uses;
}

Table InputTable(const std::vector<ProvenanceFacts>& provenance) {
  Table table{.id = "inputs",
              .caption = "Inputs",
              .columns = {TextColumn("input", "input"), TextColumn("sha256", "SHA-256"),
                          TextColumn("used_for", "used for")}};
  SetRows(
      [uses = std::make_shared<const std::vector<Use>>(UsesOf(provenance))](const RowSink& add) {
        for (const Use& use : *uses) {
          add({.cells = {TextCell(use.input->first), TextCell(use.input->second),
                         TextCell(use.ResultsInWords())}});
        }
      },
      &table);
  return table;
}

}  // namespace

Section ProvenanceSection(const RunFolder& run) {
  Section section{.id = "provenance", .title = "Settings, versions, inputs"};
  section.blocks.push_back(
      Paragraph{fmt::format("This report was written by percuss {}.", ProgramVersion())});

  Table files{.id = "files",
              .caption = "Files this report was made from",
              .columns = {TextColumn("file", "file"), TextColumn("format", "format"),
                          TextColumn("program", "program"), TextColumn("command", "command")}};
  SetRows(
      [&run](const RowSink& add) {
        for (const ProvenanceFacts& file : run.provenance) {
          add({.cells = {TextCell(file.file), TextCell(file.format), TextCell(file.program),
                         TextCell(file.command)}});
        }
      },
      &files);
  Table settings{.id = "settings",
                 .caption = "Record of the run",
                 .columns = {TextColumn("setting", "setting"), TextColumn("value", "value")}};
  for (const auto& [path, value] : run.settings) {
    const char* unit = path == "experiment.mass" ? " kg" : "";  // lengths are in words
    settings.rows.push_back({.cells = {TextCell(path), TextCell(value + unit)}});
  }
  for (const Table& table : {settings, files, InputTable(run.provenance)}) {
    if (!table.rows.empty()) section.blocks.push_back(table);
  }
  return section;
}

}  // namespace percuss::report
