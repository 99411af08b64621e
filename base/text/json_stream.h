// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace percuss {

class JsonField;

// Files that are longer than memory should hold at once.

/// The text of a JSON document as it comes: together that of JsonText(document, indent). A value
/// stands at the top, behind a Key, or in the list that is open; keys of an object must differ.
class JsonStream {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit JsonStream(Sink sink, int indent = 1) : sink_(std::move(sink)), indent_(indent) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginList() { Begin('['); }
  void EndList() { End(']'); }
  void Key(std::string_view key);
  void Value(const nlohmann::ordered_json& value);
  /// Fields of the object that is open.
  void Field(std::string_view key, const nlohmann::ordered_json& value);
  void Fields(const nlohmann::ordered_json& object);
  /// Of the document: all of it has gone to the sink then.
  void End();

 private:
  void Begin(char bracket);
  void End(char bracket);
  void BeforeValue();
  void NextLine();
  void Put(std::string_view text);

  Sink sink_;
  int indent_;
  std::string waiting_;     ///< for the sink, which is asked for a lot at once
  std::vector<bool> open_;  ///< objects and lists; whether they have something in them
  bool behind_key_ = false;
};

/// Where a list stands in a file: the keys that lead to it from the top object; "*" is any key.
using ListPath = std::vector<std::string>;

/// Whether a field of an element, an object of which the fields before it are there, is left out: a
/// long one that nobody wants. A list or an object is passed over by its brackets and strings
/// alone: that it is no JSON otherwise is not noticed.
using LeaveOut = std::function<bool(const nlohmann::ordered_json& element, std::string_view key)>;

/// Hands over the elements of these lists one by one as they are read, with the keys that led to
/// their list.
/// @return the file with those lists empty.
/// @throws InputError as JsonField::ReadFile, where the file's field `format` is another one, and
///   what `element` throws.
JsonField ReadFileInParts(
    const std::filesystem::path& file, std::string_view format, const std::vector<ListPath>& lists,
    const std::function<void(const ListPath& keys, const JsonField& element)>& element,
    const LeaveOut& leave_out = {});

/// The elements of a list of the file's top object one by one, by their places from 0.
/// @throws InputError as JsonField::ReadFile, and what `element` throws.
void ForEachElement(const std::filesystem::path& file, std::string_view list,
                    const std::function<void(std::size_t, const JsonField&)>& element);

/// Of the file's top object these fields alone, where they are there; others are passed over as
/// what LeaveOut names.
/// @throws InputError as JsonField::ReadFile.
JsonField ReadFields(const std::filesystem::path& file,
                     const std::vector<std::string_view>& fields);

/// The file with that list empty.
/// @throws InputError as JsonField::ReadFile.
JsonField ReadFileWithout(const std::filesystem::path& file, std::string_view list);

}  // namespace percuss
