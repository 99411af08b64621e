// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/files/files.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

// Most inputs serve several steps: each is listed once, with the results made from it.
Table InputTable(const std::vector<ProvenanceFacts>& provenance) {
  Table table{.id = "inputs",
              .caption = "Inputs",
              .columns = {TextColumn("input", "input"), TextColumn("sha256", "SHA-256"),
                          TextColumn("used_for", "used for")}};
  std::map<std::pair<std::string, std::string>, std::size_t> row_of;
  for (const ProvenanceFacts& result : provenance) {
    for (const auto& input : result.inputs) {
      const auto [at, is_new] = row_of.try_emplace(input, table.rows.size());
      if (is_new) {
        table.rows.push_back(
            {.cells = {TextCell(input.first), TextCell(input.second), TextCell(result.file)}});
      } else {
        table.rows[at->second].cells[2].text += ", " + result.file;
      }
    }
  }
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
  for (const ProvenanceFacts& file : run.provenance) {
    files.rows.push_back({.cells = {TextCell(file.file), TextCell(file.format),
                                    TextCell(file.program), TextCell(file.command)}});
  }
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
