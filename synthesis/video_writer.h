// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>

namespace percuss::synthesis {

/// Writes an H.264 video in MP4 of 8-bit grey pictures, full range, frame k at k / frame_rate. The
/// same pictures give the same bytes. The file appears under its name when it is complete; until
/// then, and after a failure, there is none.
class VideoWriter {
 public:
  /// @param crf rate factor 1 (finest) to 51; none: lossless.
  /// @throws InputError naming the file: FFmpeg without H.264 encoder, a folder that cannot be
  ///   written.
  VideoWriter(const std::filesystem::path& file, cv::Size size, double frame_rate,
              std::optional<int> crf);
  ~VideoWriter();

  /// @throws std::invalid_argument unless CV_8UC1 of the size above; InputError as above.
  void Write(const cv::Mat& grey);
  void Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace percuss::synthesis
