// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_calibration DATA: how good the calibration is, on real and on rendered pictures in the
// folder DATA and on synthetic rigs, beside OpenCV and mrcal. Prints one table. Exit 0: all bounds
// are met; 1: one is missed; 2: something failed.

#include <fmt/core.h>

#include <exception>
#include <opencv2/core/utility.hpp>

#include "benchmarks/calibration/calibration_table.h"

namespace percuss::benchmarks {

namespace {

int Main(const std::filesystem::path& data) {
  constexpr int kNumThreads = 2;  // for ours and for OpenCV
  cv::setNumThreads(kNumThreads);
  std::vector<BoundSection> sections = {MeasurePhotographs(data, kNumThreads),
                                        MeasureBarDrop(data, kNumThreads)};
  for (BoundSection& section : MeasureCoverage(kNumThreads)) {
    sections.push_back(std::move(section));
  }
  sections.push_back(MeasureTime(data, kNumThreads));
  return PrintBoundTable(sections) ? 0 : 1;
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
