// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace percuss::report {

Column TextColumn(std::string key, std::string header) {
  return {.key = std::move(key), .header = std::move(header)};
}

Column NumberColumn(std::string key, std::string header, std::string unit, int digits) {
  return {.key = std::move(key),
          .header = std::move(header),
          .unit = std::move(unit),
          .digits = digits};
}

Column CountColumn(std::string key, std::string header, std::string unit) {
  return NumberColumn(std::move(key), std::move(header), std::move(unit), 0);
}

Column MeasuredColumn(std::string key, std::string header, std::string unit, double scale) {
  return {.key = std::move(key),
          .header = std::move(header),
          .unit = std::move(unit),
          .scale = scale,
          .has_sigma = true};
}

Column PercentColumn(std::string key, std::string header) {
  return {
      .key = std::move(key), .header = std::move(header), .unit = "%", .scale = 100, .digits = 3};
}

Cell TextCell(std::string text) { return {.text = std::move(text)}; }

Cell NumberCell(double value, double sigma) { return {.value = value, .sigma = sigma}; }

Cell ProbabilityCell(double probability) {
  return {.text = FormatProbability(probability), .value = probability};
}

Cell RoundedCell(double value, double resolution) {
  return {.value = value, .resolution = resolution};
}

void SetRows(RowSource source, Table* table, const RowChoice& choice) {
  std::size_t count = 0;
  std::vector<Row> chosen;
  source([&](const Row& row) {
    if (count++ < table->most_rows) table->rows.push_back(row);
    if (choice.is_shown && chosen.size() < table->most_rows && choice.is_shown(row))
      chosen.push_back(row);
  });
  if (count <= table->most_rows) return;
  table->source = std::move(source);
  table->num_source_rows = count;
  if (chosen.empty()) return;
  table->rows = std::move(chosen);
  table->choice = choice.words;
}

void ForEachRow(const Table& table, const RowSink& sink) {
  if (table.source) return table.source(sink);
  for (const Row& row : table.rows) sink(row);
}

std::size_t NumRows(const Table& table) {
  return table.source ? table.num_source_rows : table.rows.size();
}

std::size_t NumShownRows(const Table& table) {
  return std::min(table.rows.size(), table.most_rows);
}

std::string RowsLeftOut(const Table& table) {
  if (NumShownRows(table) == NumRows(table)) return "";
  if (table.choice.empty())
    return fmt::format("The first {} of {} rows; all are in", table.most_rows, NumRows(table));
  return fmt::format("{} of {} rows, {}; all are in", table.rows.size(), NumRows(table),
                     table.choice);
}

std::string ShownText(const Column& column, const Cell& cell) {
  if (!column.IsNumber() || !cell.text.empty()) return cell.text;
  const double value = cell.value * column.scale;
  if (cell.sigma > 0) return FormatWithSigma(value, cell.sigma * std::abs(column.scale));
  if (cell.resolution > 0) return FormatValue(value, cell.resolution * std::abs(column.scale));
  return column.digits == 0 ? FormatWhole(value) : FormatSignificant(value, column.digits);
}

std::string ShownHeader(const Column& column) {
  return column.IsNumber() ? column.header + " [" + column.unit + "]" : column.header;
}

std::string CsvFileOf(const Table& table) { return "tables/" + table.id + ".csv"; }

std::string UrlOf(const std::string& file) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string url;
  for (const char c : file) {
    url += kPlain.find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

std::string Slug(const std::string& text) {
  std::string slug;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 128 && std::isalnum(byte);
    slug += is_plain ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return slug.empty() ? "-" : slug;
}

}  // namespace percuss::report
