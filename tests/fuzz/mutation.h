// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace percuss::fuzz {

/// Damage to a file that readers have to see through: bytes changed, cut, doubled and moved, lines
/// swapped, numbers and words replaced by ones at the edges of what there is, parts of `other` in
/// its place. Equal seeds give equal texts.
std::string Mutated(std::string text, const std::string& other, std::uint32_t seed);

}  // namespace percuss::fuzz
