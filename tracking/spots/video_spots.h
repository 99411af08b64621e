// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <functional>
#include <opencv2/core/types.hpp>
#include <optional>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "capture/sound/sound_onsets.h"
#include "capture/video/frame_timing.h"
#include "tracking/spots/marker_detection.h"

namespace percuss::tracking {

/// The spots of one frame of one camera.
struct FrameBlobs {
  double time = 0.0;  ///< [s] from the start of that video
  std::vector<Blob> blobs;
};

/// What is known of one camera's video after one pass through it.
struct VideoSpots {
  std::vector<FrameBlobs> frames;  ///< without spots where a frame repeats the picture before
  std::vector<double> mean_grey;   ///< of each frame, 0 black to 255 white
  capture::FrameTiming timing;
  std::string clock_note;  ///< VideoReader::ClockNote
  std::vector<int>
      crowded;  ///< frames with DetectionOptions::max_spots, where others were left out
  capture::SoundOnsets sound;  ///< what is heard
  /// Of each frame what is no spot, where DetectionOptions::keep_rejected asks for it; else empty.
  std::vector<std::vector<RejectedSpot>> rejected;
};

/// Decodes a video once and finds the spots of every frame. The luma is used as the file stores it:
/// no frame is copied or spread to the full scale.
/// @param size that frames must have, if that is known.
/// @throws InputError naming file and frame for anything wrong with the video.
VideoSpots FindSpots(const std::filesystem::path& video, const capture::VideoClock& clock,
                     const capture::Tone& tone, const DetectionOptions& options,
                     const std::function<void(double)>& progress = {},
                     std::optional<cv::Size> size = {});

/// Of all frames [s].
std::vector<double> TimesOf(const VideoSpots& spots);

/// Whether there is a spot in any frame.
bool HasSpots(const VideoSpots& spots);

/// One sentence, beginning with the file, for each thing that should be known about a video:
/// capture::TimingWarnings, crowded frames and, last, no spot in any frame.
std::vector<std::string> VideoWarnings(const VideoSpots& spots, const std::filesystem::path& video);

}  // namespace percuss::tracking
