// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capture/tracks/written_hdf5.h"

#include <hdf5.h>

#include <algorithm>
#include <stdexcept>

namespace percuss::testing {
namespace {

hid_t Made(hid_t id) {
  if (id < 0) throw std::runtime_error("libhdf5 refuses to write");
  return id;
}

void WriteTextAttribute(hid_t object, const std::string& name, const std::string& text) {
  const hid_t type = Made(H5Tcopy(H5T_C_S1)), space = Made(H5Screate(H5S_SCALAR));
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hid_t attribute =
      Made(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  const char* pointer = text.c_str();
  H5Awrite(attribute, type, &pointer);
  H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}

void WriteDataset(hid_t file, const WrittenDataset& one) {
  std::vector<hsize_t> sizes(one.sizes.begin(), one.sizes.end());
  const hid_t space = Made(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
  hid_t type = Made(H5Tcopy(one.as_float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE));
  const hid_t properties = Made(H5Pcreate(H5P_DATASET_CREATE));
  if (!one.texts.empty()) {
    H5Tclose(type);
    type = Made(H5Tcopy(H5T_C_S1));
    std::size_t length = 1;
    for (const std::string& text : one.texts) length = std::max(length, text.size());
    H5Tset_size(type, one.variable_texts ? H5T_VARIABLE : length);
    H5Tset_strpad(type, one.variable_texts ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
  } else if (std::ranges::find(sizes, 0U) == sizes.end()) {
    const std::vector<hsize_t> chunk(one.chunk.begin(), one.chunk.end());
    H5Pset_chunk(properties, static_cast<int>(sizes.size()),
                 chunk.empty() ? sizes.data() : chunk.data());
    H5Pset_deflate(properties, 9);
  }
  const hid_t dataset =
      Made(H5Dcreate2(file, one.name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  if (one.variable_texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : one.texts) pointers.push_back(text.c_str());
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
  } else if (!one.texts.empty()) {
    const std::size_t length = H5Tget_size(type);
    std::string bytes;
    for (std::string text : one.texts) {
      text.resize(length);
      bytes += text;
    }
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  } else if (!one.numbers.empty()) {
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, one.numbers.data());
  }
  if (!one.dims.empty()) WriteTextAttribute(dataset, "dims", one.dims);
  H5Dclose(dataset), H5Pclose(properties), H5Tclose(type), H5Sclose(space);
}

}  // namespace

void WriteHdf5(const std::filesystem::path& file, const std::vector<WrittenDataset>& datasets,
               const std::string& root_attribute) {
  const hid_t id = Made(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  for (const WrittenDataset& one : datasets) WriteDataset(id, one);
  if (!root_attribute.empty()) WriteTextAttribute(id, root_attribute, "2.1");
  H5Fclose(id);
}

void WriteHdf5WithLinks(const std::filesystem::path& file) {
  const hid_t id = Made(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  H5Lcreate_external("other.h5", "/tracks", id, "tracks", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(Made(H5Gcreate2(id, "node_names", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  H5Fclose(id);
}

}  // namespace percuss::testing
