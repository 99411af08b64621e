// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percuss {

/// A quantity computed from columns of a table, as `3.9 * sin(angle_deg * deg)`: numbers, names of
/// columns, + - * / ^, brackets, sin, cos, tan, asin, acos, atan, atan2, sqrt, abs, exp, log and
/// the constants pi and deg (pi / 180).
class ColumnFormula {
 public:
  /// @throws std::invalid_argument saying what is wrong and at which character.
  explicit ColumnFormula(std::string_view text);

  /// Names of columns in the order of their first use.
  const std::vector<std::string>& columns() const { return columns_; }

  /// @param values one per entry of columns(); NaN where one is missing.
  double Evaluate(std::span<const double> values) const { return evaluate_(values); }

  using Function = std::function<double(std::span<const double>)>;

 private:
  std::vector<std::string> columns_;
  Function evaluate_;
};

}  // namespace percuss
