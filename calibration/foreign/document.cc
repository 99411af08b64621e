// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/foreign/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "base/text/xml_field.h"
#include "base/text/yaml_field.h"

namespace percuss::calibration {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// More than any rig has, and few enough that a file cannot fill the memory by naming one part of
// itself again and again.
constexpr int kMostValues = 100000;

JsonField FieldOf(const fs::path& file, const Json& json) {
  return JsonField::Parse(file.string(), JsonText(json, -1));
}

std::optional<double> NumberIn(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

// Whole numbers without a point, as counts are written.
Json NumberJson(double number) {
  constexpr double kWhole = 1e15;
  if (number == std::floor(number) && std::abs(number) < kWhole && !std::signbit(number))
    return static_cast<std::int64_t>(number);
  return number;
}

Json ScalarJson(const std::string& text) {
  if (const std::optional<double> number = NumberIn(text)) return NumberJson(*number);
  if (text == "true" || text == "false") return text == "true";
  return text;
}

Json YamlJson(const YamlField& field, int* num_values) {
  if (++*num_values > kMostValues) field.Throw(fmt::format("at most {} values", kMostValues));
  if (field.IsMap()) {
    Json json = Json::object();
    for (const auto& [key, value] : field.Entries("a map")) json[key] = YamlJson(value, num_values);
    return json;
  }
  if (field.IsList()) {
    Json json = Json::array();
    for (const YamlField& item : field.Items("a list")) json.push_back(YamlJson(item, num_values));
    return json;
  }
  return field.IsScalar() ? ScalarJson(field.Text("a value")) : Json();
}

// A text of numbers becomes a number or a list of them.
Json TextJson(const std::string& text) {
  std::istringstream words(text);
  Json numbers = Json::array();
  std::string word;
  while (words >> word) {
    const std::optional<double> number = NumberIn(word);
    if (!number) return text;
    numbers.push_back(NumberJson(*number));
  }
  return numbers.size() == 1 ? numbers[0] : numbers;
}

// One literal of Python as JSON; the text of bytes, which may be megabytes, is left out.
class PythonLiteral {
 public:
  PythonLiteral(const fs::path& file, std::string_view text) : file_(file), text_(text) {}

  std::string ToJson() {
    while (at_ < text_.size()) Next();
    return std::move(json_);
  }

 private:
  [[noreturn]] void Fail(const std::string& found) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + at_, '\n');
    throw InputError(fmt::format("{}: line {}: found {}, allowed a dict of Python", file_.string(),
                                 line, found));
  }

  void Next() {
    const char c = text_[at_];
    if (std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '\'' || c == '"') {
      json_ += JsonText(Json(Quoted()), -1);
    } else if (std::string_view("{}[](),:").find(c) != std::string_view::npos) {
      Mark(c);
    } else {
      Word();
    }
  }

  void Mark(char c) {
    if (c == '(') c = '[';
    if (c == ')') c = ']';
    while ((c == ']' || c == '}') && (json_.ends_with(',') || json_.ends_with('\n')))
      json_.pop_back();  // Python allows a last comma
    json_ += c;
    ++at_;
  }

  std::string Quoted() {
    const char quote = text_[at_++];
    std::string content;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) content += text_[at_++];
    }
    if (at_ >= text_.size() || text_[at_] != quote) Fail("a text without an end");
    ++at_;
    return content;
  }

  void Word() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n#,:()[]{}'\"", at_), text_.size());
    const std::string word(text_.substr(at_, end - at_));
    const bool quoted = end < text_.size() && (text_[end] == '\'' || text_[end] == '"');
    if (quoted && (word == "b" || word == "r" || word == "u")) {
      at_ = end;
      const std::string content = Quoted();
      json_ += word == "b" ? "\"\"" : JsonText(Json(content), -1);
      return;
    }
    if (word == "True" || word == "False" || word == "None") {
      json_ += word == "True" ? "true" : word == "False" ? "false" : "null";
    } else if (const std::optional<double> number = NumberIn(word)) {
      json_ += fmt::format("{}", *number);
    } else {
      Fail(word);
    }
    at_ = end;
  }

  const fs::path& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string json_;
};

}  // namespace

JsonField ReadYamlDocument(const fs::path& file) {
  int num_values = 0;
  return FieldOf(file, YamlJson(YamlField::ReadFile(file), &num_values));
}

JsonField ReadOpenCvXml(const fs::path& file) {
  XmlFile xml;
  ReadXml(file, "opencv_storage", &xml);
  Json json = Json::object();
  for (const pugi::xml_node& node : xml.root.children()) {
    if (node.type() != pugi::node_element) continue;
    if (json.contains(node.name())) FailAt(xml, node, "it a second time", "each element once");
    Json& value = json[node.name()];
    if (!node.child("data")) {
      value = TextJson(node.text().as_string());
      continue;
    }
    for (const pugi::xml_node& part : node.children())
      value[part.name()] = TextJson(part.text().as_string());
  }
  return FieldOf(file, json);
}

JsonField ReadTomlDocument(const fs::path& file) {
  const std::string text = ReadFile(file);
  try {
    const toml::table table = toml::parse(text, file.string());
    std::ostringstream json;
    json << toml::json_formatter{table};
    return JsonField::Parse(file.string(), json.str());
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}: line {}: found broken TOML ({}), allowed TOML text",
                                 file.string(), error.source().begin.line, error.description()));
  }
}

JsonField ReadPythonDict(const fs::path& file) {
  const std::string text = ReadFile(file);
  return JsonField::Parse(file.string(), PythonLiteral(file, text).ToJson());
}

}  // namespace percuss::calibration
