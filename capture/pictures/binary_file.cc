// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/binary_file.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"

namespace percuss::capture {

BinaryFile::BinaryFile(const std::filesystem::path& path)
    : path_(path), stream_(path, std::ios::binary) {
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (error || !stream_) {
    throw InputError(fmt::format("{}: found no file that can be read there", path.string()));
  }
}

void BinaryFile::Read(std::uint64_t at, std::span<std::uint8_t> to) {
  stream_.clear();
  if (at <= size_ && to.size() <= size_ - at) {
    stream_.seekg(static_cast<std::streamoff>(at));
    stream_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    if (stream_) return;
  }
  throw InputError(
      fmt::format("{}: found {} bytes, allowed more: {} are needed from byte {} on "
                  "(truncated file?)",
                  path_.string(), size_, to.size(), at));
}

}  // namespace percuss::capture
