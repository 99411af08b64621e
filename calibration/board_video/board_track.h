// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "calibration/targets/target_points.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// What is known of a board video before it is looked at.
struct BoardVideo {
  std::filesystem::path file;
  capture::Board board;
  capture::Tone tone;
  capture::VideoClock clock;
};

/// The board in one frame.
struct BoardSighting {
  int frame = 0;
  double time = 0.0;     ///< of the middle row [s]
  BoardCorners corners;  ///< in pixels of the full frame
};

/// The board in the frames of one video that were looked at.
struct BoardTrack {
  std::filesystem::path file;
  int width = 0, height = 0;  ///< [px]
  std::vector<double> times;  ///< of all frames [s]
  int step = 1;               ///< every step-th frame was looked at
  int num_looked = 0;
  std::vector<BoardSighting> sightings;  ///< where it was found, in order
  std::string reason;                    ///< why it was not found in most of the others

  double Interval() const;  ///< from frame to frame, on average [s]
};

/// Looks for the board in every so many frames, some 15 in each second of a video of two hundred
/// frames or more, at about 960 pixels of width. A hand moves little from one of them to the next.
/// @param progress Called with the share done; may be empty.
/// @throws InputError as VideoReader. @throws DataError where the board is in fewer than `least`
/// frames: says in how many, and what was wrong with most of the others.
BoardTrack FollowBoard(const BoardVideo& video, int least,
                       const std::function<void(double)>& progress);

/// The board in these frames at full size.
std::map<int, BoardSighting> MeasureFrames(const BoardVideo& video, const std::vector<int>& frames,
                                           const std::function<void(double)>& progress);

/// The board in up to `count` full-size frames, evenly over the video.
struct SampledFrames {
  int width = 0, height = 0;             ///< [px]
  std::vector<BoardSighting> sightings;  ///< where it was found
  std::string reason;                    ///< why it was not found in most of the others
};
SampledFrames SampleFrames(const BoardVideo& video, int count);

}  // namespace percuss::calibration
