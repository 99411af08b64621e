// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The only source that includes libhdf5.

#include "capture/tracks/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/error.h"

namespace percuss::capture {
namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kMostNumbers = 20'000'000;  // of one slice: a million frames of 10 points
constexpr std::size_t kMostTexts = 100'000;
constexpr std::size_t kLongestText = 4096;         // bytes
constexpr std::size_t kLargestChunk = 64U << 20U;  // bytes, in memory at once
constexpr std::string_view kWhole = "a whole dataset";

/// An identifier of libhdf5, given back at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  explicit operator bool() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // NOLINT: it is one

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

bool IsUsualNumber(hid_t type) {
  for (const hid_t usual :
       {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE, H5T_STD_I64LE,
        H5T_STD_I32LE, H5T_STD_I16LE, H5T_STD_I8LE, H5T_STD_U8LE}) {
    if (H5Tequal(type, usual) > 0) return true;
  }
  return false;
}

/// A dataset that stands in the file itself, as `Hdf5File` says.
class Dataset {
 public:
  Dataset(const Hdf5File& file, hid_t root, const std::string& name)
      : id_(Open(file, root, name), H5Oclose),
        space_(H5Dget_space(id_), H5Sclose),
        type_(H5Dget_type(id_), H5Tclose) {
    if (!space_ || !type_) file.Throw(name, "something damaged", kWhole);
    const Handle properties(H5Dget_create_plist(id_), H5Pclose);
    if (!properties) file.Throw(name, "something damaged", kWhole);
    const H5D_layout_t layout = H5Pget_layout(properties);
    if (layout == H5D_VIRTUAL || H5Pget_external_count(properties) != 0)
      file.Throw(name, "numbers in another file", "those of the file itself");
    const int rank = H5Sget_simple_extent_ndims(space_);
    if (rank < 0 || rank > H5S_MAX_RANK) file.Throw(name, "something damaged", kWhole);
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    if (H5Sget_simple_extent_dims(space_, sizes.data(), nullptr) != rank)
      file.Throw(name, "something damaged", kWhole);
    sizes_.assign(sizes.begin(), sizes.begin() + rank);
    if (layout == H5D_CHUNKED) CheckChunks(file, name, properties);
  }

  hid_t Id() const { return id_; }
  hid_t Space() const { return space_; }
  hid_t Type() const { return type_; }
  const std::vector<std::size_t>& Sizes() const { return sizes_; }

 private:
  static hid_t Open(const Hdf5File& file, hid_t root, const std::string& name) {
    H5L_info_t link{};
    if (H5Lget_info(root, name.c_str(), &link, H5P_DEFAULT) < 0)
      file.Throw(name, "nothing", "a dataset");
    if (link.type != H5L_TYPE_HARD) file.Throw(name, "a link", "a dataset of the file itself");
    const hid_t id = H5Oopen(root, name.c_str(), H5P_DEFAULT);
    if (id < 0) file.Throw(name, "something damaged", kWhole);
    if (H5Iget_type(id) != H5I_DATASET) {
      H5Oclose(id);
      file.Throw(name, "a group", "a dataset");
    }
    return id;
  }

  void CheckChunks(const Hdf5File& file, const std::string& name, hid_t properties) const {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data());
    if (rank != static_cast<int>(sizes_.size())) file.Throw(name, "something damaged", kWhole);
    std::size_t bytes = H5Tget_size(type_);
    for (int i = 0; i < rank; ++i) {
      if (chunk[i] == 0 || chunk[i] > kLargestChunk / std::max<std::size_t>(bytes, 1))
        file.Throw(name, "a chunk of more than 64 MiB", "smaller ones");
      bytes *= chunk[i];
    }
    const int num_filters = H5Pget_nfilters(properties);
    for (int i = 0; i < num_filters; ++i) {
      unsigned flags = 0, config = 0;
      std::size_t num_values = 0;
      const H5Z_filter_t filter =
          H5Pget_filter2(properties, i, &flags, &num_values, nullptr, 0, nullptr, &config);
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
          filter != H5Z_FILTER_FLETCHER32)
        file.Throw(name, fmt::format("filter {}", filter), "no compression, or gzip");
    }
  }

  Handle id_;
  Handle space_, type_;
  std::vector<std::size_t> sizes_;
};

std::string UpToNul(std::string_view text) { return std::string(text.substr(0, text.find('\0'))); }

}  // namespace

bool IsHdf5(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;  // a pipe may let us wait
  std::ifstream stream(file, std::ios::binary);
  std::array<char, kSignature.size()> begin{};
  stream.read(begin.data(), begin.size());
  return stream && std::string_view(begin.data(), begin.size()) == kSignature;
}

void ThrowDamaged(const std::filesystem::path& file) {
  throw InputError(
      fmt::format("{}: found a damaged HDF5 file, allowed a whole one", file.string()));
}

Hdf5File::Hdf5File(const std::filesystem::path& file) : file_(file) {
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // it prints its errors otherwise
  H5PLset_loading_state(0);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_file_locking(access, false, true);  // folders of networks have no locks
  handle_ = H5Fopen(file.c_str(), H5F_ACC_RDONLY, access);
  if (handle_ < 0) ThrowDamaged(file);
}

Hdf5File::~Hdf5File() {
  if (handle_ >= 0) H5Fclose(handle_);
}

void Hdf5File::Throw(std::string_view name, std::string_view found,
                     std::string_view allowed) const {
  throw InputError(
      fmt::format("{}: {}: found {}, allowed {}", file_.string(), name, found, allowed));
}

bool Hdf5File::Has(const std::string& name) const {
  return H5Lexists(handle_, name.c_str(), H5P_DEFAULT) > 0;
}

bool Hdf5File::HasAttribute(const std::string& name) const {
  return H5Aexists_by_name(handle_, ".", name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::size_t> Hdf5File::SizesOf(const std::string& name) const {
  return Dataset(*this, handle_, name).Sizes();
}

std::vector<double> Hdf5File::ReadSlice(const std::string& name, std::size_t axis,
                                        std::size_t place) const {
  const Dataset dataset(*this, handle_, name);
  if (!IsUsualNumber(dataset.Type())) Throw(name, "another type", "numbers");
  std::vector<hsize_t> start(dataset.Sizes().size()),
      count(dataset.Sizes().begin(), dataset.Sizes().end());
  if (axis >= count.size() || place >= count[axis]) Throw(name, "something damaged", kWhole);
  start[axis] = place;
  count[axis] = 1;
  std::size_t numbers = 1;
  for (const hsize_t size : count) {
    if (size == 0) return {};
    if (size > kMostNumbers / numbers)
      Throw(name, "more numbers", fmt::format("at most {}", kMostNumbers));
    numbers *= size;
  }
  if (H5Sselect_hyperslab(dataset.Space(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                          nullptr) < 0)
    Throw(name, "something damaged", kWhole);
  const hsize_t length = numbers;
  const Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
  std::vector<double> values(numbers);
  if (H5Dread(dataset.Id(), H5T_NATIVE_DOUBLE, memory, dataset.Space(), H5P_DEFAULT,
              values.data()) < 0)
    Throw(name, "something damaged", kWhole);
  return values;
}

std::vector<std::string> Hdf5File::ReadTexts(const std::string& name) const {
  const Dataset dataset(*this, handle_, name);
  if (dataset.Sizes().size() != 1)
    Throw(name, fmt::format("{} axes", dataset.Sizes().size()), "a list of names");
  const std::size_t count = dataset.Sizes()[0];
  if (count == 0) return {};
  if (count > kMostTexts) Throw(name, fmt::format("{} names", count), "fewer");
  if (H5Tget_class(dataset.Type()) != H5T_STRING) Throw(name, "another type", "texts");
  std::vector<std::string> texts;
  if (H5Tis_variable_str(dataset.Type()) > 0) {
    const Handle type(H5Tcopy(dataset.Type()), H5Tclose);
    std::vector<char*> pointers(count, nullptr);
    if (H5Dread(dataset.Id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
      Throw(name, "something damaged", kWhole);
    for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(type, dataset.Space(), H5P_DEFAULT, pointers.data());
    return texts;
  }
  const std::size_t length = H5Tget_size(dataset.Type());
  if (length == 0 || length > kLongestText)
    Throw(name, fmt::format("names of {} bytes", length), "shorter ones");
  std::string bytes(count * length, '\0');
  if (H5Dread(dataset.Id(), dataset.Type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    Throw(name, "something damaged", kWhole);
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(UpToNul(std::string_view(bytes).substr(i * length, length)));
  return texts;
}

std::string Hdf5File::TextAttribute(const std::string& dataset, const std::string& name) const {
  if (H5Aexists_by_name(handle_, dataset.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return "";
  const auto damaged = [&]() { Throw(dataset + "." + name, "something damaged", "one text"); };
  const Handle attribute(
      H5Aopen_by_name(handle_, dataset.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute) damaged();
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (!type || !space || H5Tget_class(type) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space) != 1)
    damaged();
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, &text) < 0) damaged();
    const std::string copy = text == nullptr ? "" : text;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, &text);
    return copy;
  }
  const std::size_t length = H5Tget_size(type);
  if (length == 0 || length > kLongestText) damaged();
  std::string bytes(length, '\0');
  if (H5Aread(attribute, type, bytes.data()) < 0) damaged();
  return UpToNul(bytes);
}

}  // namespace percuss::capture
