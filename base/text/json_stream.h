// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace percuss {

class JsonField;

// Files with lists that are longer than memory should hold at once.

/// The text of a JSON object, field by field and element by element: together that of
/// JsonText(object, 1).
class JsonStream {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit JsonStream(Sink sink) : sink_(std::move(sink)) {}
  void Field(std::string_view key, const nlohmann::ordered_json& value);
  /// All fields of an object.
  void Fields(const nlohmann::ordered_json& object);
  void BeginList(std::string_view key);
  void Element(const nlohmann::ordered_json& element);
  void EndList();
  void End();

 private:
  void Key(std::string_view key);

  Sink sink_;
  bool empty_ = true;
  std::size_t num_elements_ = 0;  ///< of the list that is open
};

/// Hands over the elements of a list of the file's top object one by one, by their places from 0.
/// @throws InputError as JsonField::ReadFile, and what `element` throws.
void ForEachElement(const std::filesystem::path& file, std::string_view list,
                    const std::function<void(std::size_t, const JsonField&)>& element);

/// The file with that list empty.
/// @throws InputError as JsonField::ReadFile.
JsonField ReadFileWithout(const std::filesystem::path& file, std::string_view list);

}  // namespace percuss
