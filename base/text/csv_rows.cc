// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/csv_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/nan.h"

namespace percuss {
namespace {

std::string Trimmed(std::string text) {
  const auto is_space = [](unsigned char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(static_cast<unsigned char>(text.back()))) text.pop_back();
  text.erase(text.begin(), std::ranges::find_if_not(text, is_space));
  return text;
}

// What is between cells: of the first line with any of them a comma if there is one, else a
// semicolon or a tab, as spreadsheet programs write where numbers have a decimal comma.
char SeparatorOf(std::string_view text) {
  bool quoted = false, semicolon = false, tab = false, comment = false, begins = true;
  for (const char c : text) {
    if (begins && !quoted) comment = c == '#';
    begins = c == '\n' && !quoted;
    if (begins && semicolon) return ';';
    if (begins && tab) return '\t';
    if (comment) continue;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') return ',';
    semicolon = semicolon || c == ';';
    tab = tab || c == '\t';
  }
  return semicolon ? ';' : tab ? '\t' : ',';
}

// A number with a decimal comma gets a point; any other text stays.
std::string WithDecimalPoint(std::string cell) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t comma = cell.find(',');
  if (comma == std::string::npos || comma + 1 == cell.size()) return cell;
  std::string number = cell;
  number[comma] = '.';
  const char* begin = number.data() + (number.front() == '+' ? 1 : 0);
  const char* end = number.data() + number.size();
  double value = 0.0;
  const bool is_number = is_digit(cell[comma + 1]) && std::from_chars(begin, end, value).ptr == end;
  return is_number ? number : cell;
}

}  // namespace

std::vector<CsvRow> ParseCsv(const std::filesystem::path& file, const std::string& text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw InputError(fmt::format("{}: found text in UTF-16, allowed UTF-8", file.string()));
  std::vector<CsvRow> rows;
  std::size_t at = 0;
  if (text.starts_with("\xEF\xBB\xBF")) at = 3;  // byte order mark of spreadsheet programs
  const char separator = SeparatorOf(std::string_view(text).substr(at));
  int line = 1;
  while (at < text.size()) {
    if (text[at] == '#' || text[at] == '\n' || text[at] == '\r') {
      while (at < text.size() && text[at] != '\n') ++at;
      ++at;
      ++line;
      continue;
    }
    CsvRow row{.line = line, .cells = {}};
    std::string cell;
    bool quoted = false;
    bool was_quoted = false;
    const auto finish_cell = [&] {
      std::string taken = was_quoted ? cell : Trimmed(cell);
      row.cells.push_back(separator == ',' ? std::move(taken) : WithDecimalPoint(std::move(taken)));
      cell.clear();
      was_quoted = false;
    };
    while (at < text.size()) {
      const char c = text[at++];
      if (quoted) {
        if (c == '"' && at < text.size() && text[at] == '"') {
          cell += '"';
          ++at;
        } else if (c == '"') {
          quoted = false;
        } else {
          if (c == '\n') ++line;
          cell += c;
        }
      } else if (c == '"' && Trimmed(cell).empty()) {
        quoted = was_quoted = true;
        cell.clear();
      } else if (c == separator) {
        finish_cell();
      } else if (c == '\n') {
        break;
      } else if (c != '\r') {
        cell += c;
      }
    }
    if (quoted) {
      throw InputError(
          fmt::format("{}: line {}: found a quote that is never closed", file.string(), row.line));
    }
    finish_cell();
    ++line;
    rows.push_back(std::move(row));
  }
  return rows;
}

double ParseCsvNumber(const std::string& where, std::string_view column, const std::string& cell) {
  if (cell.empty() || cell == "nan" || cell == "NaN" || cell == "NA") return kNaN;
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (*begin == '+') ++begin;
  double value = kNaN;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) {
    throw InputError(
        fmt::format("{}, column {}: found \"{}\", allowed a number", where, column, cell));
  }
  if (std::isinf(value)) {
    throw InputError(
        fmt::format("{}, column {}: found {}, allowed a finite number", where, column, cell));
  }
  return value;
}

std::string CsvText(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string CsvNumber(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace percuss
