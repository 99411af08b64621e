// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text/yaml_field.h"

namespace percuss::capture {

/// Programs that write where points are seen in a video (docs/file-formats.md, "Pixel tracks").
enum class TrackFormat { kCsv, kDeepLabCut, kDltdv, kSleap, kTracker, kTrackMate };

/// What one camera of a trial has in place of a video: pixels of its markers, from another program.
struct TrackSource {
  std::vector<std::filesystem::path> files;
  std::optional<TrackFormat> format;         ///< none: the header of the file tells
  std::string camera;                        ///< of a file with several: its number or name
  std::string track;                         ///< of a file with several bodies: which one
  std::map<std::string, std::string> names;  ///< marker of the body -> what the file calls it
  /// false: the names in the file say nothing, the layout tells which track is which marker.
  bool labelled = true;
  std::optional<double> frame_rate;        ///< [Hz] makes times of frame numbers
  std::optional<double> offset;            ///< [s] to be added to the times
  std::optional<double> least_likelihood;  ///< sightings below it are left out
  std::optional<double> sigma_px;          ///< of a coordinate; estimated if not given
  bool y_up = false;                       ///< y counts from the bottom of the picture
  /// What the file gives for the centre of the top left pixel; none: as the format has it.
  std::optional<Eigen::Vector2d> first_pixel;
};

/// `left: {tracks: FILE, ...}` of a trial, and the other cameras, each as `left` where it says
/// nothing else.
/// @param cameras their names; those after the second may have none
/// @throws InputError naming field and line.
std::vector<std::optional<TrackSource>> ReadTrackSources(const YamlField& trial,
                                                         std::span<const std::string> cameras);

}  // namespace percuss::capture
