// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capture/markers/written_c3d.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace percuss::testing {
namespace {

constexpr std::size_t kWrittenC3dBlock = 512;
constexpr int kDataBlock = 5;

void Pad(std::string& bytes, std::size_t size) { bytes.resize(std::max(bytes.size(), size), '\0'); }

}  // namespace

WrittenC3d::WrittenC3d(Processor machine, bool use_floats,
                       std::vector<std::vector<std::array<double, 4>>> stored_frames)
    : processor(machine), floats(use_floats), frames(std::move(stored_frames)) {
  SetNumbers(1, "USED", 2, {2});
  SetNumbers(1, "FRAMES", 2, {static_cast<double>(frames.size())});
  SetNumbers(1, "DATA_START", 2, {kDataBlock});
  SetNumbers(1, "SCALE", 4, {floats ? -0.0625 : 0.0625});
  SetNumbers(1, "RATE", 4, {50});
  SetText(1, "UNITS", {"mm"});
  SetText(1, "LABELS", {"A1    ", "head:B"});
  SetNumbers(2, "USED", 2, {0});
}

void WrittenC3d::Remove(const std::string& name) {
  std::erase_if(parameters, [&](const Parameter& parameter) { return parameter.name == name; });
}

void WrittenC3d::SetNumbers(int group, const std::string& name, int type,
                            std::vector<double> numbers) {
  Parameter parameter{
      .group = group, .name = name, .type = type, .dimensions = {}, .numbers = {}, .text = {}};
  if (numbers.size() != 1) parameter.dimensions = {static_cast<std::uint8_t>(numbers.size())};
  parameter.numbers = std::move(numbers);
  std::erase_if(parameters,
                [&](const Parameter& old) { return old.group == group && old.name == name; });
  parameters.push_back(parameter);
}

void WrittenC3d::SetText(int group, const std::string& name,
                         const std::vector<std::string>& strings) {
  Parameter parameter{
      .group = group, .name = name, .type = -1, .dimensions = {}, .numbers = {}, .text = {}};
  std::size_t size = 0;
  for (const std::string& string : strings) size = std::max(size, string.size());
  for (std::string string : strings) {
    string.resize(size, ' ');
    parameter.text += string;
  }
  parameter.dimensions = {static_cast<std::uint8_t>(size),
                          static_cast<std::uint8_t>(strings.size())};
  std::erase_if(parameters,
                [&](const Parameter& old) { return old.group == group && old.name == name; });
  parameters.push_back(parameter);
}

void WrittenC3d::Append16(std::string& bytes, int value) const {
  const auto low = static_cast<char>(value & 0xff);
  const auto high = static_cast<char>(value >> 8 & 0xff);
  if (processor == Processor::kMips) {
    bytes += {high, low};
  } else {
    bytes += {low, high};
  }
}

// A VAX stores 4 x as IEEE, its 16-bit halves in little-endian order with the upper one first.
void WrittenC3d::AppendFloat(std::string& bytes, double value) const {
  const bool dec = processor == Processor::kDec;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(dec ? 4.0 * value : value));
  const int upper = static_cast<int>(bits >> 16);
  const int lower = static_cast<int>(bits & 0xffff);
  if (processor == Processor::kIntel) {
    Append16(bytes, lower);
    Append16(bytes, upper);
  } else {
    Append16(bytes, upper);
    Append16(bytes, lower);
  }
}

std::string WrittenC3d::ParameterSection() const {
  std::string bytes("\1\x50\3", 3);
  bytes += static_cast<char>(processor);
  const auto append_name = [&](const std::string& name, int id, bool locked) {
    bytes +=
        static_cast<char>(locked ? -static_cast<int>(name.size()) : static_cast<int>(name.size()));
    bytes += static_cast<char>(id);
    bytes += name;
  };
  // Parameters before their groups, which the format allows, and one of them locked.
  for (const Parameter& parameter : parameters) {
    std::string data = parameter.text;
    for (const double number : parameter.numbers) {
      if (parameter.type == 1) data += static_cast<char>(static_cast<int>(number));
      if (parameter.type == 2) Append16(data, static_cast<int>(number));
      if (parameter.type == 4) AppendFloat(data, number);
    }
    append_name(parameter.name, parameter.group, parameter.name == "RATE");
    const std::string description = "as stated";
    Append16(bytes, static_cast<int>(2 + 2 + parameter.dimensions.size() + data.size() + 1 +
                                     description.size()));
    bytes += static_cast<char>(parameter.type);
    bytes += static_cast<char>(parameter.dimensions.size());
    for (const std::uint8_t dimension : parameter.dimensions) bytes += static_cast<char>(dimension);
    bytes += data;
    bytes += static_cast<char>(description.size());
    bytes += description;
  }
  int id = 0;
  for (const char* group : {"point", "ANALOG", "TRIAL"}) {
    append_name(group, --id, false);
    Append16(bytes, id == -3 ? 0 : 3);  // 0: the last record
    bytes += '\0';
  }
  return bytes;
}

std::string WrittenC3d::Bytes() const {
  std::string bytes("\2\x50", 2);
  Append16(bytes, 2);
  Append16(bytes, analog_samples);
  Append16(bytes, header_first_frame);
  Append16(bytes, header_first_frame + static_cast<int>(frames.size()) - 1);
  Append16(bytes, 10);
  AppendFloat(bytes, floats ? -0.0625 : 0.0625);
  Append16(bytes, kDataBlock);
  Append16(bytes, 1);
  AppendFloat(bytes, 50);
  Pad(bytes, kWrittenC3dBlock);
  bytes += ParameterSection();
  Pad(bytes, (kDataBlock - 1) * kWrittenC3dBlock);
  for (const auto& frame : frames) {
    for (const auto& point : frame) {
      for (const double word : point) {
        floats ? AppendFloat(bytes, word) : Append16(bytes, static_cast<int>(word));
      }
    }
    for (int i = 0; i < analog_samples; ++i) floats ? AppendFloat(bytes, 7) : Append16(bytes, 7);
  }
  return bytes;
}

}  // namespace percuss::testing
