// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace percuss::benchmarks {

/// An experiment file of a person who typed one line wrong, or recorded something wrong.
struct WrongLine {
  std::string set;  ///< "bar-drop" or "cube-drop"
  YAML::Node typed;
  std::vector<YAML::Node> right;  ///< files that are right, one as good as another
  std::string named = "";         ///< the line, where no other words in it would mend it
  std::string what = "";          ///< for who reads the table
};

/// What a case is drawn from.
struct WrongLineDraw {
  std::filesystem::path data;    ///< with the sets
  std::filesystem::path folder;  ///< for pictures and videos that it needs
  int number = 0;                ///< 0, 1 or 2 of its kind
  std::mt19937* random = nullptr;
};

struct WrongLineKind {
  const char* name;
  WrongLine (*draw)(const WrongLineDraw& draw);
};

/// The twenty.
const std::vector<WrongLineKind>& WrongLineKinds();

/// An experiment file with a ruler's errors and nothing else.
YAML::Node GoodFile(const WrongLineDraw& draw, const std::string& set);

}  // namespace percuss::benchmarks
