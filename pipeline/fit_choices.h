// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "fitting/estimate/coefficient_fit.h"

// What a user can ask of a fit of coefficients, the same in `percuss fit` and `percuss run`.
namespace percuss::pipeline {

struct FitChoices {
  std::vector<std::string> laws;    ///< names, or "all"
  std::vector<std::string> models;  ///< PARAMETER=MODEL
  std::string group;                ///< COLUMN[:PARAMETER,...]
  bool scatter = false;
  bool robust = false;
  int bootstrap = 0;
};

/// @throws std::invalid_argument for an unknown law, model or parameter.
fitting::FitOptions FitOptionsOf(const FitChoices& choices, int num_threads);

/// The choices as a command line has them, each with a blank before it; laws only where they are
/// not the default ones.
std::string CommandLineOf(const FitChoices& choices, const std::vector<std::string>& default_laws);

}  // namespace percuss::pipeline
