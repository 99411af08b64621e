// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace percuss::app {

/// This program once more, as a process of its own, so that nothing that happens to it happens to
/// who waits for it. One at a time. Where this program is interrupted, so is the other, and it is
/// waited for.
class ChildRun {
 public:
  ChildRun();
  ~ChildRun();  ///< interrupts it
  ChildRun(const ChildRun&) = delete;
  ChildRun& operator=(const ChildRun&) = delete;

  /// @param arguments of percuss. What it prints on stdout is dropped.
  /// @throws std::system_error if it cannot be started.
  void Start(const std::vector<std::string>& arguments);
  bool IsRunning() const { return pid_ > 0; }
  /// Waits until it ends, at most so long. @returns its exit code once it has ended.
  std::optional<int> Wait(std::chrono::milliseconds at_most);

  const std::string& LastLine() const { return last_line_; }  ///< of its stderr
  /// The last line "percuss: ..." of its stderr, without that beginning: why it ended.
  const std::string& Complaint() const { return complaint_; }

 private:
  void ReadLines();

  pid_t pid_ = -1;
  int stderr_ = -1;
  std::string pending_, last_line_, complaint_;
};

}  // namespace percuss::app
