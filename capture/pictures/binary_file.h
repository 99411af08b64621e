// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <type_traits>

namespace percuss::capture {

/// A file whose numbers are little-endian, read where one likes.
class BinaryFile {
 public:
  /// @throws InputError naming the file if it cannot be opened.
  explicit BinaryFile(const std::filesystem::path& path);

  const std::filesystem::path& Path() const { return path_; }
  std::uint64_t Size() const { return size_; }  ///< bytes

  /// @throws InputError naming the file where it ends before.
  void Read(std::uint64_t at, std::span<std::uint8_t> to);

  template <typename T>
  requires std::is_arithmetic_v<T> T Number(std::uint64_t at) {
    static_assert(std::endian::native == std::endian::little);
    std::uint8_t bytes[sizeof(T)];
    Read(at, bytes);
    T number;
    std::memcpy(&number, bytes, sizeof(T));
    return number;
  }

 private:
  std::filesystem::path path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

}  // namespace percuss::capture
