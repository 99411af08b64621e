// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace percuss::testing {

/// A text with its first `old` replaced.
/// @throws std::logic_error if it has none.
inline std::string Replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t place = text.find(old);
  if (place == std::string::npos) throw std::logic_error("no '" + old + "' to replace");
  return text.replace(place, old.size(), by);
}

}  // namespace percuss::testing
