// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/files.h"
#include "base/nan.h"

namespace percuss {

using Json = nlohmann::ordered_json;

namespace {

void CheckDepth(std::string_view where, std::string_view text) {
  constexpr int kDeepest = 100;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) {
        throw InputError(fmt::format("{}: byte {}: found more than {} levels, allowed {}", where,
                                     i + 1, kDeepest, kDeepest));
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace

Json ParseJson(std::string_view where, std::string_view text) {
  CheckDepth(where, text);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {  // counts bytes from 1
    const std::string_view before = text.substr(0, std::max<std::size_t>(error.byte, 1) - 1);
    throw InputError(fmt::format("{}: line {}, column {}: this is not valid JSON", where,
                                 std::count(before.begin(), before.end(), '\n') + 1,
                                 before.size() - (before.rfind('\n') + 1) + 1));
  } catch (const Json::out_of_range& error) {
    const std::string_view reason = error.what();  // "[id] number overflow parsing '1e999'"
    throw InputError(fmt::format("{}: {}", where, reason.substr(reason.find("] ") + 2)));
  }
}

JsonField::JsonField(std::shared_ptr<const Json> document, const Json* node, std::string file,
                     std::string path)
    : document_(std::move(document)), node_(node), file_(std::move(file)), path_(std::move(path)) {}

JsonField JsonField::ReadFile(const std::filesystem::path& file) {
  const auto document =
      std::make_shared<const Json>(ParseJson(file.string(), percuss::ReadFile(file)));
  return JsonField(document, document.get(), file.string(), "");
}

JsonField JsonField::Child(const Json& node, const std::string& path) const {
  return JsonField(document_, &node, file_, path);
}

void JsonField::Fail(std::string_view allowed) const {
  std::string found = Dump();
  if (found.size() > 60) found = found.substr(0, 60) + "...";
  throw InputError(fmt::format("{}: {}: found {}, allowed {}", file_,
                               path_.empty() ? "top level" : path_, found, allowed));
}

JsonField JsonField::At(std::string_view key) const {
  if (!IsObject()) Fail(fmt::format("an object with the field '{}'", key));
  const auto found = node_->find(key);
  const std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  if (found == node_->end()) {
    throw InputError(fmt::format("{}: {}: the field is missing", file_, path));
  }
  return Child(*found, path);
}

std::optional<JsonField> JsonField::Find(std::string_view key) const {
  if (!IsObject()) Fail("an object");
  const auto found = node_->find(key);
  if (found == node_->end() || found->is_null()) return std::nullopt;
  return At(key);
}

std::vector<JsonField> JsonField::Elements() const {
  if (!IsArray()) Fail("a list");
  std::vector<JsonField> elements;
  for (std::size_t i = 0; i < node_->size(); ++i) {
    elements.push_back(Child((*node_)[i], fmt::format("{}[{}]", path_, i)));
  }
  return elements;
}

std::vector<JsonField> JsonField::Elements(std::size_t count) const {
  std::vector<JsonField> elements = Elements();
  if (elements.size() != count) Fail(fmt::format("a list of {}", count));
  return elements;
}

std::vector<std::pair<std::string, JsonField>> JsonField::Members() const {
  if (!IsObject()) Fail("an object");
  std::vector<std::pair<std::string, JsonField>> members;
  for (const auto& item : node_->items()) members.emplace_back(item.key(), At(item.key()));
  return members;
}

double JsonField::Number() const {
  if (node_->is_null()) return kNaN;
  if (!node_->is_number()) Fail("a number");
  return node_->get<double>();
}

double JsonField::FiniteNumber() const {
  if (!node_->is_number() || !std::isfinite(node_->get<double>())) Fail("a finite number");
  return node_->get<double>();
}

int JsonField::Count() const {
  const bool fits = node_->is_number_integer() && node_->get<double>() >= 0.0 &&
                    node_->get<double>() <= 2147483647.0;
  if (!fits) Fail("a whole number that is not negative");
  return node_->get<int>();
}

int JsonField::Integer() const {
  const bool fits = node_->is_number_integer() && node_->get<double>() >= -2147483648.0 &&
                    node_->get<double>() <= 2147483647.0;
  if (!fits) Fail("a whole number");
  return node_->get<int>();
}

bool JsonField::Boolean() const {
  if (!node_->is_boolean()) Fail("true or false");
  return node_->get<bool>();
}

std::string JsonField::Text() const {
  if (!node_->is_string()) Fail("a text");
  return node_->get<std::string>();
}

std::array<double, 3> JsonField::Vector3() const {
  if (!IsArray() || node_->size() != 3) Fail("a list of three numbers");
  const auto elements = Elements();
  return {elements[0].Number(), elements[1].Number(), elements[2].Number()};
}

std::vector<std::string> JsonField::Texts() const {
  std::vector<std::string> texts;
  for (const JsonField& element : Elements()) texts.push_back(element.Text());
  return texts;
}

double JsonField::NumberOr(std::string_view key, double otherwise) const {
  const auto field = Find(key);
  return field ? field->Number() : otherwise;
}

int JsonField::IntegerOr(std::string_view key, int otherwise) const {
  const auto field = Find(key);
  return field ? field->Integer() : otherwise;
}

std::string JsonField::TextOr(std::string_view key, const std::string& otherwise) const {
  const auto field = Find(key);
  return field ? field->Text() : otherwise;
}

std::vector<std::string> JsonField::TextsOrNone(std::string_view key) const {
  const auto field = Find(key);
  return field ? field->Texts() : std::vector<std::string>{};
}

std::array<double, 3> JsonField::Vector3OrNaN(std::string_view key) const {
  const auto field = Find(key);
  return field ? field->Vector3() : std::array<double, 3>{kNaN, kNaN, kNaN};
}

bool JsonField::IsObject() const { return node_->is_object(); }
bool JsonField::IsArray() const { return node_->is_array(); }
std::string JsonField::Dump() const {
  return node_->dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace percuss
