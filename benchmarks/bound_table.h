// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace percuss::benchmarks {

/// One line of a table: `measured` must lie from `lowest` to `highest`; infinite bounds are none.
struct BoundRow {
  std::string name;
  std::string unit;
  double measured = std::numeric_limits<double>::quiet_NaN();
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();

  bool Bounded() const;
  bool Ok() const;  ///< true without bounds; false for NaN with one
};

/// Lines under one heading, with remarks printed below the table.
struct BoundSection {
  std::string heading;
  std::vector<BoundRow> rows;
  std::vector<std::string> remarks;
};

/// Prints all sections as one table.
/// @returns whether every bound is met.
bool PrintBoundTable(const std::vector<BoundSection>& sections);

}  // namespace percuss::benchmarks
