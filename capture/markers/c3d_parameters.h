// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::capture {

inline constexpr std::size_t kC3dBlock = 512;  // bytes; sections start at multiples of it

/// Machine whose numbers a C3D file holds, as coded in byte 4 of its parameter section.
enum class C3dProcessor : std::uint8_t { kIntel = 84, kDec = 85, kMips = 86 };

/// Bytes of a C3D file as numbers. Whatever lies outside the file is an InputError naming the byte.
class C3dContent {
 public:
  /// `content` must outlive this. Finds the processor from the header and the parameter section.
  C3dContent(std::filesystem::path file, std::string_view content);

  std::size_t Size() const { return content_.size(); }
  std::size_t ParameterSection() const { return parameter_section_; }
  std::uint8_t Byte(std::size_t at) const;
  std::int16_t Int16(std::size_t at) const;
  std::uint16_t Uint16(std::size_t at) const;
  /// NaN and infinite values included; DEC floats (F format) have only NaN of them.
  double Float(std::size_t at) const;
  std::string_view Text(std::size_t at, std::size_t size) const;

  [[noreturn]] void Throw(std::string_view field, std::string_view found,
                          std::string_view allowed) const;

 private:
  std::filesystem::path file_;
  std::string_view content_;
  std::size_t parameter_section_ = 0;
  C3dProcessor processor_ = C3dProcessor::kIntel;
};

/// The parameter section: values by group and name ("POINT", "USED").
class C3dParameters {
 public:
  explicit C3dParameters(const C3dContent& content);

  /// Element `index` of a parameter as a finite number, integers as unsigned; nothing if there is
  /// no such parameter or element. Throws for text.
  std::optional<double> Number(std::string_view group, std::string_view name,
                               std::size_t index = 0) const;

  /// The strings of a parameter without blanks around them; none if there is no such parameter.
  std::vector<std::string> Strings(std::string_view group, std::string_view name) const;

 private:
  struct Parameter {
    int type = 0;  // size of an element; -1 for text
    std::vector<std::size_t> dimensions;
    std::size_t count = 0;  // elements
    std::size_t data = 0;   // byte where they start
  };
  Parameter ReadParameter(std::size_t at, const std::string& name) const;
  const Parameter* Find(std::string_view group, std::string_view name) const;

  const C3dContent& content_;
  std::map<std::string, Parameter, std::less<>> parameters_;  // "GROUP:NAME"
};

}  // namespace percuss::capture
