// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_tracking DATA [--trials N] [TOPIC]...: how good the states at an impact are, and what
// they rest on, on the recorded and rendered sets in the folder DATA and on synthetic trials. See
// RunTopics. N: simulated impacts for each section of the topics coverage, one-camera and
// four-cameras, 300 if not stated.

#include <fmt/core.h>

#include <charconv>
#include <cstring>
#include <vector>

#include "benchmarks/topics.h"
#include "benchmarks/tracking/tracking_table.h"

namespace percuss::benchmarks {
namespace {

/// Takes "--trials N" from the arguments. 300 without it, 0 if N is no number above 0.
int TakeTrials(std::vector<char*>* arguments) {
  constexpr int kTrials = 300;
  for (std::size_t i = 1; i + 1 < arguments->size(); ++i) {
    if (std::strcmp((*arguments)[i], "--trials") != 0) continue;
    const char* text = (*arguments)[i + 1];
    const char* end = text + std::strlen(text);
    int trials = 0;
    if (std::from_chars(text, end, trials).ptr != end || trials < 1) return 0;
    const auto option = arguments->begin() + static_cast<std::ptrdiff_t>(i);
    arguments->erase(option, option + 2);
    return trials;
  }
  return kTrials;
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  std::vector<char*> arguments(argv, argv + argc);
  const int trials = TakeTrials(&arguments);
  if (trials == 0) {
    fmt::print(stderr, "percuss_tracking: --trials: a number above 0 is needed\n");
    return 2;
  }
  return RunTopics(
      "percuss_tracking",
      {{"centroid", MeasureCentroid},
       {"coverage",
        [trials](const std::filesystem::path& data) { return MeasureCoverage(data, trials); }},
       {"depth", MeasureDepth},
       {"four-cameras",
        [trials](const std::filesystem::path& data) { return MeasureFourCameras(data, trials); }},
       {"labels", MeasureLabels},
       {"mocap", MeasureMotionCapture},
       {"one-camera",
        [trials](const std::filesystem::path& data) { return MeasureOneCamera(data, trials); }},
       {"slide", MeasureSlideVideos},
       {"speed", MeasureTrackingSpeed},
       {"states", MeasureRenderedStates},
       {"synchronisation", MeasureSynchronisation}},
      static_cast<int>(arguments.size()), arguments.data());
}
