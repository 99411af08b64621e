// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::testing {

/// What stands between two fences of a Markdown file.
struct FencedBlock {
  std::string language;  ///< as written after the opening fence; empty if nothing is
  std::string text;
  int line = 0;  ///< of the opening fence, from 1
};

/// @throws std::runtime_error if the last fence is not closed.
std::vector<FencedBlock> FencedBlocks(std::string_view markdown);

/// The inline code of a Markdown file that begins with "percuss ".
std::vector<std::string> InlineCommands(std::string_view markdown);

/// What of a shown output is not in the real one: empty if every line is there, in this order.
/// A line "..." stands for any lines. Words must be equal, numbers within one unit of the last
/// digit shown.
std::string MissingFromOutput(std::string_view shown, std::string_view printed);

/// The text of a file of the repository. @throws InputError
std::string TextOfRepository(const std::filesystem::path& file);

}  // namespace percuss::testing
