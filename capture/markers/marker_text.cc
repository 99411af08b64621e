// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/markers/marker_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.h"

namespace percuss::capture {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view WithoutQuotes(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return cell;
  return Trimmed(cell.substr(1, cell.size() - 2));
}

bool IsNan(std::string_view cell) {
  constexpr std::string_view kNan = "nan";
  return std::ranges::equal(cell, kNan, {}, [](char c) { return static_cast<char>(c | 0x20); });
}

std::string Quoted(std::string_view cell) {
  constexpr std::size_t kMostShown = 40;
  return "\"" + std::string(cell.substr(0, kMostShown)) + "\"";
}

}  // namespace

TextTable::TextTable(std::filesystem::path file, std::string_view content, char separator,
                     const ReadMarkersOptions& options)
    : file_(std::move(file)), rest_(content), separator_(separator), options_(options) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool TextTable::NextLine() {
  cells_.clear();
  ++line_;
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) {
    if (options_.partial) return false;
    Throw("", "the end of the file within the line", "a line break (is the file cut off?)");
  }
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  while (true) {
    const std::size_t cell_end = std::min(line.find(separator_), line.size());
    cells_.push_back(WithoutQuotes(Trimmed(line.substr(0, cell_end))));
    if (cell_end == line.size()) return true;
    line.remove_prefix(cell_end + 1);
  }
}

void TextTable::RequireLine(std::string_view what) {
  if (!NextLine()) Throw("", "the end of the file", what);
}

std::string_view TextTable::Cell(std::size_t column) const {
  return column < cells_.size() ? cells_[column] : std::string_view();
}

bool TextTable::IsBlank() const {
  return std::ranges::all_of(cells_, [](std::string_view cell) { return cell.empty(); });
}

double TextTable::Number(std::size_t column, std::string_view field) const {
  std::string_view cell = Cell(column);
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
    Throw(field, Quoted(Cell(column)), "a finite number");
  }
  return value;
}

double TextTable::PositiveNumber(std::size_t column, std::string_view field) const {
  const double value = Number(column, field);
  if (!(value > 0.0)) Throw(field, Quoted(Cell(column)), "a number > 0");
  return value;
}

double TextTable::Count(std::size_t column, std::string_view field) const {
  const double value = Number(column, field);
  if (!(value >= 1.0) || value != std::floor(value)) {
    Throw(field, Quoted(Cell(column)), "a whole number >= 1");
  }
  return value;
}

Eigen::Vector3d TextTable::Position(std::size_t first_column, std::string_view marker) const {
  int num_missing = 0;
  for (std::size_t column = first_column; column < first_column + 3; ++column) {
    num_missing += Cell(column).empty() || IsNan(Cell(column)) ? 1 : 0;
  }
  if (num_missing == 3) {
    return Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  }
  return {Number(first_column, marker), Number(first_column + 1, marker),
          Number(first_column + 2, marker)};
}

void TextTable::RequireCells(std::size_t num_cells) const {
  std::size_t found = cells_.size();
  while (found > num_cells && cells_[found - 1].empty()) --found;
  if (found != num_cells) Throw("", fmt::format("{} cells", found), fmt::format("{}", num_cells));
}

void TextTable::Throw(std::string_view field, std::string_view found,
                      std::string_view allowed) const {
  throw InputError(fmt::format("{}: (line {}): {}{}found {}, allowed {}", file_.string(), line_,
                               field, field.empty() ? "" : ": ", found, allowed));
}

void RequireTextNames(const std::vector<std::string>& markers) {
  for (const std::string& marker : markers) {
    const bool holds_separator = std::ranges::any_of(marker, [](char c) {
      return c == ',' || c == '"' || (static_cast<unsigned char>(c) < ' ');
    });
    if (holds_separator || Trimmed(marker) != marker) {
      throw std::invalid_argument(
          fmt::format("marker trajectories: markers: found \"{}\", allowed names without commas, "
                      "quotation marks, control characters and surrounding blanks in a text file",
                      marker));
    }
  }
}

}  // namespace percuss::capture
