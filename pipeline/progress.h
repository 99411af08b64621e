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

/// When a step is worth a line in a log file: once it has taken five seconds, and never sooner
/// after the last such line than five seconds at first, then twice as long each time, a minute at
/// most.
class LogPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Whether to print now; the pause then grows.
  bool IsDue(Time step_started, Time now);

 private:
  std::chrono::seconds pause_{5};
  Time last_shown_{};
};

/// Progress of long steps, on stderr, from any thread. On a terminal each line overwrites the last
/// and says how long the step will take if it goes on as before; elsewhere LogPace says which lines
/// are printed.
class Progress {
 public:
  Progress();
  ~Progress();  ///< clears what is left of the last line on a terminal

  /// @param fraction 0 to 1
  void Update(const std::string& step, double fraction);
  /// A line that stays: a finished step, a warning.
  void Line(const std::string& text);
  /// The line of a step that had nothing to do for so many of all trials; none where it had for
  /// all.
  void Unchanged(const std::string& step, int unchanged, int all);

 private:
  void ClearLine();

  std::mutex mutex_;
  bool terminal_;
  bool line_open_ = false;
  LogPace log_;
  struct Step {
    std::chrono::steady_clock::time_point started, last_shown;
    double first_fraction = 0.0;
  };
  std::map<std::string, Step> steps_;
};

}  // namespace percuss::pipeline
