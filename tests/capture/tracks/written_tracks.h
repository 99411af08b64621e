// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pixel tracks as the programs write them that docs/file-formats.md names, in their own
// conventions of pixels.

#include <fmt/format.h>

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace percuss::testing {

struct WrittenTracks {
  double frame_rate = 120.0;
  std::vector<std::string> names;
  /// [frame][name], (0, 0) the centre of the top left pixel, y down.
  std::vector<std::vector<std::optional<Eigen::Vector2d>>> pixels;
};

inline std::string Cell(double value) { return fmt::format("{:.9f}", value); }

inline std::string DeepLabCutText(const WrittenTracks& tracks) {
  std::string scorer = "scorer", parts = "bodyparts", coords = "coords";
  for (const std::string& name : tracks.names) {
    scorer += ",net,net,net";
    parts += fmt::format(",{0},{0},{0}", name);
    coords += ",x,y,likelihood";
  }
  std::string text = scorer + "\n" + parts + "\n" + coords + "\n";
  for (std::size_t k = 0; k < tracks.pixels.size(); ++k) {
    text += std::to_string(k);
    for (const auto& pixel : tracks.pixels[k]) {
      // What it does not see it puts somewhere, with a low likelihood.
      text += pixel ? "," + Cell(pixel->x()) + "," + Cell(pixel->y()) + ",0.9987"
                    : std::string(",3.5,4.5,0.01");
    }
    text += "\n";
  }
  return text;
}

/// One file for all cameras. @param up_height of the pictures, whose rows count from the bottom; 0:
/// from the top
inline std::string DltdvText(std::span<const WrittenTracks> cameras, int up_height = 0) {
  std::string text;
  for (std::size_t m = 0; m < cameras[0].names.size(); ++m) {
    for (std::size_t c = 0; c < cameras.size(); ++c)
      text +=
          fmt::format("{0}pt{1}_cam{2}_X,pt{1}_cam{2}_Y", text.empty() ? "" : ",", m + 1, c + 1);
  }
  text += "\n";
  for (std::size_t k = 0; k < cameras[0].pixels.size(); ++k) {
    std::string row;
    for (std::size_t m = 0; m < cameras[0].names.size(); ++m) {
      for (const WrittenTracks& camera : cameras) {
        const auto& pixel = camera.pixels[k][m];
        row += row.empty() ? "" : ",";
        row += pixel ? Cell(pixel->x() + 1.0) + "," +
                           Cell(up_height > 0 ? up_height - pixel->y() : pixel->y() + 1.0)
                     : std::string("NaN,NaN");
      }
    }
    text += row + "\n";
  }
  return text;
}

inline std::string SleapText(const WrittenTracks& tracks) {
  std::string text = "track,frame_idx,instance.score";
  for (const std::string& name : tracks.names) text += fmt::format(",{0}.x,{0}.y,{0}.score", name);
  text += "\n";
  for (std::size_t k = 0; k < tracks.pixels.size(); ++k) {
    text += fmt::format("body,{},0.95", k);
    for (const auto& pixel : tracks.pixels[k])
      text +=
          pixel ? "," + Cell(pixel->x()) + "," + Cell(pixel->y()) + ",0.93" : std::string(",,,");
    text += "\n";
  }
  return text;
}

/// The masses beside each other, with tabs.
inline std::string TrackerText(const WrittenTracks& tracks) {
  std::string names, header = "t";
  for (const std::string& name : tracks.names) {
    names += "\t" + name + "\t";
    header += "\tpixelx\tpixely";
  }
  std::string text = names + "\n" + header + "\n";
  for (std::size_t k = 0; k < tracks.pixels.size(); ++k) {
    text += Cell(static_cast<double>(k) / tracks.frame_rate);
    for (const auto& pixel : tracks.pixels[k]) {
      text += pixel ? "\t" + Cell(pixel->x() + 0.5) + "\t" + Cell(pixel->y() + 0.5)
                    : std::string("\t\t");
    }
    text += "\n";
  }
  return text;
}

/// TRACK_ID is the place of the name.
inline std::string TrackMateText(const WrittenTracks& tracks) {
  std::string text =
      "LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME\n"
      "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame\n"
      "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame\n"
      ",,,(quality),(pixel),(pixel),(pixel),(sec),\n";
  int spot = 0;
  for (std::size_t k = 0; k < tracks.pixels.size(); ++k) {
    for (std::size_t m = 0; m < tracks.names.size(); ++m) {
      const auto& pixel = tracks.pixels[k][m];
      if (!pixel) continue;
      text += fmt::format("ID{0},{0},{1},5.2,{2},{3},0,0,{4}\n", spot++, m, Cell(pixel->x()),
                          Cell(pixel->y()), k);
    }
  }
  return text;
}

/// Our own. @param camera its number, or none: no such column
inline std::string LongText(const WrittenTracks& tracks, std::optional<int> camera = {}) {
  std::string text = camera ? "camera," : "";
  text += "frame,marker,x,y\n";
  for (std::size_t k = 0; k < tracks.pixels.size(); ++k) {
    for (std::size_t m = 0; m < tracks.names.size(); ++m) {
      const auto& pixel = tracks.pixels[k][m];
      if (!pixel) continue;
      text += (camera ? std::to_string(*camera) + "," : "") +
              fmt::format("{},{},{},{}\n", k, tracks.names[m], Cell(pixel->x()), Cell(pixel->y()));
    }
  }
  return text;
}

}  // namespace percuss::testing
