// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <random>

namespace percuss::benchmarks {

struct RulerErrors {
  double sticker = 4e-4, mass_centre = 1e-3, square = 2e-3, side = 4e-4;  ///< largest [m, 1]
};

/// The experiment file of a data set with errors, evenly distributed; its paths are absolute.
YAML::Node DrawExperiment(const std::filesystem::path& data, const RulerErrors& largest,
                          std::mt19937* random);

}  // namespace percuss::benchmarks
