// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/layout_files.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/text/json_schema.h"

namespace percuss::tracking {
namespace {

/// A marker as the file has it.
struct MarkerEntry {
  std::string name;
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< as the experiment file would have it [m]
  Eigen::Vector3d sigma = Eigen::Vector3d::Zero();
  int sightings = 0;
};

void Describe(auto& file, MaybeConst<MarkerEntry> auto& marker) {
  file("name", marker.name);
  file("place", marker.place);
  file("sigma", marker.sigma);
  file("sightings", marker.sightings);
}

std::vector<MarkerEntry> EntriesOf(const FoundLayout& found) {
  std::vector<MarkerEntry> entries;
  for (std::size_t m = 0; m < found.body.markers.size(); ++m) {
    const capture::Marker& marker = found.body.markers[m];
    const auto first = static_cast<Eigen::Index>(3 * m);
    entries.push_back({marker.name, marker.p_BM + found.body.p_FB,
                       found.body.marker_covariance.diagonal().segment<3>(first).cwiseSqrt(),
                       found.sightings[m]});
  }
  return entries;
}

double Degrees(double radians) { return radians * 180.0 / std::numbers::pi; }

}  // namespace

std::string DescribeLayout(const FoundLayout& found) {
  return fmt::format(
      "{} markers found, body frame by the outline in {} pictures: sigma {:.2g} mm and {:.2g} deg",
      found.body.markers.size(), found.pictures, 1e3 * found.shift_sigma,
      Degrees(found.rotation_sigma));
}

std::string LayoutYaml(const FoundLayout& found) {
  std::string text = fmt::format(
      "# {}\n# To keep these places, put the lines below in the place of body.markers.\nmarkers:\n",
      DescribeLayout(found));
  for (const MarkerEntry& entry : EntriesOf(found)) {
    text += fmt::format("  {}: [{:.5f}, {:.5f}, {:.5f}]\n", entry.name, entry.place.x(),
                        entry.place.y(), entry.place.z());
  }
  return text;
}

void WriteLayout(const FoundLayout& found, const Provenance& provenance,
                 const std::filesystem::path& file) {
  WriteJsonFile(file, JsonHead(kLayoutFormat, provenance), -1, [&](JsonWriter& writer) {
    writer("markers", EntriesOf(found));
    writer("pictures", found.pictures);
    writer("outline_rms_px", found.outline_rms_px);
    writer("shift_sigma", found.shift_sigma);
    writer("rotation_sigma_deg", Degrees(found.rotation_sigma));
    writer("warnings", found.warnings);
    writer("covariance", found.body.marker_covariance);
  });
}

FoundLayout ReadLayout(const std::filesystem::path& file, const capture::MarkedBody& stated) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kLayoutFormat) root.At("format").Fail(kLayoutFormat);
  JsonReader reader(root);
  FoundLayout found;
  found.body = stated;
  found.body.unplaced.reset();
  std::vector<MarkerEntry> entries;
  double rotation_deg = 0.0;
  reader("markers", entries);
  reader("pictures", found.pictures);
  reader("outline_rms_px", found.outline_rms_px);
  reader("shift_sigma", found.shift_sigma);
  reader("rotation_sigma_deg", rotation_deg);
  reader("warnings", found.warnings);
  reader("covariance", found.body.marker_covariance);
  found.rotation_sigma = rotation_deg * std::numbers::pi / 180.0;
  for (const MarkerEntry& entry : entries) {
    found.body.markers.push_back({.name = entry.name, .p_BM = entry.place - found.body.p_FB});
    found.sightings.push_back(entry.sightings);
  }
  const auto size = static_cast<Eigen::Index>(3 * entries.size());
  if (found.body.marker_covariance.rows() != size || found.body.marker_covariance.cols() != size)
    root.At("covariance").Fail(fmt::format("{} rows of as many numbers", size));
  return found;
}

}  // namespace percuss::tracking
