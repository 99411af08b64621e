// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/sound/sound_onsets.h"

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

/// What an alignment of two videos rests on.
enum class Witness { kFlash, kMotion, kSound };
inline std::string_view NameOf(Witness witness) {
  if (witness == Witness::kSound) return "sound";
  return witness == Witness::kFlash ? "flash" : "motion";
}
inline std::vector<Witness> AllValues(Witness) {
  return {Witness::kFlash, Witness::kMotion, Witness::kSound};
}

/// Left frame k and right frame k - lag show the same instant, up to a part of a frame.
struct Alignment {
  bool found = false;
  std::string reason;
  int left_flash_frame = -1;  ///< first lit frame of each video; -1 where not both show one flash
  int right_flash_frame = -1;
  /// Left flash frame minus right flash frame, by the centroids of the flash; 0 without a flash.
  int flash_lag_frames = 0;
  int lag_frames = 0;
  std::vector<Witness> rests_on;  ///< those that agree with the lag; empty for one camera
  /// [s] add to right times to get left times.
  double time_offset = 0.0;
  /// What of it is not whole frames: 0 from AlignByFlash, which knows no parts of frames.
  double sub_frame_offset = 0.0;
  /// [s] on the left clock, at which the whole frames were paired: at the flash, or else in the
  /// middle of what the videos share. Away from it clocks of two rates drift.
  double offset_time = 0.0;
  SoundLag sound = {};  ///< what the sound of the videos says
};

/// Why frames of two videos cannot be paired whatever shows their lag: frame rates that differ by
/// more than 1 %, or frame times that run apart by more than half a frame over the left video.
/// Empty if they can.
std::string CompareClocks(std::span<const double> left_times, std::span<const double> right_times);

/// @param genlocked the cameras are known to expose at the same instants: a flash that is not a
/// whole number of frames apart then is an error.
Alignment AlignByFlash(std::span<const double> left_mean_grey,
                       std::span<const double> right_mean_grey, std::span<const double> left_times,
                       std::span<const double> right_times, bool genlocked = false);

/// A frame of the left video and the frame of the right one nearest in time; either may be missing.
struct FramePair {
  std::optional<int> left, right;
};

/// Place of the time nearest to one; the times must rise, and be at least one.
std::size_t NearestTime(std::span<const double> times, double time);

/// Pairs in order of time. Frames of both videos are paired that are nearest to each other and at
/// most 0.75 frames apart; the others stand alone. Frames of one video are never nearer to each
/// other than that, so each is in one pair.
///
/// @param time_offset [s] to be added to right times; both lists must rise.
std::vector<FramePair> PairFrames(std::span<const double> left_times,
                                  std::span<const double> right_times, double time_offset);

/// Seconds after the middle of a frame's exposure at which a rolling shutter exposes row `y_px`:
/// line_time (y - (height - 1) / 2). The time of a frame is that of its middle row.
inline double RowDelay(double y_px, int height_px, double line_time) {
  return line_time * (y_px - 0.5 * (height_px - 1));
}

}  // namespace percuss::capture
