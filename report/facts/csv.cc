// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/facts/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/files/files.h"
#include "report/facts/numbers.h"

namespace percuss::report {
namespace {

bool ParseNumber(std::string_view text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

int CsvTable::Find(std::string_view column) const {
  const auto found = std::find(header.begin(), header.end(), column);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

int CsvTable::Require(std::string_view column) const {
  const int index = Find(column);
  if (index < 0) throw InputError(fmt::format("{}: the column '{}' is missing", file, column));
  return index;
}

const std::string& CsvTable::Text(std::size_t row, int column) const {
  return rows.at(row).at(static_cast<std::size_t>(column));
}

double CsvTable::Number(std::size_t row, int column) const {
  if (column < 0) return kNaN;
  const std::string_view text = Trimmed(Text(row, column));
  if (text.empty()) return kNaN;
  double number = kNaN;
  if (!ParseNumber(text, number)) {
    throw InputError(fmt::format("{}: line {}: column '{}': found '{}', allowed a number", file,
                                 lines.at(row), header.at(static_cast<std::size_t>(column)), text));
  }
  return number;
}

CsvTable ReadCsv(const std::filesystem::path& file) {
  const std::string content = ReadFile(file);
  CsvTable table{.file = file.string(), .header = {}, .rows = {}, .lines = {}};
  std::vector<std::string> fields(1);
  bool quoted = false, is_comment = false, is_blank = true;
  int line = 1, first_line = 1;
  const auto finish_row = [&] {
    if (!is_comment && !is_blank) {
      if (table.header.empty()) {
        table.header = fields;
      } else if (fields.size() != table.header.size()) {
        throw InputError(fmt::format("{}: line {}: found {} cells, allowed {} as in the header",
                                     table.file, first_line, fields.size(), table.header.size()));
      } else {
        table.rows.push_back(fields);
        table.lines.push_back(first_line);
      }
    }
    fields.assign(1, "");
    is_comment = false;
    is_blank = true;
    first_line = line;
  };
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    if (c == '\n') ++line;
    if (quoted) {
      const bool escaped = c == '"' && i + 1 < content.size() && content[i + 1] == '"';
      if (escaped) ++i;
      if (c == '"' && !escaped) {
        quoted = false;
      } else {
        fields.back() += c;
      }
    } else if (c == '\n') {
      finish_row();
    } else if (c == '#' && is_blank) {
      is_comment = true;
      is_blank = false;
    } else if (c == '"' && !is_comment) {
      quoted = true;
      is_blank = false;
    } else if (c == ',') {
      fields.emplace_back();
      is_blank = false;
    } else if (c != '\r') {
      fields.back() += c;
      is_blank = false;
    }
  }
  if (quoted)
    throw InputError(
        fmt::format("{}: line {}: found a quote that is never closed", table.file, first_line));
  finish_row();
  if (table.header.empty())
    throw InputError(
        fmt::format("{}: found no header line, allowed a table that starts with one", table.file));
  return table;
}

std::string CsvField(const std::string& text) {
  double number = 0;
  const bool looks_like_a_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string::npos &&
      !ParseNumber(text, number);
  const std::string safe = looks_like_a_formula ? "'" + text : text;
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string field = "\"";
  for (const char c : safe) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

}  // namespace percuss::report
