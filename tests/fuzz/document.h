// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::fuzz {

/// What JSON and YAML have in common: a scalar, or a list or map of further ones.
struct Document {
  enum class Kind { kScalar, kList, kMap };
  Kind kind = Kind::kScalar;
  std::string key = {};     ///< its name in a map
  std::string text = {};    ///< of a scalar
  bool quoted = false;      ///< a text; else a number, true, null, or a plain word of YAML
  std::string before = {};  ///< written before the value, in YAML alone: "&a ", "!!str "
  std::vector<Document> children = {};
};

/// Nothing for what is not JSON, or has more than 100 levels or 20 000 values.
std::optional<Document> ReadJson(std::string_view text);
/// Nothing likewise. Aliases become copies.
std::optional<Document> ReadYaml(const std::string& text);

std::string JsonText(const Document& document);
/// In lines; below `lines` levels in brackets.
std::string YamlText(const Document& document, int lines);

}  // namespace percuss::fuzz
