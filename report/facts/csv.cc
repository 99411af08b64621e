// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/facts/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/numbers.h"

namespace percuss::report {

int CsvTable::Find(std::string_view column) const {
  const auto found = std::ranges::find(header, column);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

int CsvTable::Require(std::string_view column) const {
  const int index = Find(column);
  if (index < 0) throw InputError(fmt::format("{}: the column '{}' is missing", file, column));
  return index;
}

const std::string& CsvTable::Text(std::size_t row, int column) const {
  return rows.at(row).cells.at(column);
}

double CsvTable::Number(std::size_t row, int column) const {
  if (column < 0) return kNaN;
  return ParseCsvNumber(fmt::format("{}: line {}", file, rows.at(row).line), header.at(column),
                        Text(row, column));
}

CsvTable ReadCsv(const std::filesystem::path& file) {
  CsvTable table{.file = file.string(), .header = {}, .rows = ParseCsv(file, ReadFile(file))};
  if (table.rows.empty()) {
    throw InputError(
        fmt::format("{}: found no header line, allowed a table that starts with one", table.file));
  }
  table.header = std::move(table.rows.front().cells);
  table.rows.erase(table.rows.begin());
  for (const CsvRow& row : table.rows) {
    if (row.cells.size() == table.header.size()) continue;
    throw InputError(fmt::format("{}: line {}: found {} cells, allowed {} as in the header",
                                 table.file, row.line, row.cells.size(), table.header.size()));
  }
  return table;
}

}  // namespace percuss::report
