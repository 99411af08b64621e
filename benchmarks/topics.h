// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// One part of a benchmark program that can be asked for by name.
struct Topic {
  std::string_view name;
  std::function<std::vector<BoundSection>(const std::filesystem::path& data)> measure;
  bool takes_long = false;  ///< measured only where it is asked for
};

/// The main of `PROGRAM DATA [TOPIC]...`: measures the topics asked for, without any all
/// that do not take long, and
/// prints one table.
/// @returns the exit code. 0: all bounds are met; 1: one is missed; 2: something failed.
int RunTopics(std::string_view program, const std::vector<Topic>& topics, int argc, char** argv);

}  // namespace percuss::benchmarks
