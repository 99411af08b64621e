// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "capture/experiment/tracks/track_source.h"

namespace percuss::capture {

/// Where another program saw points in the pictures of one camera. Pixels count as everywhere in
/// Percuss: (0, 0) is the centre of the top left one, y points down.
struct PixelTracks {
  struct Sighting {
    int track = 0;  ///< place in `names`
    Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
    double sigma_px = std::numeric_limits<double>::quiet_NaN();  ///< of a coordinate, if stated
  };
  struct Frame {
    double time = 0.0;  ///< [s]
    std::vector<Sighting> sightings;
  };
  std::vector<std::string> names;  ///< distinct; an empty one is of points without a name
  std::vector<Frame> frames;       ///< rising; those of numbered frames without any gap
  int unlikely = 0;                ///< sightings left out for their likelihood
  int outside = 0;                 ///< sightings left out because they are not in the picture
};

/// Likelihood below which a sighting is left out where nothing is stated: what DeepLabCut
/// (pcutoff) and SLEAP (peak threshold) themselves ask for; 0 of other formats.
double DefaultLeastLikelihood(TrackFormat format);

/// Reads the files of a source (docs/file-formats.md, "Pixel tracks") and puts them together.
///
/// Times: those of the file, or frame number / frame rate. A frame rate that the source states
/// moves times of the file to the nearest frame, counted from the first. `offset` is added.
///
/// @param frame_rate [Hz] where the source states none and the file has numbers of frames alone
/// @param image_size width and height of the calibrated camera's pictures [px]
/// @throws InputError naming file, line and column: an unknown format, a missing column, text where
///   a number is due, a coordinate without the other one, lengths that are no pixels, frames out of
///   bounds, no sighting at all, most of them outside of the picture.
PixelTracks ReadPixelTracks(const TrackSource& source, std::optional<double> frame_rate,
                            const std::array<int, 2>& image_size);

}  // namespace percuss::capture
