// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "pipeline/fit_choices.h"
#include "tracking/baselines/state_method.h"

namespace percuss::pipeline {

/// What a user asks of a run.
struct RunSettings {
  std::filesystem::path folder;      ///< OUT
  std::filesystem::path experiment;  ///< its file: inputs are named as seen from its folder
  std::string command;               ///< for the provenance of files
  int jobs = 1;                      ///< threads, and trials at a time
  bool force = false;                ///< do steps again that are done
  FitChoices fit;
  tracking::StateMethod states = tracking::StateMethod::kArcs;
  bool fit_pixels = false;  ///< beside the fit to the states, one to the pixels of all trials
  bool videos = false;      ///< write overlay videos
  /// WriteTrialPage with pictures of every so many frames, for which trials are tracked again.
  std::optional<int> enhanced_every = {};
};

/// What the exit code of a command is made of: the worst thing that happened to any input.
class Outcome {
 public:
  void BadInput() { bad_input_ = true; }
  void NoAnswer() { no_answer_ = true; }
  int ExitCode() const { return bad_input_ ? kExitBadInput : no_answer_ ? kExitNoAnswer : kExitOk; }

 private:
  bool bad_input_ = false, no_answer_ = false;
};

}  // namespace percuss::pipeline
