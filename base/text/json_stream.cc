// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_field.h"

namespace percuss {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAtOnce = 1 << 16;  // bytes for the sink

std::string Dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

bool Matches(const ListPath& list, const std::vector<std::string>& keys) {
  return std::ranges::equal(
      list, keys, [](const auto& asked, const auto& key) { return asked == "*" || asked == key; });
}

/// The file without the elements of the lists, each of which is handed over where anybody asks.
Json ParseWithout(
    const std::filesystem::path& file, const std::vector<ListPath>& lists,
    const std::function<void(const ListPath& keys, std::size_t place, Json&&)>& element) {
  ListPath keys;            // to the value that is read, "" for an element of a list
  std::size_t in_list = 0;  // length of the keys to the list whose elements are taken
  std::size_t place = 0;
  const Json::parser_callback_t callback = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    const bool begins = event == Event::object_start || event == Event::array_start;
    if (begins && depth >= kDeepestJson) throw std::length_error("too deep");
    const auto level = static_cast<std::size_t>(depth);
    if (in_list > 0 && level > in_list) {
      if (level > in_list + 1) return true;
      if (begins) return static_cast<bool>(element);
      if (element) element(keys, place++, std::move(parsed));
      return false;
    }
    in_list = 0;
    if (event == Event::key) {
      keys.resize(level);
      keys.back() = parsed.get<std::string>();
    } else if (event == Event::array_start) {
      keys.resize(level);
      const auto is_this = [&](const ListPath& list) { return Matches(list, keys); };
      if (std::ranges::any_of(lists, is_this)) {
        in_list = level;
        place = 0;
      } else {
        keys.emplace_back();
      }
    }
    return true;
  };
  const auto fail = [&] {
    ParseJson(file.string(), ReadFile(file));  // says where
    throw InputError(file.string() + ": the file changes while it is read");
  };
  // Opening a pipe may take for ever.
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) fail();
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail();
  try {
    return Json::parse(stream, callback);
  } catch (const Json::exception&) {
    fail();
  } catch (const std::length_error&) {
    fail();
  }
  return {};
}

}  // namespace

void JsonStream::Put(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() < kAtOnce) return;
  sink_(waiting_);
  waiting_.clear();
}

void JsonStream::NextLine() {
  if (indent_ < 0) return;
  Put("\n");
  Put(std::string(open_.size() * indent_, ' '));
}

void JsonStream::BeforeValue() {
  if (std::exchange(behind_key_, false) || open_.empty()) return;
  if (open_.back()) Put(",");
  open_.back() = true;
  NextLine();
}

void JsonStream::Key(std::string_view key) {
  BeforeValue();
  Put(Dumped(Json(key), indent_));
  Put(indent_ < 0 ? ":" : ": ");
  behind_key_ = true;
}

void JsonStream::Value(const Json& value) {
  BeforeValue();
  const std::string text = Dumped(value, indent_);
  std::size_t begin = 0;  // of a line; texts within hold no line feed, but \n
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    Put(std::string_view(text).substr(begin, end - begin));
    NextLine();
  }
  Put(std::string_view(text).substr(begin));
}

void JsonStream::Begin(char bracket) {
  BeforeValue();
  Put({&bracket, 1});
  open_.push_back(false);
}

void JsonStream::End(char bracket) {
  const bool any = open_.back();
  open_.pop_back();
  if (any) NextLine();
  Put({&bracket, 1});
}

void JsonStream::Field(std::string_view key, const Json& value) {
  Key(key);
  Value(value);
}

void JsonStream::Fields(const Json& object) {
  for (const auto& [key, value] : object.items()) Field(key, value);
}

void JsonStream::End() {
  Put("\n");
  sink_(waiting_);
  waiting_.clear();
}

JsonField ReadFileInParts(
    const std::filesystem::path& file, std::string_view format, const std::vector<ListPath>& lists,
    const std::function<void(const ListPath& keys, const JsonField& element)>& element) {
  const auto checked = [&](Json&& json) {
    JsonField root = JsonField::Of(file.string(), std::move(json));
    if (root.At("format").Text() != format) root.At("format").Fail(format);
    return root;
  };
  try {
    return checked(
        ParseWithout(file, lists, [&](const ListPath& keys, std::size_t place, Json&& json) {
          const std::string path = fmt::format("{}[{}]", fmt::join(keys, "."), place);
          element(keys, JsonField::Of(file.string(), std::move(json), path));
        }));
  } catch (const InputError&) {
    checked(ParseWithout(file, lists, nullptr));  // of another format any field may be wrong
    throw;
  }
}

void ForEachElement(const std::filesystem::path& file, std::string_view list,
                    const std::function<void(std::size_t, const JsonField&)>& element) {
  ParseWithout(file, {{std::string(list)}}, [&](const ListPath&, std::size_t place, Json&& json) {
    element(place, JsonField::Of(file.string(), std::move(json)));
  });
}

JsonField ReadFileWithout(const std::filesystem::path& file, std::string_view list) {
  return JsonField::Of(file.string(), ParseWithout(file, {{std::string(list)}}, nullptr));
}

}  // namespace percuss
