// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/command.h"

namespace percuss::app {

/// What every JSON result of `percuss measure` begins with.
nlohmann::ordered_json MeasureJsonHead(const std::string& measurement, const std::string& table,
                                       const CommonOptions& common);

/// `percuss measure puck`, under the subcommand `measure`.
Command MakeMeasurePuckCommand(CLI::App& measure, const CommonOptions& common);

}  // namespace percuss::app
