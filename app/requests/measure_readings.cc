// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/measure_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/csv_rows.h"

namespace percuss::app {
namespace {

using fitting::BenchMethod;

std::vector<std::string> QuantityNames(std::string_view measurement) {
  std::vector<std::string> names;
  for (const BenchMethod& method : fitting::BenchMethods()) {
    if (method.measurement != measurement) continue;
    for (const auto& quantity : method.quantities) {
      const std::string name(quantity.name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

void CheckHeader(const std::string& file, const CsvRow& header, std::string_view measurement,
                 const ReadingsByName& given) {
  std::vector<std::string> allowed = QuantityNames(measurement);
  allowed.insert(allowed.begin(), "group");
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    const std::string& name = header.cells[i];
    if (std::ranges::find(allowed, name) == allowed.end()) {
      throw InputError(fmt::format("{}: line {}: found column \"{}\", allowed {}", file,
                                   header.line, name, fmt::join(allowed, ", ")));
    }
    if (std::count(header.cells.begin(), header.cells.end(), name) > 1) {
      throw InputError(fmt::format("{}: line {}: found column {} twice", file, header.line, name));
    }
    const auto on_command_line = given.find(name);
    if (on_command_line != given.end() && !on_command_line->second.values.empty()) {
      throw InputError(fmt::format("{}: line {}: found column {}, which is on the command line too",
                                   file, header.line, name));
    }
  }
}

// The quantities of the table and of the command line together.
const BenchMethod& MethodOf(const std::string& file, const CsvRow& header,
                            std::string_view measurement, const ReadingsByName& given) {
  std::vector<std::string> needed;
  for (const std::string& name : header.cells) {
    if (name != "group") needed.push_back(name);
  }
  for (const auto& [name, readings] : given) {
    if (!readings.values.empty()) needed.push_back(name);
  }
  try {
    return fitting::FindBenchMethod(measurement, needed);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: line {}: {}", file, header.line, error.what()));
  }
}

// One repeat; `missing` names a column without a value.
ReadingsGroup ReadRow(const std::string& where, const CsvRow& header, const CsvRow& row,
                      const ReadingsByName& given, std::string& missing) {
  if (row.cells.size() != header.cells.size()) {
    throw InputError(fmt::format("{}: found {} cells, allowed {}", where, row.cells.size(),
                                 header.cells.size()));
  }
  ReadingsGroup one{.name = "", .readings = given};
  for (std::size_t k = 0; k < header.cells.size(); ++k) {
    if (header.cells[k] == "group") {
      one.name = row.cells[k];
      continue;
    }
    const double value = ParseCsvNumber(where, header.cells[k], row.cells[k]);
    if (std::isnan(value)) missing = header.cells[k];
    one.readings[header.cells[k]].values = {value};
  }
  return one;
}

void AddRepeat(const ReadingsGroup& one, const CsvRow& header, std::vector<ReadingsGroup>& groups) {
  const auto same = std::ranges::find(groups, one.name, &ReadingsGroup::name);
  if (same == groups.end()) {
    groups.push_back(one);
    return;
  }
  for (const std::string& name : header.cells) {
    if (name == "group") continue;
    same->readings[name].values.push_back(one.readings.at(name).values.front());
  }
}

}  // namespace

std::vector<ReadingsGroup> ReadReadings(const std::string& file, std::string_view measurement,
                                        const ReadingsByName& given, double gravity,
                                        std::vector<std::string>& left_out) {
  const std::vector<CsvRow> rows = ParseCsv(file, ReadFile(file));
  if (rows.empty()) throw InputError(fmt::format("{}: found no row, allowed a header first", file));
  const CsvRow& header = rows.front();
  CheckHeader(file, header, measurement, given);
  const BenchMethod& method = MethodOf(file, header, measurement, given);
  std::vector<ReadingsGroup> groups;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string where = fmt::format("{}: line {}", file, rows[i].line);
    std::string missing;
    const ReadingsGroup one = ReadRow(where, header, rows[i], given, missing);
    if (!missing.empty()) {
      left_out.push_back(fmt::format("{}: no value of {}", where, missing));
      continue;
    }
    try {
      fitting::MeasureOnBench(method, one.readings, gravity);
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", where, error.what()));
    }
    AddRepeat(one, header, groups);
  }
  if (groups.empty()) {
    throw DataError(fmt::format("{}: no row can be used{}{}", file, left_out.empty() ? "" : "; ",
                                left_out.empty() ? "" : left_out.front()));
  }
  return groups;
}

}  // namespace percuss::app
