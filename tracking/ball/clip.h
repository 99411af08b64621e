// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <opencv2/core/mat.hpp>
#include <utility>
#include <vector>

#include "capture/experiment/video_clock.h"
#include "tracking/ball/camera_shake.h"

namespace percuss::tracking {

/// A frame on its way through; `luma` is valid during the call.
using VisitFrame = std::function<void(int index, double time, const cv::Mat& luma)>;

/// Where the frames of a clip come from: calls the visitor for each in order, as often as asked.
using ClipFrames = std::function<void(const VisitFrame&)>;

/// The frames of a video or of numbered images. Those of up to `memory_bytes` are kept, so that the
/// second time nothing is decoded.
/// @throws InputError as capture::VideoReader, once it is called.
ClipFrames FramesOf(const std::filesystem::path& file, const capture::VideoClock& clock,
                    std::size_t memory_bytes = std::size_t{2} << 30);

/// What one passage through a clip leaves: small pictures, and the ground without what moves.
struct ClipSurvey {
  cv::Size size;                              ///< of the frames [px]
  int shrink = 4;                             ///< frame pixels per pixel of a small picture
  std::vector<double> times;                  ///< [s]
  std::vector<int> repeats;                   ///< frames that show what the one before them does
  CameraShake shake;                          ///< all pictures below are as the reference sees them
  std::vector<cv::Mat> small;                 ///< means of shrink x shrink pixels, CV_8UC1
  cv::Mat small_ground;                       ///< median over the clip
  cv::Mat ground;                             ///< median of frames spread over the clip, full size
  std::vector<std::pair<int, cv::Mat>> kept;  ///< these frames, 25 to 50 of a long clip
};

/// @throws InputError for a clip of fewer than 8 frames, or one whose frames change their size.
ClipSurvey SurveyClip(const ClipFrames& frames);

}  // namespace percuss::tracking
