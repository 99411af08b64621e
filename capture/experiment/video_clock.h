// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace percuss::capture {

/// Which times count where a video file has times of its own and a frame rate is stated as well.
enum class TimeBase {
  kAuto,       ///< the file's, unless the stated rate is 2 to 40 times as high: slow motion
  kContainer,  ///< the file's
  kStated      ///< the stated rate's
};

/// What is stated of videos: how the times of their frames are found, and what their grey values
/// are where a file does not say.
struct VideoClock {
  std::optional<double> frame_rate =
      {};  ///< [Hz] as stated; all there is where a file has no times
  TimeBase time_base = TimeBase::kAuto;
  /// How many of the 16 bits of an image (PNG, TIFF) the camera fills, from below; none: all.
  std::optional<int> bit_depth = {};
};

/// Duration of what was filmed over its duration in the file: file_rate / stated rate where the
/// stated rate counts, else 1. Phones write slow motion of 240 frames/s into files of 30. A ratio
/// of the rates counts as whole within 1 %.
/// @param file_rate [Hz] nominal rate of the file; 0 if it does not say.
double TimeScale(const VideoClock& clock, double file_rate);

}  // namespace percuss::capture
