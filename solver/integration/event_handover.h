// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace percuss::solver::internal {

inline constexpr std::size_t kNoEvent = std::numeric_limits<std::size_t>::max();

/// The first event in a step, or kNoEvent, and the length of the step to it.
struct FoundEvent {
  std::size_t event;
  double length;
};

/// At the common border of two modes each may hand over to the other for ever: to rounding they are
/// the same there. Then a step is taken without an event, ever longer until one gets away.
class HandoverLimit {
 public:
  FoundEvent Pass(const FoundEvent& found, double whole_step) {
    constexpr double kNoProgress = 1e-9, kShortest = 1e-6;
    constexpr int kMostHandovers = 4;
    if (found.event == kNoEvent || found.length > kNoProgress) {
      if (found.length > kNoProgress) handovers_ = 0;
      return found;
    }
    if (++handovers_ <= kMostHandovers) return found;
    const double length = kShortest * std::pow(4.0, handovers_ - kMostHandovers);
    return {kNoEvent, std::min(whole_step, length)};
  }

 private:
  int handovers_ = 0;  // one after the other without progress
};

}  // namespace percuss::solver::internal
