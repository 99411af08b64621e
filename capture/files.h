// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace percuss::capture {

/// The whole content of a file.
/// @throws InputError naming the file and the system's reason.
std::string ReadFile(const std::filesystem::path& file);

/// Writes beside the target, then renames: a reader sees the old file or the whole new one. Makes
/// missing folders.
/// @throws InputError naming the file and the system's reason (read-only folder, disk full).
void WriteFileAtomically(const std::filesystem::path& file, std::string_view content);

/// SHA-256 of a file's content as 64 hexadecimal digits.
std::string HashFile(const std::filesystem::path& file);
std::string HashText(std::string_view text);

/// What every output file carries: format name and version, program version, command line, hashes
/// of the inputs.
struct Provenance {
  std::string format;  ///< for instance "percuss calibration 1"
  std::string command;
  std::vector<std::pair<std::string, std::string>>
      input_hashes;  ///< file as the user named it, SHA-256
};

std::string ProgramVersion();

}  // namespace percuss::capture
