// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::fuzz {

/// A reader of files that others wrote.
struct Target {
  std::string_view name;
  std::string_view examples;  ///< folder in tests/fuzz/corpus
  std::string_view file;      ///< what the file is called when it is read
  void (*read)(const std::filesystem::path& file);
  /// The work is done in another process, whose library may crash: libFuzzer takes that for a
  /// finding.
  bool apart = false;
};

/// Those of this program.
std::span<const Target> Targets();

struct Example {
  std::string name, content;
};
/// The files in a target's folder of examples, by name.
std::vector<Example> Examples(const Target& target);

/// What the target's file ends with, which says what form it has: ".yaml".
std::string Extension(const Target& target);

/// Lets the target read a file with this content, beside the files of corpus/companions, which
/// the examples refer to.
///
/// @return the message with which the content was refused, empty if it was read.
/// @throws std::logic_error for a message that does not name the file. Any other exception than
///   InputError and DataError passes through: no reader may throw one.
std::string Attempt(const Target& target, std::string_view content);

}  // namespace percuss::fuzz
