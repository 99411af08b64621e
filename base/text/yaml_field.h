// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace percuss {

/// Which numbers are allowed, in words for messages.
struct Range {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool lowest_included = true;
  std::string_view unit = "";

  bool Holds(double value) const;
  std::string Text() const;  ///< "a number above 0 and at most 10 [m]"
};

/// A change to a YAML file that is not written to the file: what a user would type there instead.
struct YamlEdit {
  std::vector<std::string> path;  ///< keys from the root; entries of lists by number, from 0
  std::string value;              ///< YAML text; empty: the entry is taken out

  bool operator==(const YamlEdit&) const = default;
};

/// One place in a YAML file: a value together with its name and line, so that every message says
/// "FILE: FIELD (line N): found VALUE, allowed ...". A key that is not there gives a field that is
/// not Given(); reading its value throws. Entries of a list are counted from 1: trials[#2].
class YamlField {
 public:
  /// @throws InputError naming file and line: missing file, not text, broken YAML, not exactly one
  ///   document.
  /// @param edits are made one after the other to what was read.
  static YamlField ReadFile(const std::filesystem::path& file,
                            std::span<const YamlEdit> edits = {});

  const std::filesystem::path& File() const { return *file_; }
  int Line() const { return line_; }  ///< from 1; of a key that is not there, that of its map
  bool Given() const;
  bool IsMap() const { return Given() && node_.IsMap(); }
  bool IsList() const { return Given() && node_.IsSequence(); }
  bool IsScalar() const { return Given() && node_.IsScalar(); }

  /// @throws InputError if this is not a map, or has another key (suggesting the nearest of
  ///   `known`) or a key twice.
  void AllowKeys(const std::vector<std::string_view>& known) const;
  YamlField operator[](std::string_view key) const;
  std::vector<std::pair<std::string, YamlField>> Entries(std::string_view allowed) const;
  std::vector<YamlField> Items(std::string_view allowed) const;

  // Each throws InputError for another type, a value outside of the range, or nothing.
  std::string Text(std::string_view allowed) const;
  std::string PlainName() const;  ///< IsPlainName()
  double Number(const Range& range) const;
  int Integer(int lowest, int highest) const;
  bool Flag() const;  ///< true or false
  std::vector<double> Numbers(int count, const Range& range) const;

  /// The value in one fixed style and without comments: equal texts mean equal values.
  std::string CanonicalText() const;

  [[noreturn]] void Throw(std::string_view allowed) const;  ///< with the value as it stands
  [[noreturn]] void Throw(std::string_view found, std::string_view allowed) const;

 private:
  YamlField(std::shared_ptr<const std::filesystem::path> file, std::string name, int line,
            YAML::Node node);
  YamlField Child(std::string_view key, const YAML::Node& node) const;
  std::string Value() const;
  void RejectRepeatedKeys() const;

  std::shared_ptr<const std::filesystem::path> file_;
  std::string name_;
  int line_ = 1;
  YAML::Node node_;
};

/// The one of `known` that `word` most likely was meant to be, by edit distance (insertions,
/// deletions, replacements and swaps of neighbours, without regard to case); empty if none is near.
std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace percuss
