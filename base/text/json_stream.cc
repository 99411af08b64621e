// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_stream.h"

#include <fmt/format.h>

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

/// As JsonText writes it `depth` levels down.
std::string TextAt(int depth, const Json& value) {
  const std::string text = value.dump(1, ' ', false, Json::error_handler_t::replace);
  std::string indented;
  for (const char c : text) {  // texts within hold no line feed, but \n
    indented += c;
    if (c == '\n') indented.append(depth, ' ');
  }
  return indented;
}

/// The file without the elements of the list, each of which is handed over where anybody asks.
Json ParseWithout(const std::filesystem::path& file, std::string_view list,
                  const std::function<void(Json&&)>& element) {
  enum class Place { kElsewhere, kAtKey, kInList } place = Place::kElsewhere;
  const Json::parser_callback_t callback = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    const bool begins = event == Event::object_start || event == Event::array_start;
    if (begins && depth >= kDeepestJson) throw std::length_error("too deep");
    if (depth == 1) {
      if (event == Event::key) {
        place = parsed == list ? Place::kAtKey : Place::kElsewhere;
      } else {
        const bool enters = place == Place::kAtKey && event == Event::array_start;
        place = enters ? Place::kInList : Place::kElsewhere;
      }
    }
    if (place != Place::kInList || depth != 2) return true;
    if (begins) return static_cast<bool>(element);
    if (element) element(std::move(parsed));
    return false;
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

void JsonStream::Key(std::string_view key) {
  sink_(fmt::format("{}\n {}: ", std::exchange(empty_, false) ? "{" : ",", TextAt(1, key)));
}

void JsonStream::Field(std::string_view key, const Json& value) {
  Key(key);
  sink_(TextAt(1, value));
}

void JsonStream::Fields(const Json& object) {
  for (const auto& [key, value] : object.items()) Field(key, value);
}

void JsonStream::BeginList(std::string_view key) {
  Key(key);
  sink_("[");
  num_elements_ = 0;
}

void JsonStream::Element(const Json& element) {
  sink_((num_elements_++ == 0 ? "\n  " : ",\n  ") + TextAt(2, element));
}

void JsonStream::EndList() { sink_(num_elements_ == 0 ? "]" : "\n ]"); }

void JsonStream::End() { sink_(empty_ ? "{}\n" : "\n}\n"); }

void ForEachElement(const std::filesystem::path& file, std::string_view list,
                    const std::function<void(std::size_t, const JsonField&)>& element) {
  std::size_t place = 0;
  ParseWithout(file, list, [&](Json&& json) {
    element(place, JsonField::Of(file.string(), std::move(json)));
    ++place;
  });
}

JsonField ReadFileWithout(const std::filesystem::path& file, std::string_view list) {
  return JsonField::Of(file.string(), ParseWithout(file, list, nullptr));
}

}  // namespace percuss
