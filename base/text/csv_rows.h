// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace percuss {

/// One row of a CSV file.
struct CsvRow {
  int line = 0;                    ///< on which it starts, from 1
  std::vector<std::string> cells;  ///< without their quotes; unquoted ones without outer blanks
};

/// The rows of a CSV text (RFC 4180), header first; comment lines (`#` first), blank lines and a
/// byte order mark are left out. Where the first line with any has semicolons or tabs and no comma,
/// these are between cells, and a comma within a number is its decimal point. The file is named in
/// complaints only.
///
/// @throws InputError naming file and line of a quote that is never closed, or text in UTF-16.
std::vector<CsvRow> ParseCsv(const std::filesystem::path& file, const std::string& text);

/// The number in a cell; NaN for a missing one: empty, `nan`, `NaN` or `NA`.
///
/// @throws InputError naming where, column and cell: text where a number is due, infinite numbers.
double ParseCsvNumber(const std::string& where, std::string_view column, const std::string& cell);

/// The cell of a text, quoted where RFC 4180 asks for it.
std::string CsvText(const std::string& text);
/// The cell of a number, in the fewest digits that read back to the same one; empty for NaN.
std::string CsvNumber(double value);

}  // namespace percuss
