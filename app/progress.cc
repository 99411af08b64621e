// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace percuss::app {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { ClearLine(); }

void Progress::ClearLine() {
  if (!line_open_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  line_open_ = false;
}

void Progress::Update(const std::string& step, double fraction) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  const auto shown = last_shown_.find(step);
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (shown != last_shown_.end() && now - shown->second < pause) return;
  last_shown_[step] = now;
  if (terminal_) {
    ClearLine();
    fmt::print(stderr, "{} {:3.0f} %", step, 100.0 * fraction);
    std::fflush(stderr);
    line_open_ = true;
  } else {
    fmt::print(stderr, "{} {:.0f} %\n", step, 100.0 * fraction);
  }
}

void Progress::Line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  ClearLine();
  fmt::print(stderr, "{}\n", text);
}

}  // namespace percuss::app
