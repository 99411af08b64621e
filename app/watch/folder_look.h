// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/campaign/landed.h"

namespace percuss::app {

/// A trial, or a clip of a ball, whose recordings are all there.
struct LandedTrial {
  std::string name = {};
  std::filesystem::path results = {};  ///< folder of its files below OUT
  double changed_at = 0.0;             ///< of its recordings, ChangedAt
};

/// What lies in a folder that is watched.
struct FolderLook {
  std::string name = {};  ///< of the experiment, or of the folder
  bool clips = false;     ///< of a ball, without an experiment file
  std::string problem =
      {};  ///< why nothing can be done with it, in one line; empty if there is nothing
  std::vector<LandedTrial> landed = {};
  std::vector<pipeline::WaitingTrial> waiting = {};
  std::optional<double> calibration_changed_at = {};  ///< nothing where no camera is calibrated
  /// Arguments of percuss that process all of it but --output; none where there is nothing to do.
  std::vector<std::string> command = {};
  std::string fingerprint = {};  ///< equal: nothing has changed
};

/// When content or name of a file, or of the newest file of a folder or pattern, last changed
/// [s, Unix time]; 0 where there is none.
double ChangedAt(const std::filesystem::path& input);

/// @param watched a folder with experiment.yaml (or .yml, .json) or with clips of a ball; or an
/// experiment file
/// @throws InputError where it is neither. What is wrong in an experiment file is a `problem`.
FolderLook LookAt(const std::filesystem::path& watched);

}  // namespace percuss::app
