// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>

#include "capture/pictures/grey_levels.h"
#include "capture/video/recorded_camera.h"

namespace percuss::capture {

/// What a video file holds for one frame.
struct LumaImage {
  /// CV_8UC1, or CV_16UC1 of more than 8 bits; turned upright; the decoder's own until the next
  /// Read.
  cv::Mat luma;
  GreyLevels levels;           ///< of the luma
  std::optional<double> time;  ///< [s] from the origin of the file; raw streams carry none
};

/// The first video stream of a file, decoded with FFmpeg's libraries. Used through VideoReader,
/// which adds the checks that do not depend on where frames come from.
class VideoStream {
 public:
  /// @throws InputError naming the file: cannot be opened, no video stream, no decoder.
  explicit VideoStream(const std::filesystem::path& file);
  ~VideoStream();

  /// The next image, or nothing at the end.
  /// @throws InputError naming file and frame: the file is cut short, or a frame cannot be decoded.
  std::optional<LumaImage> Read();

  /// Makes image `index`, counted from 0 from the start of the file, the next one that Read gives,
  /// decoding from the key frame before it. Then the end of the file is not checked any more.
  /// @return false where the file does not allow it (no times, no index, a group of pictures that
  ///   leans on an earlier one): the stream is of no use then.
  bool SkipTo(int index);

  int FrameCount() const;    ///< as the header says; 0 if it does not
  double FrameRate() const;  ///< [Hz], as the header says; 0 if it does not
  double TimeTick() const;   ///< [s] unit of the times
  const RecordedCamera& Camera() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace percuss::capture
