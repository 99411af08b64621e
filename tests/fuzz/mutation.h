// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace percuss::fuzz {

/// 0 to count - 1. std::uniform_int_distribution differs between standard libraries; this does not.
inline std::size_t Draw(std::mt19937& random, std::size_t count) { return random() % count; }

/// Numbers at the edges of what there is, as texts, some of which are no numbers.
std::span<const std::string_view> EdgeNumbers();

/// Damage to a file that readers have to see through: bytes changed, cut, doubled and moved, lines
/// swapped, numbers and words replaced by ones at the edges of what there is, parts of `other` in
/// its place. Equal seeds give equal texts.
std::string Mutated(std::string text, const std::string& other, std::uint32_t seed);

}  // namespace percuss::fuzz
