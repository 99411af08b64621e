// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/column_formula.h"
#include "base/text/csv_rows.h"
#include "base/text/yaml_field.h"

namespace percuss {

/// Dimension of a quantity of a table; decides which units a description may name.
enum class Dimension { kNumber, kLength, kTime, kAngle, kVelocity, kAngularVelocity, kText };

/// A quantity that a table description may map to columns of a file.
struct TableQuantity {
  std::string_view name;  ///< as in `columns:` of the description
  Dimension dimension = Dimension::kNumber;
};

/// Where a quantity comes from:
///
///     vx: vx0                                        the column as it is, SI units
///     wy: {from: w0, unit: deg/s}                    in another unit
///     vz_post: {from: vy1, scale: -1, add: 0.1}      scale * cell + add, SI units after `scale`
///     vx: {formula: 3.9 * sin(angle_deg * deg)}      ColumnFormula, SI units
///     trial: [object, experiment]                    texts joined by "-"
///     wy_post: unmeasured                            only where the reader says so
struct TableColumn {
  std::string quantity;
  std::vector<std::string> from = {};         ///< one column, or several for a text
  double scale = 1.0;                         ///< to SI units, `unit` and `scale` together
  double add = 0.0;                           ///< SI units
  std::optional<ColumnFormula> formula = {};  ///< then `from` are its columns
  bool is_text = false;
  bool unmeasured = false;
};

/// Rows that a description keeps: `flag: 0`, `traj: [2, 4]`, `angle: {at_least: 30, at_most: 60}`.
struct RowFilter {
  std::string column;
  std::vector<std::string> values = {};  ///< any of them; compared as numbers where both are
  std::optional<double> at_least = {}, at_most = {};
};

/// `table`, `columns` and `keep` of a description.
struct TableColumns {
  std::filesystem::path table;  ///< resolved against the folder of the description
  std::vector<TableColumn> columns;
  std::vector<RowFilter> keep;

  const TableColumn* Find(std::string_view quantity) const;  ///< null if not mapped
};

/// The keys that ReadTableColumns reads, for AllowKeys of the whole description.
inline constexpr std::string_view kTableKeys[] = {"table", "kind", "columns", "keep"};

/// @param description the root of the file; other keys are the caller's.
/// @throws InputError naming file, field and line: an unknown quantity (with the nearest known
/// one), a unit of another dimension, a broken formula, a missing file.
TableColumns ReadTableColumns(const YamlField& description,
                              std::span<const TableQuantity> quantities);

/// `columns` alone, and `keep` alone.
std::vector<TableColumn> ReadColumnMap(const YamlField& columns,
                                       std::span<const TableQuantity> quantities);
std::vector<RowFilter> ReadRowFilters(const YamlField& keep);

/// One kept row with its quantities, in the order of TableColumns::columns.
struct TableRow {
  int row = 0;   ///< below the header, from 1
  int line = 0;  ///< of the file, from 1
  std::vector<double> numbers =
      {};  ///< SI; NaN for a missing cell, an unmeasured quantity or a text
  std::vector<std::string> texts = {};  ///< empty for numbers
  std::vector<std::string> cells = {};  ///< of the whole row, as in MappedTable::header
};

struct MappedTable {
  std::vector<std::string> header;
  std::vector<TableRow> rows = {};
  int num_left_out = 0;  ///< by `keep`
};

/// Reads the CSV file of a description.
/// @throws InputError naming file, row and column: a column that is not there (with the nearest
/// one), text where a number is due, a row of another length, no row, or none kept.
MappedTable ReadMappedTable(const TableColumns& columns);

/// The same from the rows of the file, header first.
MappedTable MapRows(const TableColumns& columns, std::vector<CsvRow> rows);

}  // namespace percuss
