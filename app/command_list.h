// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace percuss::app {

inline constexpr const char* kProgramSummary =
    "Drop-test video in, friction and restitution coefficients out.";

/// Adds every command to the program, in the order of `percuss --help`.
std::vector<Command> AddCommands(CLI::App& program, const CommonOptions& common);

// What the commands and their options are, for other ways to call them.

struct OptionFacts {
  std::string name;  ///< `--frame-rate`; of an argument without dashes that name
  bool positional = false;
  bool required = false;
  bool flag = false;     ///< takes no value
  int least_values = 1;  ///< that it takes
  int most_values = 1;
  std::string values;  ///< what stands for a value in the help: `EXPERIMENT.yaml`
  std::string meaning;
  std::string standard;  ///< the value where it is left out, if the help states it
};

struct CommandFacts {
  std::string name;  ///< `fit`; of a part of a command `measure drop`
  std::string meaning;
  std::vector<OptionFacts> options;
};

/// Commands that have parts are there by their parts.
std::vector<CommandFacts> ListCommands();

}  // namespace percuss::app
