// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/topics.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

namespace percuss::benchmarks {

int RunTopics(std::string_view program, const std::vector<Topic>& topics, int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} DATA [TOPIC]...\n", program);
    return 2;
  }
  const std::span<char*> chosen(argv + 2, argv + argc);
  for (const char* name : chosen) {
    if (std::ranges::none_of(topics, [&](const Topic& topic) { return topic.name == name; })) {
      fmt::print(stderr, "{}: topic {}: not known\n", program, name);
      return 2;
    }
  }
  try {
    std::vector<BoundSection> sections;
    for (const Topic& topic : topics) {
      const auto is_this = [&](const char* name) { return topic.name == name; };
      const bool asked_for = std::ranges::any_of(chosen, is_this);
      if (chosen.empty() ? topic.takes_long : !asked_for) continue;
      for (BoundSection& section : topic.measure(argv[1])) sections.push_back(std::move(section));
    }
    return PrintBoundTable(sections) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 2;
  }
}

}  // namespace percuss::benchmarks
