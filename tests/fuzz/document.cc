// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/document.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace percuss::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostLevels = 100, kMostValues = 20000;

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// What is left of levels and values while a tree is copied.
class Bounds {
 public:
  class Level {
   public:
    explicit Level(Bounds& bounds) : bounds_(bounds) { --bounds_.levels_; }
    ~Level() { ++bounds_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Bounds& bounds_;
  };
  bool Hold() { return levels_ > 0 && --values_ > 0; }

 private:
  int levels_ = kMostLevels, values_ = kMostValues;
};

bool Copy(const Json& json, Bounds& bounds, Document& document) {
  const Bounds::Level level(bounds);
  if (!bounds.Hold()) return false;
  if (!json.is_structured()) {
    document.quoted = json.is_string();
    document.text = document.quoted ? json.get<std::string>() : json.dump();
    return true;
  }
  document.kind = json.is_array() ? Document::Kind::kList : Document::Kind::kMap;
  for (const auto& [key, value] : json.items()) {
    Document& child = document.children.emplace_back();
    if (json.is_object()) child.key = key;
    if (!Copy(value, bounds, child)) return false;
  }
  return true;
}

bool Copy(const YAML::Node& node, Bounds& bounds, Document& document) {
  const Bounds::Level level(bounds);
  if (!bounds.Hold()) return false;
  if (!node.IsSequence() && !node.IsMap()) {
    document.quoted = node.Tag() == "!";
    document.text = node.IsScalar() ? node.Scalar() : "null";
    return true;
  }
  document.kind = node.IsSequence() ? Document::Kind::kList : Document::Kind::kMap;
  for (const auto& entry : node) {
    Document& child = document.children.emplace_back();
    if (node.IsMap()) {
      if (!entry.first.IsScalar()) return false;
      child.key = entry.first.Scalar();
    }
    if (!Copy(node.IsMap() ? entry.second : entry, bounds, child)) return false;
  }
  return true;
}

// How many brackets are open at once; those of texts count, too.
int Depth(std::string_view text) {
  int open = 0, most = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') most = std::max(most, ++open);
    if (c == ']' || c == '}') --open;
  }
  return most;
}

void AppendJson(const Document& document, std::string& text) {
  if (document.kind == Document::Kind::kScalar) {
    text += document.quoted ? Quoted(document.text) : document.text;
    return;
  }
  const bool map = document.kind == Document::Kind::kMap;
  text += map ? '{' : '[';
  for (const Document& child : document.children) {
    if (&child != &document.children.front()) text += ',';
    if (map) text += Quoted(child.key) + ':';
    AppendJson(child, text);
  }
  text += map ? '}' : ']';
}

// Words that YAML reads as they are.
std::string Plain(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '/' || c == '+';
  });
  return plain && text != "-" && !text.starts_with("---") ? text : Quoted(text);
}

void AppendYaml(const Document& document, int lines, std::size_t indent, std::string& text) {
  text += document.before;
  if (document.kind == Document::Kind::kScalar) {
    const bool alias = document.text.starts_with('*');
    text += document.quoted ? Quoted(document.text) : alias ? document.text : Plain(document.text);
    return;
  }
  const bool map = document.kind == Document::Kind::kMap;
  if (lines <= 0 || document.children.empty()) {
    text += map ? '{' : '[';
    for (const Document& child : document.children) {
      if (&child != &document.children.front()) text += ", ";
      if (map) text += Plain(child.key) + ": ";
      AppendYaml(child, 0, indent, text);
    }
    text += map ? '}' : ']';
    return;
  }
  for (const Document& child : document.children) {
    text += '\n' + std::string(indent, ' ') + (map ? Plain(child.key) + ": " : "- ");
    AppendYaml(child, lines - 1, indent + 2, text);
  }
}

}  // namespace

std::optional<Document> ReadJson(std::string_view text) {
  if (Depth(text) > kMostLevels) return {};
  const Json json = Json::parse(text, nullptr, false);
  Document document;
  Bounds bounds;
  if (json.is_discarded() || !Copy(json, bounds, document)) return {};
  return document;
}

std::optional<Document> ReadYaml(const std::string& text) {
  if (Depth(text) > kMostLevels) return {};
  Document document;
  Bounds bounds;
  try {
    if (!Copy(YAML::Load(text), bounds, document)) return {};
  } catch (const YAML::Exception&) {
    return {};
  }
  return document;
}

std::string JsonText(const Document& document) {
  std::string text;
  AppendJson(document, text);
  return text;
}

std::string YamlText(const Document& document, int lines) {
  std::string text;
  AppendYaml(document, lines, 0, text);
  return text + '\n';
}

}  // namespace percuss::fuzz
