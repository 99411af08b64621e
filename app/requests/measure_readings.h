// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fitting/bench/bench_measurements.h"

namespace percuss::app {

using ReadingsByName = std::map<std::string, fitting::Readings>;

/// Rows of a table that belong together: one object, one surface.
struct ReadingsGroup {
  std::string name;  ///< empty where the table has no column `group`
  ReadingsByName readings;
};

/// Readings of a CSV table: a column for each quantity of the measurement (any others are an
/// error), a row for each repeat, and if there is a column `group`, repeats of each group by
/// themselves.
/// @param given values from the command line, which hold for all rows; their sigmas too.
/// @param left_out one sentence for each row with a missing value, which is not used.
/// @throws InputError naming file, line, column, value and what is allowed.
/// @throws DataError if no row can be used.
std::vector<ReadingsGroup> ReadReadings(const std::string& file, std::string_view measurement,
                                        const ReadingsByName& given, double gravity,
                                        std::vector<std::string>& left_out);

}  // namespace percuss::app
