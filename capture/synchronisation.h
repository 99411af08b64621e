// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace percuss::capture {

/// The flash in one video: frames brighter than the rest.
struct Flash {
  bool found = false;
  std::string reason;         ///< why it was not found; quotes the numbers
  int first_frame = -1;       ///< brightest frame or the first of several
  int num_frames = 0;         ///< how many neighbouring frames are lit
  double centre_frame = 0.0;  ///< centroid of the extra brightness over the lit frames, in frames
  double prominence =
      0.0;  ///< extra brightness over the robust spread of all other frames, in sigmas
};

/// Finds a flash in the mean grey value of each frame: a short run of frames (at most a twentieth
/// of the video, at least one) that stands out of the running median by many robust standard
/// deviations and by at least 2 % of it. Two separate flashes, or none, give found = false with the
/// reason.
Flash FindFlash(std::span<const double> mean_grey);

/// Left frame k and right frame k - lag show the same instant.
struct Alignment {
  bool found = false;
  std::string reason;
  int left_flash_frame = -1;  ///< first lit frame of each video
  int right_flash_frame = -1;
  int lag_frames = 0;  ///< left flash frame minus right flash frame
  double time_offset =
      0.0;  ///< [s] add to right times to get left times; whole frames (genlocked cameras)
};

Alignment AlignByFlash(std::span<const double> left_mean_grey,
                       std::span<const double> right_mean_grey, std::span<const double> left_times,
                       std::span<const double> right_times);

}  // namespace percuss::capture
