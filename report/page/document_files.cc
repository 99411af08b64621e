// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/document_files.h"

#include <set>
#include <string>
#include <string_view>

#include "base/parallel.h"
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
                                    const Provenance& provenance, int num_threads) {
  const auto write = [](const fs::path& file, const auto& write_text) {
    PiecewiseFile pieces(file);
    write_text([&](std::string_view piece) { pieces.Add(piece); });
    pieces.Commit();
  };
  std::vector<fs::path> files = {folder / "report.html", folder / "report.md"};
  write(files[0], [&](const TextSink& sink) { sink(ToHtml(document)); });
  write(files[1], [&](const TextSink& sink) { sink(ToMarkdown(document)); });
  std::vector<const Table*> tables;
  ForEachBlock<Table>(document.sections, [&](const Table& table) {
    tables.push_back(&table);
    files.push_back(folder / CsvFileOf(table));
    files.push_back(fs::path(files.back()).replace_extension(".json"));
  });
  ParallelFor(static_cast<int>(files.size()) - 2, num_threads, [&](int i) {
    const Table& table = *tables[i / 2];
    write(files[i + 2], [&](const TextSink& sink) {
      i % 2 == 0 ? WriteCsv(table, sink) : WriteJson(table, provenance, sink);
    });
  });
  RemoveOldTables(folder / "tables", {files.begin() + 2, files.end()});
  return files;
}

}  // namespace percuss::report
