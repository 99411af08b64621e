// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/text/yaml_field.h"
#include "base/value_with_sigma.h"

namespace percuss::capture {

/// Coefficients of impact laws that were measured elsewhere, by the name of the parameter.
using Coefficients = std::map<std::string, ValueWithSigma>;

/// Of the map under `coefficients`, such as {mu: 0.24±0.01, e: 0.46±0.02}; none if not given.
/// @throws InputError for what is no number with a sigma (ParseValueWithSigma).
Coefficients ReadCoefficients(const YamlField& field);
/// Those that an experiment file, or the file of a body, states.
Coefficients ReadCoefficients(const std::filesystem::path& file);

}  // namespace percuss::capture
