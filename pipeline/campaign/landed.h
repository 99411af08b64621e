// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"

// A campaign whose recordings land in its folders one after the other.
namespace percuss::pipeline {

/// How long a file must not have changed before it is read [s]: a copy may still be at work.
inline constexpr double kRest = 2.0;

/// Whether the file, or all files of a folder or a pattern, have not changed for kRest. A file that
/// is not there is at rest.
bool IsAtRest(const std::filesystem::path& input);

/// A trial that cannot be read yet.
struct WaitingTrial {
  std::string name = {};    ///< as found: not always a plain name
  std::string reason = {};  ///< what it waits for
  bool writing = false;     ///< it is there, and still changes
};

struct LandedExperiment {
  capture::Experiment experiment;  ///< its trials: those that can be read
  std::vector<WaitingTrial> waiting = {};
  bool calibration_waits = false;  ///< a picture or video of the board still changes
};

/// An experiment file with the new trials whose videos are named as those of its trials: where
/// those of trial `a` are trials/a/left.mp4 and trials/a/right.mp4, every other
/// trials/NAME/left.mp4 with trials/NAME/right.mp4 is trial NAME. If no trial of the file has its
/// name in the names of its videos, NAME-left.mp4 and NAME-right.mp4 beside them are (any ending
/// that those have). A new trial has what the file states for all trials, as if {name: NAME, left:
/// ..., right: ...} were its last line.
/// @throws InputError as ReadExperiment.
LandedExperiment ReadLanded(const std::filesystem::path& file);

}  // namespace percuss::pipeline
