// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/hypothesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace percuss::pipeline {
namespace {

bool IsPlace(const std::string& key) {
  return !key.empty() &&
         std::ranges::all_of(key, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string NameOf(const std::vector<std::string>& path) {
  std::string name;
  for (const std::string& key : path) {
    if (!name.empty() && IsPlace(key)) {
      name += fmt::format("[#{}]", std::stoi(key) + 1);
    } else {
      name += (name.empty() ? "" : ".") + key;
    }
  }
  return name;
}

int LineOf(const std::filesystem::path& file, const std::vector<std::string>& path) {
  YamlField field = YamlField::ReadFile(file);
  for (const std::string& key : path) {
    if (field.IsList()) {
      const std::vector<YamlField> items = field.Items("a list");
      if (!IsPlace(key) || std::stoul(key) >= items.size()) break;
      field = items[std::stoul(key)];
    } else {
      field = field[key];
    }
  }
  return field.Line();
}

}  // namespace percuss::pipeline
