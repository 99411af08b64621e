// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/fit_choices.h"

namespace CLI {
class App;
}

namespace percuss::app {

/// --law, --model, --group, --scatter, --robust and --bootstrap.
void AddFitChoices(CLI::App* subcommand, pipeline::FitChoices* choices);

}  // namespace percuss::app
