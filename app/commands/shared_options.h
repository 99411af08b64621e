// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/requests/impact_input.h"
#include "pipeline/fit_choices.h"

namespace CLI {
class App;
}

namespace percuss::app {

/// The argument EXPERIMENT.yaml.
void AddExperiment(CLI::App* subcommand, std::string* file);
/// --jobs.
void AddJobs(CLI::App* subcommand, int* jobs, const std::string& help = "Threads");
/// The argument for the impacts, and --body.
void AddImpactArguments(CLI::App* subcommand, ImpactArguments* arguments);
/// --law, --model, --group, --scatter, --robust and --bootstrap.
void AddFitChoices(CLI::App* subcommand, pipeline::FitChoices* choices);
/// `--states` and `--jobs`, which every command that tracks markers has.
void AddTrackOptions(CLI::App* subcommand, std::string* states, int* jobs);

/// @throws InputError if --output names one of the files that are read.
void RefuseInputAsOutput(const std::filesystem::path& output,
                         const std::vector<std::filesystem::path>& inputs);

}  // namespace percuss::app
