// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "app/command.h"

namespace percuss::app {

/// `--states` and `--jobs`, which every command that tracks markers has.
void AddTrackOptions(CLI::App* subcommand, std::string* states, int* jobs);

}  // namespace percuss::app
