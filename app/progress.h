// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace percuss::app {

/// Progress of long steps, on stderr, from any thread. On a terminal each line overwrites the last;
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
  std::map<std::string, std::chrono::steady_clock::time_point> last_shown_;
};

}  // namespace percuss::app
