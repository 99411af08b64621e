// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace percuss::benchmarks {

/// One line of the table: `measured` must lie from `lowest` to `highest`; infinite bounds are none.
struct CalibrationRow {
  std::string name;
  std::string unit;
  double measured = std::numeric_limits<double>::quiet_NaN();
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();

  bool Bounded() const;
  bool Ok() const;  ///< true without bounds; false for NaN with one
};

/// Lines under one heading, with remarks printed below the table.
struct CalibrationSection {
  std::string heading;
  std::vector<CalibrationRow> rows;
  std::vector<std::string> remarks;
};

/// The 13 real pairs: ours beside OpenCV and mrcal.
CalibrationSection MeasurePhotographs(const std::filesystem::path& data, int num_threads);

/// The rendered pairs against their truth.
CalibrationSection MeasureBarDrop(const std::filesystem::path& data, int num_threads);

/// Whether stated errors are those made, over draws of four synthetic rigs.
std::vector<CalibrationSection> MeasureCoverage(int num_threads);

/// Time of the whole calibration of the 13 pairs over that of OpenCV's sample program.
CalibrationSection MeasureTime(const std::filesystem::path& data, int num_threads);

}  // namespace percuss::benchmarks
