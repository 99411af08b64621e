// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace percuss::benchmarks {

/// The same video with all its times longer by a factor, as phones store slow motion: the coded
/// pictures are copied. @throws std::runtime_error naming a file that cannot be read or written.
void WriteSlower(const std::filesystem::path& from, const std::filesystem::path& to, int factor);

}  // namespace percuss::benchmarks
