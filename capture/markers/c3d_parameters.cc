// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/markers/c3d_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/error.h"

namespace percuss::capture {
namespace {

// VAX F_floating: exponent of 8 bits with offset 128, hidden first bit after the binary point.
double DecFloat(std::uint32_t bits) {
  const auto exponent = static_cast<int>(bits >> 23 & 0xff);
  const bool negative = (bits >> 31) != 0;
  if (exponent == 0) return negative ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  const double magnitude =
      std::ldexp(static_cast<double>((bits & 0x7fffff) | 0x800000), exponent - 128 - 24);
  return negative ? -magnitude : magnitude;
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

std::string TrimmedText(std::string_view text) {
  constexpr std::string_view kPadding(" \0", 2);
  const std::size_t first = text.find_first_not_of(kPadding);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kPadding) - first + 1));
}

}  // namespace

C3dContent::C3dContent(std::filesystem::path file, std::string_view content)
    : file_(std::move(file)), content_(content) {
  constexpr std::uint8_t kC3dKey = 0x50;
  if (Byte(1) != kC3dKey) {
    Throw("byte 2", fmt::format("{:#04x}", Byte(1)), "0x50 (a C3D file)");
  }
  const std::size_t block = Byte(0);
  if (block < 2) Throw("byte 1 (parameter section)", fmt::format("block {}", block), "2 or more");
  parameter_section_ = (block - 1) * kC3dBlock;
  const std::uint8_t processor = Byte(parameter_section_ + 3);
  if (processor < 84 || processor > 86) {
    Throw(fmt::format("byte {} (processor)", parameter_section_ + 4), fmt::format("{}", processor),
          "84 (Intel), 85 (DEC) or 86 (MIPS)");
  }
  processor_ = static_cast<C3dProcessor>(processor);
}

std::string_view C3dContent::Text(std::size_t at, std::size_t size) const {
  if (at > content_.size() || size > content_.size() - at) {
    Throw(fmt::format("byte {}", at + 1),
          fmt::format("the end of the file after {} bytes", content_.size()),
          fmt::format("{} more bytes there (is the file cut off?)", size));
  }
  return content_.substr(at, size);
}

std::uint8_t C3dContent::Byte(std::size_t at) const {
  return static_cast<std::uint8_t>(Text(at, 1).front());
}

std::uint16_t C3dContent::Uint16(std::size_t at) const {
  const std::uint16_t first = Byte(at);
  const std::uint16_t second = Byte(at + 1);
  return static_cast<std::uint16_t>(processor_ == C3dProcessor::kMips ? first << 8 | second
                                                                      : second << 8 | first);
}

std::int16_t C3dContent::Int16(std::size_t at) const {
  return static_cast<std::int16_t>(Uint16(at));
}

double C3dContent::Float(std::size_t at) const {
  const std::uint32_t first = Uint16(at);
  const std::uint32_t second = Uint16(at + 2);
  // Only Intel puts the half with sign and exponent last.
  if (processor_ == C3dProcessor::kIntel) return std::bit_cast<float>(second << 16 | first);
  const std::uint32_t bits = first << 16 | second;
  return processor_ == C3dProcessor::kDec ? DecFloat(bits) : std::bit_cast<float>(bits);
}

void C3dContent::Throw(std::string_view field, std::string_view found,
                       std::string_view allowed) const {
  throw InputError(
      fmt::format("{}: {}: found {}, allowed {}", file_.string(), field, found, allowed));
}

// A record is: length of the name (negative: locked), group (negative: this is a group), name, and
// how far it is from here to the next record, 0 at the last one.
C3dParameters::C3dParameters(const C3dContent& content) : content_(content) {
  std::map<int, std::string> groups;
  std::vector<std::pair<int, std::pair<std::string, Parameter>>> found;
  std::size_t at = content.ParameterSection() + 4;
  while (true) {
    const std::size_t name_size = std::abs(static_cast<std::int8_t>(content.Byte(at)));
    if (name_size == 0) break;
    const int group = static_cast<std::int8_t>(content.Byte(at + 1));
    const std::string name = UpperCase(content.Text(at + 2, name_size));
    const std::size_t offset_at = at + 2 + name_size;
    const std::size_t offset = content.Uint16(offset_at);
    if (group < 0) {
      groups[-group] = name;
    } else if (group > 0) {
      found.push_back({group, {name, ReadParameter(offset_at + 2, name)}});
    }
    if (offset == 0) break;
    if (offset < 2) {
      content.Throw(fmt::format("byte {} (parameter {})", offset_at + 1, name),
                    fmt::format("the next one {} bytes on", offset), "2 or more");
    }
    at = offset_at + offset;
  }
  // A parameter may stand before its group.
  for (auto& [group, parameter] : found) {
    parameters_.emplace(groups[group] + ":" + parameter.first, std::move(parameter.second));
  }
}

C3dParameters::Parameter C3dParameters::ReadParameter(std::size_t at,
                                                      const std::string& name) const {
  Parameter parameter;
  parameter.type = static_cast<std::int8_t>(content_.Byte(at));
  const int type = parameter.type;
  const std::string field = fmt::format("byte {} (parameter {})", at + 1, name);
  if (type != -1 && type != 1 && type != 2 && type != 4) {
    content_.Throw(field, fmt::format("type {}", type), "-1, 1, 2 or 4");
  }
  const std::size_t num_dimensions = content_.Byte(at + 1);
  if (num_dimensions > 7) {
    content_.Throw(field, fmt::format("{} dimensions", num_dimensions), "7 or fewer");
  }
  parameter.count = 1;  // at most 255^7: no overflow
  for (std::size_t i = 0; i < num_dimensions; ++i) {
    parameter.dimensions.push_back(content_.Byte(at + 2 + i));
    parameter.count *= parameter.dimensions.back();
  }
  parameter.data = at + 2 + num_dimensions;
  content_.Text(parameter.data, parameter.count * std::abs(type));
  return parameter;
}

const C3dParameters::Parameter* C3dParameters::Find(std::string_view group,
                                                    std::string_view name) const {
  const auto found = parameters_.find(fmt::format("{}:{}", group, name));
  return found == parameters_.end() ? nullptr : &found->second;
}

std::optional<double> C3dParameters::Number(std::string_view group, std::string_view name,
                                            std::size_t index) const {
  const Parameter* parameter = Find(group, name);
  if (parameter == nullptr || index >= parameter->count) return std::nullopt;
  const std::string field = fmt::format("{}:{}", group, name);
  if (parameter->type == -1) content_.Throw(field, "text", "a number");
  const std::size_t at = parameter->data + index * parameter->type;
  if (parameter->type == 1) return content_.Byte(at);
  if (parameter->type == 2) return content_.Uint16(at);
  const double value = content_.Float(at);
  if (!std::isfinite(value)) content_.Throw(field, fmt::format("{}", value), "a finite number");
  return value;
}

std::vector<std::string> C3dParameters::Strings(std::string_view group,
                                                std::string_view name) const {
  const Parameter* parameter = Find(group, name);
  if (parameter == nullptr || parameter->count == 0) return {};
  if (parameter->type != -1) {
    content_.Throw(fmt::format("{}:{}", group, name), "numbers", "text");
  }
  const std::size_t size = parameter->dimensions.empty() ? 1 : parameter->dimensions.front();
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < parameter->count / size; ++i) {
    strings.push_back(TrimmedText(content_.Text(parameter->data + i * size, size)));
  }
  return strings;
}

}  // namespace percuss::capture
