// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::capture {

/// Whether a file begins with the signature of HDF5; false if it cannot be read.
bool IsHdf5(const std::filesystem::path& file);

/// @throws InputError that says so
[[noreturn]] void ThrowDamaged(const std::filesystem::path& file);

/// An HDF5 file to be read by libhdf5, whose header stays in one source. Takes what stands in the
/// file itself and no more: numbers of the usual types and texts, plain or compressed by gzip; no
/// links to other files, no filters that would have to be loaded. On damaged files libhdf5 1.10
/// may crash, or not end: WorkApart. In one thread at a time.
class Hdf5File {
 public:
  /// @throws InputError naming the file: not there, not HDF5, damaged.
  explicit Hdf5File(const std::filesystem::path& file);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  const std::filesystem::path& File() const { return file_; }
  /// Whether the root has a member, or an attribute, of that name.
  bool Has(const std::string& name) const;
  bool HasAttribute(const std::string& name) const;

  /// Length of each axis of a dataset. All below throw InputError "FILE: NAME: found ...".
  std::vector<std::size_t> SizesOf(const std::string& name) const;
  /// The numbers of a dataset at one place of one axis, in the order of the others, the last the
  /// fastest.
  std::vector<double> ReadSlice(const std::string& name, std::size_t axis, std::size_t place) const;
  /// The texts of a dataset of one axis; none of an empty one, whatever its type.
  std::vector<std::string> ReadTexts(const std::string& name) const;
  /// An attribute of a dataset that is one text; empty if there is none.
  std::string TextAttribute(const std::string& dataset, const std::string& name) const;

  [[noreturn]] void Throw(std::string_view name, std::string_view found,
                          std::string_view allowed) const;

 private:
  std::filesystem::path file_;
  std::int64_t handle_ = -1;
};

}  // namespace percuss::capture
