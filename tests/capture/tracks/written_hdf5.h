// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// Files of HDF5, written by libhdf5 itself.
namespace percuss::testing {

struct WrittenDataset {
  std::string name;
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> chunk;  ///< the whole if empty
  std::vector<double> numbers;     ///< of a dataset of numbers; none are written if empty
  std::vector<std::string> texts;  ///< of one of texts
  bool variable_texts = false;     ///< texts of any length, as h5py writes those of Python
  bool as_float32 = false;
  std::string dims;  ///< text attribute; none if empty
};

/// Numbers are compressed as SLEAP does, by gzip.
/// @param root_attribute a text attribute of the file of that name; none if empty
void WriteHdf5(const std::filesystem::path& file, const std::vector<WrittenDataset>& datasets,
               const std::string& root_attribute = "");

/// A group, and a dataset that is another file's.
void WriteHdf5WithLinks(const std::filesystem::path& file);

}  // namespace percuss::testing
