// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace percuss::fuzz {

/// Damage that leaves the form of a file whole, so that what is behind its grammar gets to see it.
/// Values of YAML and JSON (`extension` .yaml, .yml, .json) are swapped, doubled, taken out, put
/// elsewhere, packed into others many levels deep, replaced by numbers at the edges, or by values
/// of `other`; in YAML also by aliases, of themselves among others. Of C3D (.c3d), header,
/// parameters and points get other numbers, types and sizes. Other files, and those that have no
/// such form, are changed as by Mutated. Equal seeds give equal texts.
std::string MutatedInForm(std::string_view extension, const std::string& text,
                          const std::string& other, std::uint32_t seed);

/// The same of C3D.
std::string MutatedC3d(std::string bytes, std::uint32_t seed);

}  // namespace percuss::fuzz
