// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/baselines/state_method.h"

#include <fmt/core.h>

#include <stdexcept>

namespace percuss::tracking {

std::string StateMethodName(StateMethod method) {
  switch (method) {
    case StateMethod::kArcs:
      return "arcs";
    case StateMethod::kRts:
      return "rts";
    case StateMethod::kHoubolt:
      return "houbolt";
  }
  throw std::invalid_argument(
      fmt::format("method: found {}, allowed are 0 to 2", static_cast<int>(method)));
}

StateMethod FindStateMethod(std::string_view name) {
  for (const StateMethod method : kStateMethods) {
    if (StateMethodName(method) == name) return method;
  }
  throw std::invalid_argument(
      fmt::format("states: found '{}', allowed are arcs, rts, houbolt", name));
}

}  // namespace percuss::tracking
