// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/document_files.h"

#include <set>
#include <string>
#include <string_view>

#include "report/page/html.h"
#include "report/page/text_writers.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

/// A file that is written in pieces of any size.
class PiecewiseFile {
 public:
  explicit PiecewiseFile(const fs::path& file) : file_(file) {}
  void Add(std::string_view piece) {
    constexpr std::size_t kMost = 1 << 16;
    pieces_ += piece;
    if (pieces_.size() >= kMost) Flush();
  }
  void Commit() {
    Flush();
    file_.Commit();
  }

 private:
  void Flush() {
    file_.Write(pieces_);
    pieces_.clear();
  }

  AtomicFile file_;
  std::string pieces_;
};

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
  const auto write = [&](const fs::path& file, const auto& write_text) {
    PiecewiseFile pieces(file);
    write_text([&](std::string_view piece) { pieces.Add(piece); });
    pieces.Commit();
    written.push_back(file);
  };
  write(folder / "report.html", [&](const TextSink& sink) { sink(ToHtml(document)); });
  write(folder / "report.md", [&](const TextSink& sink) { sink(ToMarkdown(document)); });
  std::set<fs::path> tables;
  ForEachBlock<Table>(document.sections, [&](const Table& table) {
    const fs::path csv = folder / CsvFileOf(table);
    const fs::path json = fs::path(csv).replace_extension(".json");
    write(csv, [&](const TextSink& sink) { WriteCsv(table, sink); });
    write(json, [&](const TextSink& sink) { WriteJson(table, provenance, sink); });
    tables.insert({csv, json});
  });
  RemoveOldTables(folder / "tables", tables);
  return written;
}

}  // namespace percuss::report
