// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_bench DATA [MODE [WORD]...]: what the program makes of benches that are not as the
// experiment file says. The modes and what they measure: kModes; without one, draws.
// percuss_bench DATA N is percuss_bench DATA draws N.
// Exit 0: all bounds are met; 1: one is missed; 2: it could not be measured.

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/bench/bench_coverage.h"
#include "benchmarks/bench/bench_draws.h"
#include "benchmarks/bench/exact_file.h"
#include "benchmarks/bench/no_layout.h"
#include "benchmarks/bench/phones.h"
#include "benchmarks/bench/thesis_drops.h"
#include "benchmarks/bench/tone.h"
#include "benchmarks/bench/wrong_lines/wrong_lines.h"
#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {
namespace {

using Words = std::vector<std::string>;

struct Mode {
  const char* name;
  const char* words;  ///< that may follow
  const char* help;
  std::vector<BoundSection> (*measure)(const std::filesystem::path& data, const Words& words);
};

/// A number above 0 as the first word, or what holds without one.
int Count(const Words& words, int otherwise) {
  return words.empty() ? otherwise : std::max(1, std::atoi(words[0].c_str()));
}

constexpr Mode kModes[] = {
    {"draws", "[N]", "rendered drops with the errors of a ruler, drawn N times, 50 if not stated",
     [](const auto& data, const Words& words) { return MeasureDraws(data, Count(words, 50)); }},
    {"coverage", "[N]", "N made-up experiments, 200 if not stated: what the 95 % intervals hold",
     [](const auto&, const Words& words) { return MeasureBenchCoverage(Count(words, 200)); }},
    {"exact", "", "the same drops, their file without an error",
     [](const auto& data, const Words&) { return MeasureExactFile(data); }},
    {"no-layout", "", "the same drops, and nobody measured where the markers are",
     [](const auto& data, const Words&) { return MeasureNoLayout(data); }},
    {"phones", "", "line times that nobody stated, and slow motion: phones of docs/tutorial.md",
     [](const auto&, const Words&) { return MeasurePhones(); }},
    {"thesis-drops", "",
     "as sun2017 dropped: slender rods, one camera, a plate tilted for each drop",
     [](const auto& data, const Words&) { return MeasureThesisDrops(data); }},
    {"wrong-lines", "[KIND [N]...]...", "files with one wrong line, and good ones: what is named",
     [](const auto& data, const Words& words) {
       return std::vector<BoundSection>{MeasureWrongLines(data, words)};
     }},
    {"tone", "", "the same drops with another tone stated than that of the pictures",
     [](const auto& data, const Words&) { return MeasureTone(data); }},
    {"time", "", "what the estimate of the bench adds to a run",
     [](const auto& data, const Words&) { return MeasureBenchTime(data); }},
};

int Run(Words words) {
  const auto usage = [] {
    fmt::print(stderr, "usage: percuss_bench DATA [MODE [WORD]...]\n");
    for (const Mode& mode : kModes)
      fmt::print(stderr, "  {:24} {}\n", fmt::format("{} {}", mode.name, mode.words), mode.help);
    return 2;
  };
  if (words.empty()) return usage();
  const std::filesystem::path data = words[0];
  words.erase(words.begin());
  if (words.empty() || words[0].find_first_not_of("0123456789") == std::string::npos)
    words.insert(words.begin(), "draws");
  const auto mode =
      std::ranges::find_if(kModes, [&](const Mode& one) { return one.name == words[0]; });
  if (mode == std::end(kModes)) return usage();
  words.erase(words.begin());
  return PrintBoundTable(mode->measure(data, words)) ? 0 : 1;
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  try {
    return percuss::benchmarks::Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "percuss_bench: {}\n", error.what());
    return 2;
  }
}
