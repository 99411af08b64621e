// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "capture/experiment/video_clock.h"
#include "capture/pictures/grey_levels.h"
#include "capture/video/recorded_camera.h"

namespace percuss::capture {

/// One frame: its place, its time from the start of the video, and its luma (8 bit, one channel) on
/// the full scale, 0 black to 255 white.
struct Frame {
  int index = 0;
  double time = 0.0;  ///< [s]
  cv::Mat luma;       ///< CV_8UC1
};

/// The same as the file stores it, for those who account for the levels themselves.
struct StoredFrame {
  int index = 0;
  double time = 0.0;    ///< [s]
  cv::Mat luma;         ///< CV_8UC1, or CV_16UC1 where there are more than 8 bits
  GreyLevels levels{};  ///< of the luma
};

/// Sequential reader of a video file, or of numbered images (a folder, or a pattern such as
/// frames/*.png).
///
/// The luma plane is taken as stored, without a way through colours. Next spreads studio range (16
/// to 235), which a Y'CbCr video has unless it says otherwise (ITU-T H.264 table E-1,
/// video_full_range_flag), and more than 8 bits to 0 to 255, so that a Tone means the same for
/// videos and images. Quarter turns and a reflection that a phone notes in the file are applied.
///
/// Frame times are those of the file, times TimeScale of the clock; where the file has none (raw
/// streams, images) those of the stated rate. Where none is stated, the rate that the file itself
/// says the pictures were taken at (RecordedCamera::capture_rate) takes its place.
class VideoReader {
 public:
  /// @throws InputError naming the file: missing, empty, not a video, no frame that can be decoded,
  ///   no frame times and no stated rate.
  /// @throws std::invalid_argument if the stated rate is not positive and finite.
  explicit VideoReader(const std::filesystem::path& file, const VideoClock& clock = {});
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;

  /// The next frame, or nothing at the end of the video. The image is the caller's own.
  /// @throws InputError naming file and frame: fewer frames than the header promises (truncated), a
  ///   frame that cannot be decoded, times that do not rise, a frame size that changes.
  std::optional<Frame> Next();

  /// The same without copying: the image is the decoder's own, to be read only, and gone with the
  /// next call.
  std::optional<StoredFrame> NextStored();

  /// Passes over frames: the next one has this index (none does, if the video ends before). It is
  /// the frame that reading all others before it would give; where the file allows, decoding begins
  /// at the last key frame before it. The end of the video is then no longer checked.
  /// @throws std::invalid_argument for a frame that was read already. @throws InputError as Next.
  void SkipTo(int index);

  cv::Size FrameSize() const;
  int FrameCount() const;    ///< as the header promises; 0 if unknown
  double FrameRate() const;  ///< nominal, of what was filmed [Hz]
  double TimeScale() const;  ///< duration of what was filmed over its duration in the file
  double TimeTick() const;   ///< [s] to which the times are rounded; 0 where the file has none
  /// What to say where file and stated rate differ by more than 1 %; empty if they do not.
  /// @param option by which the reader of the note states a rate
  std::string ClockNote(std::string_view option = "frame_rate: ") const;
  /// What the file says of the camera: nothing, of images.
  const RecordedCamera& Camera() const;
  const std::filesystem::path& File() const;

  struct Source;  ///< where frames come from: a video stream or a list of images

 private:
  std::unique_ptr<Source> source_;
};

}  // namespace percuss::capture
