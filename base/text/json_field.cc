// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/files.h"
#include "base/nan.h"
#include "base/text/yaml_field.h"

namespace percuss {

using Json = nlohmann::ordered_json;

namespace {

void CheckDepth(std::string_view where, std::string_view text) {
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
      if (++depth > kDeepestJson) {
        throw InputError(fmt::format("{}: byte {}: found more than {} levels, allowed {}", where,
                                     i + 1, kDeepestJson, kDeepestJson));
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

void AddKey(std::string_view key, std::string* path) {
  if (!path->empty()) *path += '.';
  *path += key;
}

/// Goes on with the path of `from` to that of a value below it, "a" to "a.b[2].c".
/// @return whether it is below; else the path is as it was.
bool GoOnTo(const Json* node, const Json& from, int first_index, std::string* path) {
  if (&from == node) return true;
  if (!from.is_structured()) return false;
  const std::size_t size = path->size();
  int place = first_index;
  for (const auto& item : from.items()) {
    if (from.is_object()) {
      AddKey(item.key(), path);
    } else {
      *path += fmt::format("[{}{}]", first_index == 0 ? "" : "#", place++);
    }
    if (GoOnTo(node, item.value(), first_index, path)) return true;
    path->resize(size);
  }
  return false;
}

}  // namespace

struct JsonField::Document {
  std::shared_ptr<const Json> json;
  const Json* top;  ///< paths begin there
  std::string file;
  std::string path{};   ///< of the top
  int first_index = 0;  ///< of lists
};

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

JsonField JsonField::Parse(const std::string& file, std::string_view text, int first_index) {
  const auto json = std::make_shared<const Json>(ParseJson(file, text));
  return {std::make_shared<const Document>(Document{json, json.get(), file, "", first_index}),
          json.get(),
          {}};
}

JsonField JsonField::Of(const std::string& file, Json&& json, const std::string& path) {
  const auto shared = std::make_shared<const Json>(std::move(json));
  return {std::make_shared<const Document>(Document{shared, shared.get(), file, path}),
          shared.get(),
          {}};
}

JsonField JsonField::ReadFile(const std::filesystem::path& file) {
  return Parse(file.string(), percuss::ReadFile(file));
}

JsonField JsonField::Child(const Json& node) const { return {document_, &node, {}}; }

JsonField JsonField::Named(const std::string& file) const {
  const Document part{document_->json, node_, file, "", document_->first_index};
  return {std::make_shared<const Document>(part), node_, {}};
}

const Json& JsonField::Node() const {
  static const Json kNothing;
  return node_ == nullptr ? kNothing : *node_;
}

std::string JsonField::Where() const {
  std::string path = document_->path;
  GoOnTo(Given() ? node_ : missing_.object, *document_->top, document_->first_index, &path);
  if (!Given()) AddKey(missing_.key, &path);
  return path.empty() ? document_->file + ": " : fmt::format("{}: {}: ", document_->file, path);
}

void JsonField::Fail(std::string_view allowed) const { Fail(Dump(), allowed); }

void JsonField::Fail(std::string_view found, std::string_view allowed) const {
  constexpr std::size_t kLongest = 60;
  throw InputError(fmt::format("{}found {}{}, allowed {}", Where(), found.substr(0, kLongest),
                               found.size() > kLongest ? "..." : "", allowed));
}

JsonField JsonField::operator[](std::string_view key) const {
  if (!IsObject()) Fail(fmt::format("an object with the field '{}'", key));
  const auto found = node_->find(key);
  if (found == node_->end()) return {document_, nullptr, {node_, std::string(key)}};
  return Child(*found);
}

JsonField JsonField::At(std::string_view key) const {
  const JsonField field = (*this)[key];
  if (!field.Given()) throw InputError(field.Where() + "the field is missing");
  return field;
}

std::optional<JsonField> JsonField::Find(std::string_view key) const {
  const JsonField field = (*this)[key];
  if (field.Node().is_null()) return std::nullopt;
  return field;
}

void JsonField::AllowKeys(const std::vector<std::string_view>& keys) const {
  const std::string allowed = fmt::format("{}", fmt::join(keys, ", "));
  if (!IsObject()) Fail("a map with " + allowed);
  for (const auto& item : node_->items()) {
    if (std::ranges::find(keys, item.key()) == keys.end())
      (*this)[item.key()].Fail("an unknown key", allowed);
  }
}

std::vector<JsonField> JsonField::Elements() const {
  if (!IsArray()) Fail("a list");
  std::vector<JsonField> elements;
  elements.reserve(node_->size());
  for (const Json& element : *node_) elements.push_back(Child(element));
  return elements;
}

std::vector<JsonField> JsonField::Elements(std::size_t count) const {
  return Elements(count, fmt::format("a list of {}", count));
}

std::vector<JsonField> JsonField::Elements(std::size_t count, std::string_view allowed) const {
  if (!IsArray() || node_->size() != count) Fail(allowed);
  return Elements();
}

std::vector<std::pair<std::string, JsonField>> JsonField::Members() const {
  if (!IsObject()) Fail("an object");
  std::vector<std::pair<std::string, JsonField>> members;
  for (const auto& item : node_->items()) members.emplace_back(item.key(), Child(item.value()));
  return members;
}

double JsonField::Number() const { return Given() && node_->is_null() ? kNaN : Number("a number"); }

double JsonField::Number(std::string_view allowed) const {
  if (!Node().is_number()) Fail(allowed);
  return node_->get<double>();
}

double JsonField::Number(const Range& range) const {
  const double number = Number(range.Text());
  if (!range.Holds(number)) Fail(range.Text());
  return number;
}

double JsonField::FiniteNumber() const {
  const double number = Number("a finite number");
  if (!std::isfinite(number)) Fail("a finite number");
  return number;
}

int JsonField::IntegerFrom(double least, std::string_view allowed) const {
  const bool fits = Node().is_number_integer() && node_->get<double>() >= least &&
                    node_->get<double>() <= std::numeric_limits<int>::max();
  if (!fits) Fail(allowed);
  return node_->get<int>();
}

int JsonField::Count() const { return IntegerFrom(0, "a whole number that is not negative"); }

int JsonField::Integer() const {
  return IntegerFrom(std::numeric_limits<int>::min(), "a whole number");
}

bool JsonField::Boolean() const {
  if (!Node().is_boolean()) Fail("true or false");
  return node_->get<bool>();
}

std::string JsonField::Text(std::string_view allowed) const {
  if (!Node().is_string()) Fail(allowed);
  return node_->get<std::string>();
}

std::array<double, 3> JsonField::Vector3() const {
  const auto elements = Elements(3, "a list of three numbers");
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

bool JsonField::IsObject() const { return Node().is_object(); }
bool JsonField::IsArray() const { return Node().is_array(); }
std::string JsonField::Dump() const {
  return Given() ? node_->dump(-1, ' ', false, Json::error_handler_t::replace) : "nothing";
}

}  // namespace percuss
