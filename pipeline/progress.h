// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace percuss::pipeline {

/// What a terminal shows of a step: `track a: decoding [====      ]  40 %, 12 s left`.
/// @param fraction 0 to 1
/// @param seconds_left not shown where it is NaN
std::string ProgressLine(const std::string& step, double fraction, double seconds_left);

/// Progress of long steps, on stderr, from any thread. On a terminal each line overwrites the last
/// and says how long the step will take if it goes on as before;
/// elsewhere a line is printed when a step begins and then at most every five seconds, so that a
/// log file reads well.
class Progress {
 public:
  Progress();
  ~Progress();  ///< clears what is left of the last line on a terminal

  /// @param fraction 0 to 1
  void Update(const std::string& step, double fraction);
  /// A line that stays: a finished step, a warning.
  void Line(const std::string& text);

 private:
  void ClearLine();

  std::mutex mutex_;
  bool terminal_;
  bool line_open_ = false;
  struct Step {
    std::chrono::steady_clock::time_point started, last_shown;
    double first_fraction = 0.0;
  };
  std::map<std::string, Step> steps_;
};

}  // namespace percuss::pipeline
