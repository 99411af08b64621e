// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "base/parallel.h"

namespace CLI {
class App;
}

namespace percuss::app {

/// What `percuss measure slide --video` takes.
struct SlideVideoArguments {
  std::string experiment;  ///< empty: not asked for
  std::vector<std::string> trials;
  std::string output;
  int jobs = AllCores();
};

/// --video, --trial, --output and --jobs of `percuss measure slide`.
void AddSlideVideoOptions(CLI::App* subcommand, SlideVideoArguments* arguments);

/// Prints mu_k and mu_s of the slides of an experiment, each trial and their mean; the same as JSON
/// to stdout, or into a file.
int MeasureSlideVideo(const SlideVideoArguments& arguments, bool json, const CommonOptions& common);

}  // namespace percuss::app
