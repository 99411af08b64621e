// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/requests/impact_input.h"
#include "base/parallel.h"
#include "pipeline/fit_choices.h"

namespace CLI {
class App;
}

namespace percuss::app {

/// The argument EXPERIMENT.yaml.
void AddExperiment(CLI::App* subcommand, std::string* file);
/// --jobs.
void AddJobs(CLI::App* subcommand, int* jobs, const std::string& help = "Threads");
/// --verbose.
void AddVerbose(CLI::App* subcommand, bool* verbose);
/// The argument for the impacts, and --body.
void AddImpactArguments(CLI::App* subcommand, ImpactArguments* arguments);
/// --law, --model, --group, --scatter, --robust and --bootstrap.
void AddFitChoices(CLI::App* subcommand, pipeline::FitChoices* choices);
/// What every command that tracks markers is asked.
struct TrackChoices {
  std::string states = "arcs";
  int jobs = AllCores();
  bool enhanced = false;
  int enhanced_every = 10;

  std::optional<int> EnhancedEvery() const {
    return enhanced ? std::optional(enhanced_every) : std::nullopt;
  }
};
/// --states, --jobs, --enhanced, --enhanced-every.
void AddTrackOptions(CLI::App* subcommand, TrackChoices* choices);

/// @throws InputError if --output names one of the files that are read.
void RefuseInputAsOutput(const std::filesystem::path& output,
                         const std::vector<std::filesystem::path>& inputs);

}  // namespace percuss::app
