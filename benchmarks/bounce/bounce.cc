// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// percuss_bounce DATA [TOPIC]...: e and spin of a ball before one camera against truth, a table of
// bounds.

#include "benchmarks/bounce/bounce_table.h"
#include "benchmarks/topics.h"

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  constexpr int kSome = 20, kMany = 300, kSpins = 12;
  return RunTopics(
      "percuss_bounce",
      {{"outline", [](const std::filesystem::path&) { return MeasureOutlines(); }},
       {"ear", [](const std::filesystem::path&) { return MeasureEar(); }},
       {"scenes", [](const std::filesystem::path&) { return MeasureScenes(); }},
       {"speed", [](const std::filesystem::path&) { return MeasureBounceSpeed(); }},
       {"clips", [](const std::filesystem::path&) { return MeasureBounceClips(kSome); }},
       {"many-clips", [](const std::filesystem::path&) { return MeasureBounceClips(kMany); }, true},
       {"spin", [](const std::filesystem::path&) { return MeasureBounceSpins(kSpins); }}},
      argc, argv);
}
