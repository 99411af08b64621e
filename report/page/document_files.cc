// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/document_files.h"

#include <set>

#include "report/page/html.h"
#include "report/page/text_writers.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

// Tables of an earlier report may have no successor (a law that is gone): they must not stay.
void RemoveOldTables(const fs::path& folder, const std::set<fs::path>& current) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path ending = entry.path().extension();
    const bool is_table = entry.is_regular_file() && (ending == ".csv" || ending == ".json");
    if (is_table && !current.contains(entry.path())) old.push_back(entry.path());
  }
  for (const fs::path& table : old) RemoveOutdated(table);
}

}  // namespace

std::vector<fs::path> WriteDocument(const fs::path& folder, const Document& document,
                                    const Provenance& provenance) {
  std::vector<fs::path> written;
  const auto write = [&](const fs::path& file, const std::string& content) {
    WriteFileAtomically(file, content);
    written.push_back(file);
  };
  write(folder / "report.html", ToHtml(document));
  write(folder / "report.md", ToMarkdown(document));
  std::set<fs::path> tables;
  ForEachBlock<Table>(document.sections, [&](const Table& table) {
    const fs::path csv = folder / CsvFileOf(table);
    const fs::path json = fs::path(csv).replace_extension(".json");
    write(csv, ToCsv(table));
    write(json, ToJson(table, provenance));
    tables.insert({csv, json});
  });
  RemoveOldTables(folder / "tables", tables);
  return written;
}

}  // namespace percuss::report
