// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>

#include "capture/sound/sound_track.h"

namespace percuss::capture {

/// What the pictures of a written video are.
enum class PictureKind {
  kGrey,      ///< CV_8UC1, full range: to be measured
  kColour,    ///< CV_8UC3, blue green red: to be looked at, as every browser shows it
  kPlanes,    ///< CV_8UC1, the planes Y', Cb and Cr of such colours (LookPlanes): to be looked at
  kDeepGrey,  ///< CV_16UC1, of 12 bits, full range: to be measured
};

/// The three planes of a picture of kind kPlanes: CV_8UC1, the last two of half the width and
/// height. They share its pixels. @param picture as large as `size` and half as high again,
/// continuous; its rows hold the planes one after the other, as in OpenCV's I420.
struct LookPlanes {
  cv::Mat luma, blue, red;
};
LookPlanes PlanesOf(cv::Mat& picture, cv::Size size);

/// Writes an H.264 video in MP4, frame k at k / frame_rate; of 12 bits, which browsers do not show,
/// FFV1 in QuickTime, without loss. The same pictures give the same bytes.
/// The file appears under its name when it is complete; until then, and after a failure, there is
/// none.
///
/// With sound the file is QuickTime: the samples, from SoundTrack::start 0 on, are stored as they
/// are (PCM, 16 bit, one channel). AAC would begin with a delay of its encoder that not every
/// reader undoes; Matroska rounds times to milliseconds.
///
/// Colours are stored as Y'CbCr of ITU-R BT.601, studio range, at half the resolution of the luma.
class VideoWriter {
 public:
  /// @param size for colours, even numbers.
  /// @param crf rate factor 1 (finest) to 51; none: lossless, but for the rounding of colours. Of
  ///   12 bits none.
  /// @param sound may be null; otherwise stored beside the pictures.
  /// @throws std::invalid_argument for odd sizes of colour pictures; for sound that does not begin
  ///   at 0 or has no sampling rate in whole Hz.
  /// @throws InputError naming the file: FFmpeg without H.264 encoder, a folder that cannot be
  ///   written.
  VideoWriter(const std::filesystem::path& file, cv::Size size, double frame_rate,
              std::optional<int> crf, PictureKind kind = PictureKind::kGrey,
              const SoundTrack* sound = nullptr);
  ~VideoWriter();

  /// @throws std::invalid_argument unless of the kind and size above; InputError as above.
  void Write(const cv::Mat& picture);
  void Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace percuss::capture
