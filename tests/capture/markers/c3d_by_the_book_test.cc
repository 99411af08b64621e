// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What WriteMarkers makes of a C3D file, read by a second reader that shares nothing with the
// project's: written from the C3D file format user guide (Motion Lab Systems, 2021; header section,
// parameter section, 3D point data) alone, for files of Intel machines with floats. Source of
// truth: the trajectories that were written.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "capture/markers/marker_file.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

constexpr std::size_t kBlock = 512;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A file as a list of bytes, of which every access is checked.
class Bytes {
 public:
  explicit Bytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
  }
  int Byte(std::size_t at) const { return static_cast<unsigned char>(bytes_.at(at)); }
  int SignedByte(std::size_t at) const { return static_cast<signed char>(bytes_.at(at)); }
  int Word(std::size_t at) const { return Byte(at) | Byte(at + 1) << 8; }
  int SignedWord(std::size_t at) const { return static_cast<std::int16_t>(Word(at)); }
  float Real(std::size_t at) const {
    const std::uint32_t bits =
        static_cast<std::uint32_t>(Word(at)) | static_cast<std::uint32_t>(Word(at + 2)) << 16;
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  std::string Text(std::size_t at, std::size_t length) const {
    std::string text;
    for (std::size_t k = 0; k < length; ++k) text += static_cast<char>(Byte(at + k));
    return text;
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

struct BookParameter {
  int type = 0;  // -1 characters, 1 bytes, 2 integers, 4 floats
  std::vector<int> dimensions;
  std::size_t data = 0;  // where its values begin
};

struct BookFile {
  int points = 0, analog = 0, first_frame = 0, last_frame = 0;
  float scale = 0.0F, rate = 0.0F;
  std::size_t data = 0;
  int processor = 0;
  std::map<std::string, BookParameter> parameters;  // "POINT:RATE"
};

// Header: words of two bytes, numbered from 1 in the guide.
BookFile ReadByTheBook(const Bytes& bytes) {
  BookFile file;
  EXPECT_EQ(bytes.Byte(1), 0x50);
  file.points = bytes.Word(2);
  file.analog = bytes.Word(4);
  file.first_frame = bytes.Word(6);
  file.last_frame = bytes.Word(8);
  file.scale = bytes.Real(12);
  file.data = (bytes.Word(16) - 1) * kBlock;
  file.rate = bytes.Real(20);

  const std::size_t section = (bytes.Byte(0) - 1) * kBlock;
  file.processor = bytes.Byte(section + 3);
  std::map<int, std::string> groups;
  std::vector<std::pair<int, std::pair<std::string, BookParameter>>> found;
  for (std::size_t at = section + 4;;) {
    const int length = std::abs(bytes.SignedByte(at));  // negative: locked
    if (length == 0) break;
    const int id = bytes.SignedByte(at + 1);
    const std::string name = bytes.Text(at + 2, length);
    const std::size_t pointer = at + 2 + length;
    if (id < 0) {
      groups[-id] = name;
    } else {
      BookParameter parameter;
      parameter.type = bytes.SignedByte(pointer + 2);
      const int dimensions = bytes.Byte(pointer + 3);
      for (int k = 0; k < dimensions; ++k)
        parameter.dimensions.push_back(bytes.Byte(pointer + 4 + k));
      parameter.data = pointer + 4 + dimensions;
      found.push_back({id, {name, parameter}});
    }
    const int next = bytes.SignedWord(pointer);
    if (next == 0) break;
    at = pointer + next;
  }
  for (const auto& [id, parameter] : found)
    file.parameters[groups.at(id) + ":" + parameter.first] = parameter.second;
  return file;
}

std::string Trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

MarkerTrajectories Sample() {
  MarkerTrajectories sample;
  sample.frame_rate = 120.0;
  sample.markers = {"A1", "A2", "long_name_of_a_marker"};
  for (int frame = 0; frame < 7; ++frame) {
    sample.times.push_back(frame / 120.0);
    auto& row = sample.positions.emplace_back();
    for (int marker = 0; marker < 3; ++marker)
      row.emplace_back(0.1 * marker - 0.01 * frame, 0.2 + 0.003 * frame, 1.0 - 0.05 * marker);
  }
  sample.positions[3][1].setConstant(kNaN);
  sample.positions[6][2].setConstant(kNaN);
  return sample;
}

TEST(C3dByTheBook, HeaderAndParametersSayWhatWasWritten) {
  const testing::TemporaryFolder folder;
  WriteMarkers(Sample(), folder / "markers.c3d");
  const Bytes bytes(folder / "markers.c3d");
  const BookFile file = ReadByTheBook(bytes);
  EXPECT_EQ(file.processor, 84);
  EXPECT_EQ(file.points, 3);
  EXPECT_EQ(file.analog, 0);
  EXPECT_EQ(file.first_frame, 1);
  EXPECT_EQ(file.last_frame, 7);
  EXPECT_LT(file.scale, 0.0F);  // floats
  EXPECT_EQ(file.rate, 120.0F);
  EXPECT_EQ(bytes.size() % kBlock, 0U);

  ASSERT_TRUE(file.parameters.contains("POINT:LABELS"));
  const BookParameter& labels = file.parameters.at("POINT:LABELS");
  ASSERT_EQ(labels.type, -1);
  ASSERT_EQ(labels.dimensions.size(), 2U);
  ASSERT_EQ(labels.dimensions[1], 3);
  const std::size_t width = labels.dimensions[0];
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(Trimmed(bytes.Text(labels.data + k * width, width)), Sample().markers[k]);
  const BookParameter& units = file.parameters.at("POINT:UNITS");
  EXPECT_EQ(Trimmed(bytes.Text(units.data, units.dimensions.at(0))), "mm");
  EXPECT_EQ(bytes.Word(file.parameters.at("POINT:USED").data), 3);
  EXPECT_EQ(bytes.Word(file.parameters.at("POINT:FRAMES").data), 7);
  EXPECT_EQ(bytes.Real(file.parameters.at("POINT:RATE").data), 120.0F);
  EXPECT_LT(bytes.Real(file.parameters.at("POINT:SCALE").data), 0.0F);
  EXPECT_EQ((bytes.Word(file.parameters.at("POINT:DATA_START").data) - 1) * kBlock, file.data);
}

// A point without a measurement has the fourth word -1; floats carry 24 bits, 1e-7 of a coordinate.
TEST(C3dByTheBook, CoordinatesAndMissingSamples) {
  const testing::TemporaryFolder folder;
  WriteMarkers(Sample(), folder / "markers.c3d");
  const Bytes bytes(folder / "markers.c3d");
  const BookFile file = ReadByTheBook(bytes);
  const MarkerTrajectories written = Sample();
  constexpr std::size_t kWord = 4, kPoint = 4 * kWord;
  int missing = 0;
  for (std::size_t frame = 0; frame < 7; ++frame) {
    for (std::size_t marker = 0; marker < 3; ++marker) {
      const std::size_t at = file.data + (frame * 3 + marker) * kPoint;
      const Eigen::Vector3d& position = written.positions[frame][marker];
      if (position.hasNaN()) {
        EXPECT_EQ(bytes.Real(at + 3 * kWord), -1.0F) << frame << " " << marker;
        ++missing;
        continue;
      }
      EXPECT_GE(bytes.Real(at + 3 * kWord), 0.0F) << frame << " " << marker;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(bytes.Real(at + axis * kWord), 1e3 * position[static_cast<int>(axis)], 1e-4)
            << frame << " " << marker;
      }
    }
  }
  EXPECT_EQ(missing, 2);
}

}  // namespace
}  // namespace percuss::capture
