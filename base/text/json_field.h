// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace percuss {

struct Range;  // base/text/yaml_field.h

/// Deeper than any file of ours; programs that descend into it would run out of stack.
inline constexpr int kDeepestJson = 100;

/// JSON of a user's file.
/// @throws InputError that begins with `where`, for what is not JSON, a number beyond all doubles,
/// and more than kDeepestJson levels.
nlohmann::ordered_json ParseJson(std::string_view where, std::string_view text);

/// A place in a JSON file. Every message names file, field, the value found and what is allowed:
/// the path of a field is looked for in the document when a message asks for it, as files have
/// millions of fields and few messages. All members throw InputError in that form.
class JsonField {
 public:
  static JsonField ReadFile(const std::filesystem::path& file);
  /// @param first_index 0, or 1: elements of lists are list[0] or list[#1] in messages.
  static JsonField Parse(const std::string& file, std::string_view text, int first_index = 0);
  /// What was parsed before, of that file; `path` is that of its place there, in messages.
  static JsonField Of(const std::string& file, nlohmann::ordered_json&& json,
                      const std::string& path = "");
  /// The same place as the top of a part of the file that has a name, such as "a.json: impact 2".
  JsonField Named(const std::string& file) const;

  JsonField operator[](std::string_view key) const;           ///< not Given() if absent
  JsonField At(std::string_view key) const;                   ///< must be there
  std::optional<JsonField> Find(std::string_view key) const;  ///< nothing if absent or null
  void AllowKeys(const std::vector<std::string_view>& keys) const;
  std::vector<JsonField> Elements() const;
  std::vector<JsonField> Elements(std::size_t count) const;  ///< exactly as many
  std::vector<JsonField> Elements(std::size_t count, std::string_view allowed) const;
  std::vector<std::pair<std::string, JsonField>> Members() const;  ///< in the order of the file

  double Number() const;  ///< null, which is how JSON spells NaN and infinity, reads as NaN
  double Number(std::string_view allowed) const;  ///< not null
  double Number(const Range& range) const;        ///< within it, as in a YamlField
  double FiniteNumber() const;
  int Integer() const;
  int Count() const;  ///< a whole number that is not negative
  bool Boolean() const;
  std::string Text(std::string_view allowed = "a text") const;
  std::array<double, 3> Vector3() const;
  std::vector<std::string> Texts() const;

  // What a file may leave out.
  double NumberOr(std::string_view key, double otherwise) const;
  int IntegerOr(std::string_view key, int otherwise) const;
  std::string TextOr(std::string_view key, const std::string& otherwise) const;
  std::vector<std::string> TextsOrNone(std::string_view key) const;
  std::array<double, 3> Vector3OrNaN(std::string_view key) const;

  bool Given() const { return node_ != nullptr; }
  bool IsObject() const;
  bool IsArray() const;
  std::string Dump() const;   ///< as compact JSON
  std::string Where() const;  ///< "file: path: ", what messages begin with
  [[noreturn]] void Fail(std::string_view allowed) const;
  [[noreturn]] void Fail(std::string_view found, std::string_view allowed) const;

 private:
  struct Document;
  /// A key that an object does not have.
  struct Missing {
    const nlohmann::ordered_json* object = nullptr;
    std::string key{};
  };
  JsonField(std::shared_ptr<const Document> document, const nlohmann::ordered_json* node,
            Missing missing)
      : document_(std::move(document)), node_(node), missing_(std::move(missing)) {}
  JsonField Child(const nlohmann::ordered_json& node) const;
  const nlohmann::ordered_json& Node() const;  ///< null if not given
  int IntegerFrom(double least, std::string_view allowed) const;

  std::shared_ptr<const Document> document_;
  const nlohmann::ordered_json* node_;
  Missing missing_;
};

}  // namespace percuss
