// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sweep/sweep_spec.h"

namespace percuss::app {

/// Case numbers of sun2017 Tables 2.2 and 3.1 in the order of a key.
inline constexpr std::array<std::string_view, 13> kCases = {"0", "1",  "2",  "2a", "2b", "2c", "3",
                                                            "4", "4a", "4b", "4c", "5",  "6"};
inline constexpr std::uint8_t kNoCase = kCases.size();        ///< of a law without case numbers
inline constexpr std::uint8_t kNoImpact = kCases.size() + 1;  ///< a row with a reason

/// The points of a sweep, the last axis fastest.
struct SweepResult {
  std::vector<std::uint8_t> cases;
  std::vector<float> dissipation;  ///< fraction of the kinetic energy; NaN without impact
  std::string first_reason;        ///< why the first point is no impact; empty if it is one
};

/// Solves every point and hands header and rows of the table to `write`, in order and in pieces;
/// without `write` there is no table. The result does not depend on the number of threads.
SweepResult RunSweep(const SweepSpec& spec, int num_threads,
                     const std::function<void(std::string_view)>& write);

}  // namespace percuss::app
