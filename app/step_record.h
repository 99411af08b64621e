// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "capture/experiment.h"

namespace percuss::app {

/// Which steps of a run are done, and from which inputs: OUT/run.json. A step is skipped when its
/// key, a hash of everything it depends on, is the recorded one and its outputs are there.
class StepRecord {
 public:
  /// Reads OUT/run.json if there is one; a file that cannot be read counts as no record.
  /// @param force forgets the record.
  StepRecord(std::filesystem::path folder, const capture::Experiment& experiment,
             std::string command, bool force);

  bool IsDone(const std::string& step, const std::string& key,
              const std::vector<std::filesystem::path>& outputs) const;
  /// Records a finished step; its outputs must be written by then. Safe to call from several
  /// threads.
  void Finish(const std::string& step, const std::string& key);
  /// Forgets a step that failed.
  void Forget(const std::string& step);

 private:
  void Write() const;

  std::filesystem::path folder_;
  std::string experiment_name_;
  std::string experiment_;  ///< SummariseExperiment, as text
  std::string command_;
  std::map<std::string, std::string> keys_;
  mutable std::mutex mutex_;
};

}  // namespace percuss::app
