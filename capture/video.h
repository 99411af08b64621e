// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>

namespace percuss::capture {

/// One frame: luma as stored in the video (8 bit, one channel), its place and its time from the
/// start of the video.
struct Frame {
  int index = 0;
  double time = 0.0;  ///< [s]
  cv::Mat luma;       ///< CV_8UC1
};

/// Sequential reader of a video file. Frame times are those of the file; `fallback_rate` [Hz] is
/// used only where the file carries none.
class VideoReader {
 public:
  /// @throws InputError naming the file: missing, empty, not a video, no frame that can be decoded.
  explicit VideoReader(const std::filesystem::path& file, std::optional<double> fallback_rate = {});
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  /// The next frame, or nothing at the end of the video.
  /// @throws InputError naming file and frame: fewer frames than the header promises (truncated), a
  /// frame that cannot
  ///   be decoded, times that do not rise, a frame size that changes.
  std::optional<Frame> Next();

  cv::Size FrameSize() const;
  int FrameCount() const;    ///< as the header promises; 0 if unknown
  double FrameRate() const;  ///< nominal [Hz]
  const std::filesystem::path& File() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace percuss::capture
