// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/xml_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "base/error.h"
#include "base/files/files.h"

namespace percuss {

void ReadXml(const std::filesystem::path& path, std::string_view root, XmlFile* file) {
  ParseXml(path, ReadFile(path), root, file);
}

void ParseXml(const std::filesystem::path& path, std::string_view text, std::string_view root,
              XmlFile* file) {
  file->path = path;
  const pugi::xml_parse_result result =
      file->document.load_buffer(text.data(), text.size(), pugi::parse_default);
  if (!result) {
    const auto line =
        1 + std::count(text.begin(),
                       text.begin() + std::min<std::ptrdiff_t>(result.offset, std::ssize(text)),
                       '\n');
    throw InputError(
        fmt::format("{}: line {}: found no XML: {}", path.string(), line, result.description()));
  }
  file->root = file->document.document_element();
  if (std::string_view(file->root.name()) != root) {
    throw InputError(
        fmt::format("{}: found <{}>, allowed <{}>", path.string(), file->root.name(), root));
  }
}

void FailAt(const XmlFile& file, const pugi::xml_node& node, const std::string& found,
            const std::string& allowed) {
  const std::string name = node.attribute("name").as_string();
  throw InputError(fmt::format("{}: <{}>{}: found {}, allowed {}", file.path.string(), node.name(),
                               name.empty() ? "" : " " + name, found, allowed));
}

std::vector<double> NumbersOf(const XmlFile& file, const pugi::xml_node& node,
                              const std::string& text, std::string_view attribute,
                              std::size_t least, std::size_t most) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  for (;;) {
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') ++at;
    if (*at == '\0') break;
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at || !std::isfinite(number) || std::abs(number) > 1e9)
      FailAt(file, node, fmt::format("{}=\"{}\"", attribute, text), "finite numbers up to 1e9");
    numbers.push_back(number);
    at = end;
  }
  if (numbers.size() < least || numbers.size() > most) {
    FailAt(file, node, fmt::format("{}=\"{}\"", attribute, text),
           least == most ? fmt::format("{} numbers", least)
                         : fmt::format("{} to {} numbers", least, most));
  }
  return numbers;
}

}  // namespace percuss
