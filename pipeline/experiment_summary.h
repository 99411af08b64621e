// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "capture/experiment/experiment.h"

namespace percuss::pipeline {

/// What was dropped and what calibrated the cameras, in words with units, as run.json keeps it for
/// the report: `body`, `mass` [kg], `markers` (how many), `board` (where a trial has videos).
nlohmann::json SummariseExperiment(const capture::Experiment& experiment);

/// The same in one line, with the number of trials; free of names.
std::string ExperimentInWords(const capture::Experiment& experiment);

}  // namespace percuss::pipeline
