// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/track_keys.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace percuss::capture {
namespace {

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

/// Where the content of a box lies in a file.
struct BoxPlace {
  std::string type;
  std::uint64_t begin = 0, end = 0;
};

/// Reads boxes of a file one after the other.
struct BoxFile {
  std::ifstream stream;

  std::string Read(std::uint64_t begin, std::uint64_t size) {
    std::string bytes(size, '\0');
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(begin));
    stream.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    return bytes;
  }

  void ForEach(std::uint64_t begin, std::uint64_t end,
               const std::function<void(const BoxPlace&)>& visit) {
    for (std::uint64_t at = begin; at < end && end - at >= 8;) {
      const std::string head = Read(at, std::min<std::uint64_t>(16, end - at));
      if (head.size() < 8) return;
      std::uint64_t size = BigEndian(std::string_view(head).substr(0, 4)), header = 8;
      if (size == 1 && head.size() == 16) {
        size = BigEndian(std::string_view(head).substr(8, 8));
        header = 16;
      }
      if (size == 0) size = end - at;
      if (size < header || size > end - at) return;
      visit({head.substr(4, 4), at + header, at + size});
      at += size;
    }
  }
};

/// Boxes in memory.
void ForEachIn(std::string_view bytes,
               const std::function<void(std::string_view type, std::string_view content)>& visit) {
  while (bytes.size() >= 8) {
    const std::uint64_t size = BigEndian(bytes.substr(0, 4));
    if (size < 8 || size > bytes.size()) return;
    visit(bytes.substr(4, 4), bytes.substr(8, size - 8));
    bytes.remove_prefix(size);
  }
}

/// Of a "data" box: type, locale, value (QuickTime File Format, "Well-known types").
std::optional<std::string> ValueOf(std::string_view data) {
  if (data.size() < 8) return {};
  const std::uint64_t type = BigEndian(data.substr(0, 4));
  const std::string_view value = data.substr(8);
  constexpr std::uint64_t kText = 1, kSigned = 21, kUnsigned = 22, kFloat = 23, kDouble = 24,
                          kSigned32 = 67;
  if (type == kText) return std::string(value);
  if (value.empty() || value.size() > 8) return {};
  const std::uint64_t number = BigEndian(value);
  if (type == kFloat && value.size() == 4)
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(number)));
  if (type == kDouble && value.size() == 8) return fmt::format("{}", std::bit_cast<double>(number));
  if (type == kUnsigned) return fmt::format("{}", number);
  if (type != kSigned && type != kSigned32) return {};
  const int unused = 64 - 8 * static_cast<int>(value.size());
  return fmt::format("{}", std::bit_cast<std::int64_t>(number << unused) >> unused);
}

void AddKeysOf(std::string_view meta, MetadataKeys* found) {
  // A box of QuickTime begins with its first part, one of ISO with a version.
  if (meta.size() >= 12 && meta.substr(4, 4) != "hdlr") meta.remove_prefix(4);
  std::vector<std::string> names;
  ForEachIn(meta, [&](std::string_view type, std::string_view content) {
    if (type == "keys" && content.size() >= 8) {
      ForEachIn(content.substr(8),
                [&](std::string_view, std::string_view name) { names.emplace_back(name); });
    }
    if (type != "ilst") return;
    ForEachIn(content, [&](std::string_view number, std::string_view item) {
      const std::uint64_t place = BigEndian(number);
      if (place < 1 || place > names.size()) return;
      ForEachIn(item, [&](std::string_view part, std::string_view data) {
        if (part != "data") return;
        if (auto value = ValueOf(data)) found->emplace_back(names[place - 1], std::move(*value));
      });
    });
  });
}

}  // namespace

MetadataKeys TrackKeys(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostBytes = 1 << 20;  // of a meta box; those of phones have hundreds
  MetadataKeys found;
  BoxFile boxes{std::ifstream(file, std::ios::binary | std::ios::ate)};
  const std::streamoff size = boxes.stream.tellg();
  if (size <= 0) return found;
  boxes.ForEach(0, static_cast<std::uint64_t>(size), [&](const BoxPlace& movie) {
    if (movie.type != "moov") return;
    boxes.ForEach(movie.begin, movie.end, [&](const BoxPlace& track) {
      if (track.type != "trak") return;
      boxes.ForEach(track.begin, track.end, [&](const BoxPlace& part) {
        if (part.type == "meta" && part.end - part.begin <= kMostBytes)
          AddKeysOf(boxes.Read(part.begin, part.end - part.begin), &found);
      });
    });
  });
  return found;
}

}  // namespace percuss::capture
