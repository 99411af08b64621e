// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// C3D by the public user guide (c3d.org), little-endian: words of the header, then records of the
// parameter section: length of the name (negative: locked), group (negative: this is one), name,
// offset to the next record, size of an element (negative: text), number of axes, their lengths,
// elements.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <vector>

#include "tests/fuzz/form_mutation.h"
#include "tests/fuzz/mutation.h"

namespace percuss::fuzz {
namespace {

constexpr std::size_t kBlock = 512;
// Words of the header that a reader asks for: points, analog samples, first and last frame, gap,
// scale (two words), first block of the data, samples of a frame, rate (two words).
constexpr std::size_t kHeaderWords[] = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22};
constexpr std::uint16_t kEdgeWords[] = {0, 1, 2, 3, 255, 256, 0x7fff, 0x8000, 0xfffe, 0xffff};
constexpr float kEdgeFloats[] = {0.0F,
                                 -0.0F,
                                 1.0F,
                                 -1.0F,
                                 1e-45F,
                                 1e38F,
                                 -1e38F,
                                 1e-10F,
                                 std::numeric_limits<float>::infinity(),
                                 -std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::quiet_NaN()};
constexpr char kEdgeBytes[] = {0, 1, 2, 3, 4, 127, -1, -2, -4, -128};

/// Where the parts of one record begin.
struct Record {
  std::size_t name = 0, name_size = 0, offset = 0, type = 0;
  bool group = false;
};

std::uint16_t Word(const std::string& bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) |
                                    static_cast<unsigned char>(bytes[at + 1]) << 8);
}

void SetWord(std::string& bytes, std::size_t at, std::uint16_t word) {
  if (at + 2 > bytes.size()) return;
  bytes[at] = static_cast<char>(word & 0xff);
  bytes[at + 1] = static_cast<char>(word >> 8);
}

void SetFloat(std::string& bytes, std::size_t at, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  SetWord(bytes, at, static_cast<std::uint16_t>(bits & 0xffff));
  SetWord(bytes, at + 2, static_cast<std::uint16_t>(bits >> 16));
}

std::vector<Record> RecordsOf(const std::string& bytes) {
  std::vector<Record> records;
  if (bytes.size() < kBlock) return records;
  const auto block = static_cast<unsigned char>(bytes[0]);
  std::size_t at = (std::max<std::size_t>(block, 1) - 1) * kBlock + 4;
  while (at + 2 < bytes.size() && records.size() < 1000) {
    Record record;
    record.name = at + 2;
    record.name_size = static_cast<std::size_t>(std::abs(static_cast<int>(bytes[at])));
    record.group = bytes[at + 1] < 0;
    record.offset = record.name + record.name_size;
    record.type = record.offset + 2;
    if (record.name_size == 0 || record.type + 2 > bytes.size()) break;
    records.push_back(record);
    const std::size_t offset = Word(bytes, record.offset);
    if (offset == 0) break;
    at = record.offset + offset;
  }
  return records;
}

template <class T, std::size_t N>
T Some(std::mt19937& random, const T (&values)[N]) {
  return values[Draw(random, N)];
}

void ChangeRecord(std::mt19937& random, const Record& record, const std::vector<Record>& records,
                  std::string& bytes) {
  const std::size_t axes = static_cast<unsigned char>(bytes[record.type + 1]);
  const std::size_t elements = record.type + 2 + axes;
  switch (Draw(random, 8)) {
    case 0:  // the name of another, as far as it fits
    {
      const Record& other = records[Draw(random, records.size())];
      const std::string name = bytes.substr(other.name, other.name_size);
      for (std::size_t k = 0; k < std::min(record.name_size, name.size()); ++k)
        bytes[record.name + k] = name[k];
      return;
    }
    case 1:
      bytes[record.name - 2] = Some(random, kEdgeBytes);
      return;
    case 2:
      bytes[record.name - 1] = static_cast<char>(static_cast<int>(Draw(random, 12)) - 6);
      return;
    case 3:
      SetWord(bytes, record.offset, Some(random, kEdgeWords));
      return;
    case 4:
      bytes[record.type] = Some(random, kEdgeBytes);
      return;
    case 5:
      bytes[record.type + 1] = static_cast<char>(Draw(random, 9));
      return;
    case 6:
      if (axes > 0 && record.type + 2 + axes <= bytes.size())
        bytes[record.type + 2 + Draw(random, axes)] = Some(random, kEdgeBytes);
      return;
    default:
      if (static_cast<int>(bytes[record.type]) == 4) {
        SetFloat(bytes, elements, Some(random, kEdgeFloats));
      } else {
        SetWord(bytes, elements + 2 * Draw(random, 2), Some(random, kEdgeWords));
      }
  }
}

void Change(std::mt19937& random, std::string& bytes) {
  const std::vector<Record> records = RecordsOf(bytes);
  switch (Draw(random, 8)) {
    case 0:
      SetWord(bytes, Some(random, kHeaderWords), Some(random, kEdgeWords));
      return;
    case 1:  // scale or rate
      SetFloat(bytes, Draw(random, 2) == 0 ? 12 : 20, Some(random, kEdgeFloats));
      return;
    case 2:  // the parameter section elsewhere, or of another processor
      if (bytes.size() > kBlock + 3)
        bytes[Draw(random, 2) == 0 ? 0 : kBlock + 3] =
            Draw(random, 2) == 0 ? Some(random, kEdgeBytes)
                                 : static_cast<char>(84 + Draw(random, 3));
      return;
    case 3: {  // a coordinate, or the word of a point that says whether it was seen
      const std::size_t data = 2 * kBlock;
      if (bytes.size() <= data + 4) return;
      const std::size_t at = data + 2 * Draw(random, (bytes.size() - data) / 2);
      Draw(random, 2) == 0 ? SetWord(bytes, at, Some(random, kEdgeWords))
                           : SetFloat(bytes, at, Some(random, kEdgeFloats));
      return;
    }
    default:
      if (!records.empty())
        ChangeRecord(random, records[Draw(random, records.size())], records, bytes);
  }
}

}  // namespace

std::string MutatedC3d(std::string bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t changes = 1 + Draw(random, 4); changes > 0; --changes) Change(random, bytes);
  return bytes;
}

}  // namespace percuss::fuzz
