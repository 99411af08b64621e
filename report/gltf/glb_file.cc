// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/gltf/glb_file.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace percuss::report {
namespace {

using json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "glTF is little-endian");

void AddWord(std::uint32_t word, std::string* bytes) {
  char text[sizeof word];
  std::memcpy(text, &word, sizeof word);
  bytes->append(text, sizeof word);
}

void AddChunk(std::uint32_t type, std::string content, char padding, std::string* bytes) {
  content.resize((content.size() + 3) / 4 * 4, padding);
  AddWord(static_cast<std::uint32_t>(content.size()), bytes);
  AddWord(type, bytes);
  *bytes += content;
}

}  // namespace

int GlbNumbers::Add(std::span<const float> numbers, int width, Use use) {
  const auto columns = static_cast<std::size_t>(width);
  Accessor accessor{.offset = bytes_.size(),
                    .count = numbers.size() / columns,
                    .width = width,
                    .use = use,
                    .least = {numbers.begin(), numbers.begin() + width},
                    .greatest = {numbers.begin(), numbers.begin() + width}};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    accessor.least[i % columns] = std::min(accessor.least[i % columns], numbers[i]);
    accessor.greatest[i % columns] = std::max(accessor.greatest[i % columns], numbers[i]);
  }
  const std::size_t size = numbers.size_bytes();
  bytes_.resize(accessor.offset + size);
  std::memcpy(bytes_.data() + accessor.offset, numbers.data(), size);
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(accessors_.size()) - 1;
}

std::string GlbNumbers::File(json document) const {
  constexpr int kFloat = 5126, kArrayBuffer = 34962;
  json views = json::array(), accessors = json::array();
  for (const Accessor& accessor : accessors_) {
    json view = {{"buffer", 0},
                 {"byteOffset", accessor.offset},
                 {"byteLength", accessor.count * static_cast<std::size_t>(accessor.width) * 4}};
    if (accessor.use == Use::kVertices) view["target"] = kArrayBuffer;
    accessors.push_back({{"bufferView", views.size()},
                         {"componentType", kFloat},
                         {"count", accessor.count},
                         {"type", accessor.width == 1   ? "SCALAR"
                                  : accessor.width == 3 ? "VEC3"
                                                        : "VEC4"},
                         {"min", accessor.least},
                         {"max", accessor.greatest}});
    views.push_back(std::move(view));
  }
  document["accessors"] = std::move(accessors);
  document["bufferViews"] = std::move(views);
  document["buffers"] = json::array({json{{"byteLength", bytes_.size()}}});
  constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2, kJson = 0x4E4F534A, kBin = 0x004E4942;
  std::string chunks;
  // A name of a marker may be no text.
  AddChunk(kJson, document.dump(-1, ' ', false, json::error_handler_t::replace), ' ', &chunks);
  AddChunk(kBin, bytes_, '\0', &chunks);
  std::string file;
  AddWord(kMagic, &file);
  AddWord(kVersion, &file);
  AddWord(static_cast<std::uint32_t>(chunks.size() + 12), &file);
  return file + chunks;
}

}  // namespace percuss::report
