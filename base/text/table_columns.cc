// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/table_columns.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/files/files.h"
#include "base/nan.h"
#include "base/text/csv_rows.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kTurn = 2.0 * std::numbers::pi;

struct Unit {
  std::string_view name;
  Dimension dimension;
  double si;
};
constexpr Unit kUnits[] = {
    {"1", Dimension::kNumber, 1.0},
    {"percent", Dimension::kNumber, 0.01},
    {"m", Dimension::kLength, 1.0},
    {"cm", Dimension::kLength, 1e-2},
    {"mm", Dimension::kLength, 1e-3},
    {"um", Dimension::kLength, 1e-6},
    {"in", Dimension::kLength, 0.0254},
    {"ft", Dimension::kLength, 0.3048},
    {"s", Dimension::kTime, 1.0},
    {"ms", Dimension::kTime, 1e-3},
    {"us", Dimension::kTime, 1e-6},
    {"rad", Dimension::kAngle, 1.0},
    {"deg", Dimension::kAngle, kDegree},
    {"turn", Dimension::kAngle, kTurn},
    {"m/s", Dimension::kVelocity, 1.0},
    {"cm/s", Dimension::kVelocity, 1e-2},
    {"mm/s", Dimension::kVelocity, 1e-3},
    {"km/h", Dimension::kVelocity, 1.0 / 3.6},
    {"in/s", Dimension::kVelocity, 0.0254},
    {"ft/s", Dimension::kVelocity, 0.3048},
    {"rad/s", Dimension::kAngularVelocity, 1.0},
    {"deg/s", Dimension::kAngularVelocity, kDegree},
    {"rev/s", Dimension::kAngularVelocity, kTurn},
    {"rpm", Dimension::kAngularVelocity, kTurn / 60.0},
};

constexpr std::string_view kColumnForms =
    "the name of a column, {from: COLUMN, unit: UNIT, scale: FACTOR, add: NUMBER}, "
    "{formula: TEXT}, or unmeasured";

double ReadUnit(const YamlField& field, Dimension dimension) {
  std::vector<std::string_view> allowed;
  for (const Unit& unit : kUnits) {
    if (unit.dimension == dimension) allowed.push_back(unit.name);
  }
  const std::string text = fmt::format("{}", fmt::join(allowed, ", "));
  const std::string name = field.Text(text);
  for (const Unit& unit : kUnits) {
    if (unit.dimension == dimension && unit.name == name) return unit.si;
  }
  field.Throw(text);
}

TableColumn ReadText(const YamlField& field, std::string_view quantity) {
  TableColumn column{.quantity = std::string(quantity), .is_text = true};
  static constexpr std::string_view kAllowed = "the name of a column, or a list of names";
  if (field.IsList()) {
    for (const YamlField& item : field.Items(kAllowed)) column.from.push_back(item.Text(kAllowed));
    if (column.from.empty()) field.Throw(kAllowed);
  } else {
    column.from = {field.Text(kAllowed)};
  }
  return column;
}

TableColumn ReadNumber(const YamlField& field, const TableQuantity& quantity) {
  TableColumn column{.quantity = std::string(quantity.name)};
  if (!field.IsMap()) {
    const std::string name = field.Text(kColumnForms);
    column.unmeasured = name == "unmeasured";
    if (!column.unmeasured) column.from = {name};
    return column;
  }
  field.AllowKeys({"from", "unit", "scale", "add", "formula"});
  if (field["formula"].Given()) {
    for (const char* key : {"from", "unit", "scale", "add"}) {
      if (field[key].Given()) field[key].Throw("nothing beside formula (its value is in SI units)");
    }
    const std::string text = field["formula"].Text("a formula");
    try {
      column.formula = ColumnFormula(text);
    } catch (const std::invalid_argument& broken) {
      field["formula"].Throw(fmt::format("\"{}\": {}", text, broken.what()), "a formula");
    }
    column.from = column.formula->columns();
    return column;
  }
  column.from = {field["from"].Text(kColumnForms)};
  if (field["unit"].Given()) column.scale = ReadUnit(field["unit"], quantity.dimension);
  if (field["scale"].Given()) {
    const double scale = field["scale"].Number({});
    if (scale == 0.0) field["scale"].Throw("a number that is not 0");
    column.scale *= scale;
  }
  if (field["add"].Given()) column.add = field["add"].Number({});
  return column;
}

RowFilter ReadFilter(const YamlField& field, std::string_view column) {
  static constexpr std::string_view kAllowed =
      "a value, a list of values, or {at_least: NUMBER, at_most: NUMBER}";
  RowFilter filter{.column = std::string(column)};
  if (field.IsMap()) {
    field.AllowKeys({"at_least", "at_most"});
    if (field["at_least"].Given()) filter.at_least = field["at_least"].Number({});
    if (field["at_most"].Given()) filter.at_most = field["at_most"].Number({});
  } else if (field.IsList()) {
    for (const YamlField& item : field.Items(kAllowed)) {
      filter.values.push_back(item.Text(kAllowed));
    }
    if (filter.values.empty()) field.Throw(kAllowed);
  } else {
    filter.values = {field.Text(kAllowed)};
  }
  return filter;
}

// The number a text stands for, NaN for any other text.
double NumberOrNaN(const std::string& text) {
  try {
    return ParseCsvNumber("", "", text);
  } catch (const InputError&) {
    return kNaN;
  }
}

bool Keeps(const RowFilter& filter, const std::string& cell) {
  const double number = NumberOrNaN(cell);
  if (filter.at_least || filter.at_most) {
    return (!filter.at_least || number >= *filter.at_least) &&
           (!filter.at_most || number <= *filter.at_most);
  }
  return std::ranges::any_of(filter.values, [&](const std::string& value) {
    return value == cell || number == NumberOrNaN(value);
  });
}

// Places of columns in a file, with complaints that suggest the nearest name.
class HeaderPlaces {
 public:
  HeaderPlaces(const fs::path& file, const CsvRow& header) : file_(file), header_(header) {
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
      if (std::ranges::count(header.cells, header.cells[i]) > 1 && !header.cells[i].empty()) {
        throw InputError(fmt::format("{}: line {}: found column {} twice", file.string(),
                                     header.line, header.cells[i]));
      }
    }
  }

  std::size_t Of(const std::string& column) const {
    const auto found = std::ranges::find(header_.cells, column);
    if (found != header_.cells.end()) return found - header_.cells.begin();
    const std::vector<std::string_view> known(header_.cells.begin(), header_.cells.end());
    const std::string_view nearest = NearestWord(column, known);
    throw InputError(fmt::format("{}: line {}: column {} is missing{}; found {}", file_.string(),
                                 header_.line, column,
                                 nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest),
                                 fmt::join(header_.cells, ", ")));
  }

 private:
  const fs::path& file_;
  const CsvRow& header_;
};

}  // namespace

const TableColumn* TableColumns::Find(std::string_view quantity) const {
  const auto found = std::ranges::find(columns, quantity, &TableColumn::quantity);
  return found == columns.end() ? nullptr : &*found;
}

TableColumns ReadTableColumns(const YamlField& description,
                              std::span<const TableQuantity> quantities) {
  TableColumns result;
  result.table =
      description.File().parent_path() / description["table"].Text("the name of a CSV file");
  std::error_code error;
  if (!fs::is_regular_file(result.table, error)) {
    description["table"].Throw(fmt::format("{}, which is not there", result.table.string()),
                               "a CSV file");
  }
  result.columns = ReadColumnMap(description["columns"], quantities);
  if (description["keep"].Given()) result.keep = ReadRowFilters(description["keep"]);
  return result;
}

std::vector<TableColumn> ReadColumnMap(const YamlField& columns,
                                       std::span<const TableQuantity> quantities) {
  std::vector<std::string_view> names;
  for (const TableQuantity& quantity : quantities) names.push_back(quantity.name);
  columns.AllowKeys(names);
  std::vector<TableColumn> result;
  for (const auto& [name, field] : columns.Entries("a map of quantities to columns")) {
    const auto quantity = std::ranges::find(quantities, name, &TableQuantity::name);
    result.push_back(quantity->dimension == Dimension::kText ? ReadText(field, quantity->name)
                                                             : ReadNumber(field, *quantity));
  }
  return result;
}

std::vector<RowFilter> ReadRowFilters(const YamlField& keep) {
  std::vector<RowFilter> filters;
  for (const auto& [name, field] : keep.Entries("a map of columns to values")) {
    filters.push_back(ReadFilter(field, name));
  }
  return filters;
}

MappedTable ReadMappedTable(const TableColumns& columns) {
  return MapRows(columns, ParseCsv(columns.table, ReadFile(columns.table)));
}

MappedTable MapRows(const TableColumns& columns, std::vector<CsvRow> rows) {
  const fs::path& file = columns.table;
  if (rows.empty()) {
    throw InputError(fmt::format("{}: found no header line, allowed a table that starts with one",
                                 file.string()));
  }
  const HeaderPlaces places(file, rows.front());
  std::vector<std::vector<std::size_t>> sources;
  for (const TableColumn& column : columns.columns) {
    sources.emplace_back();
    for (const std::string& name : column.from) sources.back().push_back(places.Of(name));
  }
  std::vector<std::size_t> filtered;
  for (const RowFilter& filter : columns.keep) filtered.push_back(places.Of(filter.column));

  MappedTable table{.header = rows.front().cells};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CsvRow& row = rows[i];
    const std::string where = fmt::format("{}: row {} (line {})", file.string(), i, row.line);
    if (row.cells.size() != table.header.size()) {
      throw InputError(fmt::format("{}: found {} cells, allowed {} as in the header", where,
                                   row.cells.size(), table.header.size()));
    }
    bool kept = true;
    for (std::size_t k = 0; k < filtered.size(); ++k) {
      kept = kept && Keeps(columns.keep[k], row.cells[filtered[k]]);
    }
    if (!kept) {
      ++table.num_left_out;
      continue;
    }
    TableRow mapped{.row = static_cast<int>(i), .line = row.line};
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const TableColumn& column = columns.columns[k];
      std::vector<double> values;
      std::string text;
      for (const std::size_t source : sources[k]) {
        const std::string& cell = row.cells[source];
        if (column.is_text) {
          text += (text.empty() ? "" : "-") + cell;
        } else {
          values.push_back(ParseCsvNumber(where, table.header[source], cell));
        }
      }
      double number = kNaN;
      if (column.formula) {
        number = column.formula->Evaluate(values);
      } else if (!values.empty()) {
        number = column.scale * values.front() + column.add;
      }
      mapped.numbers.push_back(number);
      mapped.texts.push_back(std::move(text));
    }
    mapped.cells = std::move(row.cells);
    table.rows.push_back(std::move(mapped));
  }
  if (table.rows.empty()) {
    throw InputError(
        table.num_left_out == 0
            ? fmt::format("{}: found no row below the header, allowed one or more", file.string())
            : fmt::format("{}: found {} rows, none of which `keep` allows", file.string(),
                          table.num_left_out));
  }
  return table;
}

}  // namespace percuss
