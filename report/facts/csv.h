// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/csv_rows.h"

namespace percuss::report {

/// A CSV file with one header line (RFC 4180: fields may be quoted). Lines that start with '#' are
/// comments.
struct CsvTable {
  std::string file{};
  std::vector<std::string> header{};
  std::vector<CsvRow> rows{};

  /// Index of a column, or -1.
  int Find(std::string_view column) const;
  /// @throws InputError naming file and column.
  int Require(std::string_view column) const;
  /// NaN for an empty cell or column -1.
  /// @throws InputError naming file, line, column and the text found.
  double Number(std::size_t row, int column) const;
  const std::string& Text(std::size_t row, int column) const;
};

/// @throws InputError naming file and line: no header, a row of another width, an open quote.
CsvTable ReadCsv(const std::filesystem::path& file);

}  // namespace percuss::report
