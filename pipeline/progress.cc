// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace percuss::pipeline {
namespace {

std::string Duration(double seconds) {
  if (seconds < 59.5) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 3570.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

}  // namespace

std::string ProgressLine(const std::string& step, double fraction, double seconds_left) {
  constexpr int kWidth = 20;
  const double share = std::clamp(fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::floor(share * kWidth));
  const std::string left =
      std::isfinite(seconds_left) ? ", " + Duration(seconds_left) + " left" : "";
  return fmt::format("{} [{:<{}}] {:3.0f} %{}", step, std::string(filled, '='), kWidth,
                     100.0 * share, left);
}

bool LogPace::IsDue(Time step_started, Time now) {
  constexpr std::chrono::seconds kLong{5}, kLongestPause{60};
  if (now - step_started < kLong || now - last_shown_ < pause_) return false;
  last_shown_ = now;
  pause_ = std::min(2 * pause_, kLongestPause);
  return true;
}

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
  const auto [at, begins] = steps_.try_emplace(step, Step{now, now, fraction});
  Step& known = at->second;
  if (terminal_) {
    if (!begins && now - known.last_shown < std::chrono::milliseconds(100)) return;
    known.last_shown = now;
    // Known well enough once a second has passed.
    const std::chrono::duration<double> elapsed = now - known.started;
    const double done = fraction - known.first_fraction;
    const double left = elapsed.count() > 1.0 && done > 0.0
                            ? elapsed.count() * (1.0 - fraction) / done
                            : std::numeric_limits<double>::quiet_NaN();
    ClearLine();
    fmt::print(stderr, "{}", ProgressLine(step, fraction, left));
    std::fflush(stderr);
    line_open_ = true;
  } else if (log_.IsDue(known.started, now)) {
    fmt::print(stderr, "{} {:.0f} %\n", step, 100.0 * fraction);
  }
}

void Progress::Line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  ClearLine();
  fmt::print(stderr, "{}\n", text);
}

void Progress::Unchanged(const std::string& step, int unchanged, int all) {
  if (unchanged == 0) return;
  Line(unchanged == all ? step + ": unchanged"
                        : fmt::format("{}: {} of {} trials unchanged", step, unchanged, all));
}

}  // namespace percuss::pipeline
