// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_calibration DATA: how good the calibration is, on real and on rendered pictures in the
// folder DATA and on synthetic rigs, beside OpenCV and mrcal. Prints one table. Exit 0: all bounds
// are met; 1: one is missed; 2: something failed.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <opencv2/core/utility.hpp>

#include "benchmarks/calibration_table.h"

namespace percuss::benchmarks {

bool CalibrationRow::Bounded() const { return std::isfinite(lowest) || std::isfinite(highest); }
bool CalibrationRow::Ok() const {
  return !Bounded() || (measured >= lowest && measured <= highest);
}

namespace {

std::string BoundText(const CalibrationRow& row) {
  if (!row.Bounded()) return "-";
  if (std::isinf(row.lowest)) return fmt::format("<= {:.4g}", row.highest);
  if (std::isinf(row.highest)) return fmt::format(">= {:.4g}", row.lowest);
  return fmt::format("{:.4g} .. {:.4g}", row.lowest, row.highest);
}

void Print(const std::vector<CalibrationSection>& sections) {
  fmt::print("{:<71} {:>14} {:>9}\n", "", "bound", "measured");
  for (const CalibrationSection& section : sections) {
    fmt::print("{}\n", section.heading);
    for (const CalibrationRow& row : section.rows) {
      const char* verdict = !row.Bounded() ? "" : row.Ok() ? "ok" : "MISSED";
      fmt::print("  {:<69} {:>14} {:>9.4g}  {:<6} {}\n", row.name, BoundText(row), row.measured,
                 row.unit, verdict);
    }
  }
  for (const CalibrationSection& section : sections) {
    for (const std::string& remark : section.remarks) fmt::print("\n{}\n", remark);
  }
}

int Main(const std::filesystem::path& data) {
  constexpr int kNumThreads = 2;  // for ours and for OpenCV
  cv::setNumThreads(kNumThreads);
  std::vector<CalibrationSection> sections = {MeasurePhotographs(data, kNumThreads),
                                              MeasureBarDrop(data, kNumThreads)};
  for (CalibrationSection& section : MeasureCoverage(kNumThreads)) {
    sections.push_back(std::move(section));
  }
  sections.push_back(MeasureTime(data, kNumThreads));
  Print(sections);
  return std::ranges::all_of(sections,
                             [](const CalibrationSection& section) {
                               return std::ranges::all_of(section.rows, &CalibrationRow::Ok);
                             })
             ? 0
             : 1;
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: percuss_calibration DATA\n");
    return 2;
  }
  try {
    return percuss::benchmarks::Main(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "percuss_calibration: {}\n", error.what());
    return 2;
  }
}
