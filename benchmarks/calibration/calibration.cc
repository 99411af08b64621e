// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_calibration DATA [TOPIC]...: how good the calibration is, on real and on rendered
// pictures in the folder DATA, on synthetic rigs and from videos of a waved board, beside OpenCV
// and mrcal. Topics: photographs, bar-drop, coverage, time, and board-video, which takes minutes.
// Prints one table. Exit 0: all bounds are met; 1: one is missed; 2: something failed.

#include <opencv2/core/utility.hpp>

#include "benchmarks/calibration/calibration_table.h"
#include "benchmarks/topics.h"

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  constexpr int kNumThreads = 2;  // for ours and for OpenCV
  cv::setNumThreads(kNumThreads);
  using Data = std::filesystem::path;
  using Sections = std::vector<BoundSection>;
  return RunTopics(
      "percuss_calibration",
      {{"photographs",
        [](const Data& data) { return Sections{MeasurePhotographs(data, kNumThreads)}; }},
       {"bar-drop", [](const Data& data) { return Sections{MeasureBarDrop(data, kNumThreads)}; }},
       {"coverage", [](const Data&) { return MeasureCoverage(kNumThreads); }},
       {"time", [](const Data& data) { return Sections{MeasureTime(data, kNumThreads)}; }},
       {"board-video", [](const Data&) { return Sections{MeasureBoardVideo(kNumThreads)}; }, true}},
      argc, argv);
}
