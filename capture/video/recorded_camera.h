// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace percuss::capture {

/// How the upright picture, the one that players show, comes from the stored one: mirrored left to
/// right if so, then turned clockwise.
struct PictureTurn {
  bool stated = false;    ///< the file states a turn; files leave out that there is none
  bool mirrored = false;  ///< left to right
  int quarters = 0;       ///< clockwise, 0 to 3
};

/// The nearest turn to a display matrix of ISO/IEC 14496-12 (tkhd): a, b, u, c, d, v, x, y, w, that
/// take the stored place (p, q) to (a p + c q + x, b p + d q + y), y down. None is stated by a
/// matrix that cannot be inverted.
PictureTurn TurnOf(const std::array<std::int32_t, 9>& matrix);

/// The upright picture; the stored one itself where nothing is turned.
cv::Mat Upright(const cv::Mat& stored, const PictureTurn& turn);

/// Direction in the upright picture in which the rows of the stored one follow each other, y down.
/// A rolling shutter reads them in this order.
Eigen::Vector2d RowDirection(const PictureTurn& turn);

/// What a video file says of the camera that filmed it.
struct RecordedCamera {
  PictureTurn turn;
  std::string model;                   ///< maker and model; empty: not stated
  std::optional<double> focal_35mm;    ///< [mm], equivalent for film of 36 x 24 mm
  std::optional<double> capture_rate;  ///< at which the pictures were taken [Hz]
  std::optional<double> exposure;      ///< of one picture [s]
  std::vector<std::string> warnings;   ///< one sentence for each value that makes no sense
};

/// Keys and values of a file's metadata, in any order.
using MetadataKeys = std::vector<std::pair<std::string, std::string>>;

/// Reads them but for the turn. Focal lengths are what keys with "focal" and "35mm" in their names
/// say: com.apple.quicktime.camera.focal_length.35mm_equivalent (AVFoundation, AVMetadataKey: text
/// such as "50.00mm"; phones write whole numbers as well), FocalLengthIn35mmFilm (Exif 3.0, tag
/// A405). The rate is com.android.capture.fps (Android, MPEG4Writer). The first value that makes
/// sense counts: 5 to 2000 mm, where Exif's 0 is "unknown", and 0.01 to 1e6 Hz.
RecordedCamera CameraOf(const MetadataKeys& keys);

}  // namespace percuss::capture
