// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string_view>

#include "base/text/yaml_field.h"
#include "solver/body/rigid_body.h"

// What the readers of an experiment file share; its body section is read in experiment_body.cc.
namespace percuss::capture {

/// The bounds are wide; they are there to catch millimetres, grams and swapped signs.
inline constexpr Range kLength{
    .lowest = 0.0, .highest = 10.0, .lowest_included = false, .unit = "m"};

Eigen::Vector3d ReadVector3(const YamlField& field, const Range& range);

/// A path of the file, which is relative to the folder of the file.
std::filesystem::path Resolve(const YamlField& field, const std::filesystem::path& path);
std::filesystem::path ReadExistingFile(const YamlField& field, std::string_view allowed);

Range MarkerDiameterRange(const solver::Shape& shape);

}  // namespace percuss::capture
