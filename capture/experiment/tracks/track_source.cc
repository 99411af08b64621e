// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/tracks/track_source.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <utility>

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrackKeys[] = {
    "tracks", "format", "camera",           "track",    "names",       "labelled",
    "offset", "y_axis", "least_likelihood", "sigma_px", "first_pixel", "frame_rate"};

constexpr std::pair<std::string_view, TrackFormat> kFormatNames[] = {
    {"csv", TrackFormat::kCsv},         {"deeplabcut", TrackFormat::kDeepLabCut},
    {"dltdv", TrackFormat::kDltdv},     {"sleap", TrackFormat::kSleap},
    {"tracker", TrackFormat::kTracker}, {"trackmate", TrackFormat::kTrackMate}};

constexpr Range kRate{.lowest = 0.0, .highest = 1e6, .lowest_included = false, .unit = "Hz"};
constexpr Range kTrackOffset{.lowest = -1e5, .highest = 1e5, .unit = "s"};
constexpr Range kLikelihood{.lowest = 0.0, .highest = 1.0};
constexpr Range kSigmaPx{.lowest = 0.0, .highest = 100.0, .lowest_included = false, .unit = "px"};
constexpr Range kPixel{.lowest = -1e5, .highest = 1e5, .unit = "px"};

TrackFormat ReadFormat(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "csv, deeplabcut, dltdv, sleap, tracker or trackmate";
  const std::string word = field.Text(kAllowed);
  for (const auto& [name, format] : kFormatNames) {
    if (word == name) return format;
  }
  field.Throw(kAllowed);
}

std::vector<fs::path> ReadTrackFiles(const YamlField& field) {
  static constexpr std::string_view kAllowed = "a file, or a list of files of one camera";
  const fs::path folder = field.File().parent_path();
  std::vector<fs::path> files;
  const auto add = [&](const YamlField& one) {
    files.push_back((folder / one.Text(kAllowed)).lexically_normal());
  };
  if (field.IsList()) {
    for (const YamlField& one : field.Items(kAllowed)) add(one);
  } else {
    add(field);
  }
  if (files.empty()) field.Throw(kAllowed);
  return files;
}

std::map<std::string, std::string> ReadTrackNames(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "a map of markers of the body to names in the file, such as {A1: nose}";
  std::map<std::string, std::string> names;
  std::set<std::string> used;
  for (const auto& [marker, name] : field.Entries(kAllowed)) {
    names[marker] = name.Text(kAllowed);
    if (!used.insert(names[marker]).second)
      name.Throw(names[marker] + " a second time", "each name of the file once");
  }
  return names;
}

/// What one camera has; a key that it does not state is that of `common`.
/// @param number of the camera, from 1
TrackSource ReadTrackSource(const YamlField& field, const YamlField* common, std::size_t number) {
  field.AllowKeys({std::begin(kTrackKeys), std::end(kTrackKeys)});
  const auto of = [&](const char* key) {
    return field[key].Given() || common == nullptr ? field[key] : (*common)[key];
  };
  TrackSource source;
  source.files = ReadTrackFiles(of("tracks"));
  if (of("format").Given()) source.format = ReadFormat(of("format"));
  source.camera = std::to_string(number);
  if (field["camera"].Given()) source.camera = field["camera"].Text("a number or name");
  if (of("track").Given()) source.track = of("track").Text("the name of a track");
  if (of("names").Given()) source.names = ReadTrackNames(of("names"));
  if (of("labelled").Given()) source.labelled = of("labelled").Flag();
  if (!source.labelled && of("names").Given())
    of("names").Throw("names with labelled: false", "one of them");
  if (of("frame_rate").Given()) source.frame_rate = of("frame_rate").Number(kRate);
  if (field["offset"].Given()) source.offset = field["offset"].Number(kTrackOffset);
  if (of("least_likelihood").Given())
    source.least_likelihood = of("least_likelihood").Number(kLikelihood);
  if (of("sigma_px").Given()) source.sigma_px = of("sigma_px").Number(kSigmaPx);
  if (of("y_axis").Given()) {
    const std::string word = of("y_axis").Text("down or up");
    if (word != "down" && word != "up") of("y_axis").Throw("down or up");
    source.y_up = word == "up";
  }
  if (of("first_pixel").Given()) {
    const std::vector<double> place = of("first_pixel").Numbers(2, kPixel);
    source.first_pixel = Eigen::Vector2d(place[0], place[1]);
  }
  return source;
}

}  // namespace

std::vector<std::optional<TrackSource>> ReadTrackSources(const YamlField& trial,
                                                         std::span<const std::string> cameras) {
  std::vector<std::optional<TrackSource>> sources;
  const YamlField left = trial[cameras[0]];
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    const YamlField field = trial[cameras[c]];
    sources.emplace_back();
    if (c > 1 && !field.Given()) continue;
    if (!field.IsMap()) field.Throw("tracks of the other camera as well: a map with tracks");
    TrackSource source = ReadTrackSource(field, c == 0 ? nullptr : &left, c + 1);
    for (std::size_t other = 0; other < c; ++other) {
      if (!sources[other] || sources[other]->files != source.files ||
          sources[other]->camera != source.camera)
        continue;
      field["tracks"].Throw(fmt::format("the file and the camera of {} again", cameras[other]),
                            "another file, or another camera of that file");
    }
    sources.back() = std::move(source);
  }
  return sources;
}

}  // namespace percuss::capture
