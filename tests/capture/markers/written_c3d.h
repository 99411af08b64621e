// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace percuss::testing {

/// A C3D file composed byte by byte from the C3D user guide, for tests of the reader: every
/// machine, integers or floats, and statements that are wrong.
struct WrittenC3d {
  enum class Processor : std::uint8_t { kIntel = 84, kDec = 85, kMips = 86 };
  struct Parameter {
    int group = 0;
    std::string name;
    int type = 0;  ///< -1 text, 1, 2, 4
    std::vector<std::uint8_t> dimensions;
    std::vector<double> numbers;
    std::string text;
  };

  /// Two points, the given frames of {x, y, z, fourth word} as stored, no analog channels, 50 Hz,
  /// mm.
  WrittenC3d(Processor machine, bool use_floats,
             std::vector<std::vector<std::array<double, 4>>> stored_frames);

  /// Changes or adds a parameter of the group POINT (1), ANALOG (2) or TRIAL (3).
  void SetNumbers(int group, const std::string& name, int type, std::vector<double> numbers);
  void SetText(int group, const std::string& name, const std::vector<std::string>& strings);
  void Remove(const std::string& name);

  std::string Bytes() const;

  Processor processor;
  bool floats;
  std::vector<std::vector<std::array<double, 4>>> frames;
  std::vector<Parameter> parameters;
  int analog_samples = 0;  ///< per frame
  int header_first_frame = 1;

 private:
  void Append16(std::string& bytes, int value) const;
  void AppendFloat(std::string& bytes, double value) const;
  std::string ParameterSection() const;
};

}  // namespace percuss::testing
