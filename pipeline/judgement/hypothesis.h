// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "base/text/yaml_field.h"

namespace percuss::pipeline {

/// One line of an experiment file that may have been typed wrong, and what was meant.
struct Hypothesis {
  std::string kind;               ///< such as "mirrored layout"
  std::vector<std::string> path;  ///< of the line to change
  std::string found;              ///< what is wrong with it, after the name of the line: "is 0.025"
  std::string write;              ///< what to write there
  std::vector<YamlEdit> edits;    ///< the same for the program
};

/// "body.markers", "trials[#3].gravity": as messages of the experiment file name a line.
std::string NameOf(const std::vector<std::string>& path);

/// The line of the file on which it stands; of what is not there, that of the map it belongs to.
int LineOf(const std::filesystem::path& file, const std::vector<std::string>& path);

}  // namespace percuss::pipeline
