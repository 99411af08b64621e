// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/files.h"
#include "capture/pictures/image_levels.h"
#include "capture/pictures/open_picture_file.h"
#include "capture/video/tone.h"
#include "capture/video/video_stream.h"

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

constexpr double kSameRate = 0.01;  // share by which two rates may differ and count as the same

}  // namespace

double TimeScale(const VideoClock& clock, double file_rate) {
  if (!clock.frame_rate || !(file_rate > 0.0)) return 1.0;
  if (clock.time_base == TimeBase::kContainer) return 1.0;
  const double ratio = *clock.frame_rate / file_rate, whole = std::round(ratio);
  const bool slow_motion =
      whole >= 2.0 && whole <= 40.0 && std::abs(ratio / whole - 1.0) < kSameRate;
  return slow_motion || clock.time_base == TimeBase::kStated ? 1.0 / ratio : 1.0;
}

struct VideoReader::Source {
  Source(fs::path path, const VideoClock& clock) : file(std::move(path)), clock(clock) {}
  virtual ~Source() = default;

  // The next image with its time in the file, or nothing at the end.
  virtual std::optional<StoredFrame> Read() = 0;
  // Makes frame `index` the next one; false, and back at frame 0, if that takes reading all.
  virtual bool Jump(int index) = 0;
  virtual int FrameCount() const = 0;
  virtual double FrameRate() const = 0;
  virtual double TimeScale() const { return 1.0; }
  virtual double TimeTick() const { return 0.0; }
  virtual std::string ClockNote(std::string_view) const { return ""; }
  virtual const RecordedCamera& Camera() const {
    static const RecordedCamera unknown;
    return unknown;
  }

  // Read() with the checks that all sources share.
  std::optional<StoredFrame> ReadChecked() {
    std::optional<StoredFrame> frame = Read();
    if (!frame) return frame;
    frame->index = num_frames;
    if (num_frames == 0) {
      size = frame->luma.size();
      start_time = frame->time;
    }
    frame->time -= start_time;
    if (frame->luma.size() != size) {
      throw InputError(fmt::format(
          "{}: frame {}: found {} x {} pixels, allowed {} x {} as in frame 0", file.string(),
          num_frames, frame->luma.cols, frame->luma.rows, size.width, size.height));
    }
    if (num_frames > 0 && !(frame->time > last_time)) {
      throw InputError(
          fmt::format("{}: frame {}: found time {:.6f} s after {:.6f} s, allowed rising times",
                      file.string(), num_frames, frame->time, last_time));
    }
    last_time = frame->time;
    ++num_frames;
    return frame;
  }

  fs::path file;
  VideoClock clock;
  cv::Size size;
  double start_time = 0.0;
  double last_time = 0.0;
  int num_frames = 0;
  std::optional<StoredFrame> first_frame;  // read by the constructor, not yet handed out
};

namespace {

/// What a file says of its rate, and what counts.
struct RateFacts {
  double rate = 0.0;            ///< [Hz] of the file's own times; 0 if it does not say
  double scale = 1.0;           ///< TimeScale
  bool stated_by_file = false;  ///< the rate of the clock is what the file says
};

std::string RateNote(const fs::path& file, const VideoClock& clock, const RateFacts& facts,
                     std::string_view option) {
  const double rate = facts.rate;
  if (!clock.frame_rate || !(rate > 0.0)) return "";
  if (std::abs(*clock.frame_rate / rate - 1.0) < kSameRate) return "";
  if (facts.stated_by_file) {
    const double taken = *clock.frame_rate;
    if (facts.scale != 1.0) {
      return fmt::format(
          "{}: slow motion: the file says that it was filmed at {:.6g} frames/s, {:.0f} times the "
          "rate of its times, and so it counts ({}{:.6g} says otherwise)",
          file.string(), taken, 1.0 / facts.scale, option, rate);
    }
    return fmt::format(
        "{}: the file says that it was filmed at {:.6g} frames/s, its times say {:.6g}, and these "
        "count ({}{:.6g}{} says otherwise)",
        file.string(), taken, rate, option, taken,
        option.starts_with("--") ? "" : " with time_base: stated");
  }
  if (facts.scale != 1.0) {
    return fmt::format(
        "{}: the {:.6g} frames/s of frame_rate count, not the {:.6g} of the file: slow motion? "
        "(the file's: time_base: container)",
        file.string(), *clock.frame_rate, rate);
  }
  return fmt::format(
      "{}: the {:.6g} frames/s of the file count, not the {:.6g} of frame_rate (that one: "
      "time_base: stated)",
      file.string(), rate, *clock.frame_rate);
}

class StreamSource : public VideoReader::Source {
 public:
  StreamSource(const fs::path& path, const VideoClock& clock)
      : Source(path, clock), stream_(std::make_unique<VideoStream>(path)) {
    if (!clock.frame_rate && clock.time_base == TimeBase::kAuto) {
      this->clock.frame_rate = stream_->Camera().capture_rate;
      rate_is_of_file_ = this->clock.frame_rate.has_value();
    }
    scale_ = capture::TimeScale(this->clock, stream_->FrameRate());
    stamped_ = StampedTimes(path);
  }

  std::optional<StoredFrame> Read() override {
    std::optional<LumaImage> image = stream_->Read();
    if (!image) return {};
    if (num_frames == 0) has_times_ = image->time.has_value();
    if (has_times_ != image->time.has_value()) {
      throw InputError(
          fmt::format("{}: frame {}: found {} time, allowed times for all frames or none",
                      file.string(), num_frames, has_times_ ? "no" : "a"));
    }
    if (!has_times_ && !clock.frame_rate) {
      throw InputError(fmt::format(
          "{}: found a video without frame times, allowed only with frame_rate in the experiment "
          "file",
          file.string()));
    }
    StoredFrame frame;
    frame.luma = std::move(image->luma);
    frame.levels = image->levels;
    frame.time = has_times_ ? scale_ * *image->time : num_frames / *clock.frame_rate;
    const auto place = static_cast<std::size_t>(num_frames);
    if (place < stamped_.size()) frame.time = scale_ * stamped_[place];
    return frame;
  }

  bool Jump(int index) override {
    const bool jumped = has_times_ && stream_->SkipTo(index);
    if (!jumped) stream_ = std::make_unique<VideoStream>(file);
    num_frames = jumped ? index : 0;
    last_time = -std::numeric_limits<double>::infinity();
    return jumped;
  }

  int FrameCount() const override { return stream_->FrameCount(); }
  double FrameRate() const override {
    return has_times_ ? stream_->FrameRate() / scale_ : *clock.frame_rate;
  }
  double TimeScale() const override { return scale_; }
  double TimeTick() const override { return has_times_ ? scale_ * stream_->TimeTick() : 0.0; }
  std::string ClockNote(std::string_view option) const override {
    return RateNote(file, clock,
                    {has_times_ ? stream_->FrameRate() : 0.0, scale_, rate_is_of_file_}, option);
  }
  const RecordedCamera& Camera() const override { return stream_->Camera(); }

 private:
  std::unique_ptr<VideoStream> stream_;
  std::vector<double> stamped_;  // times of the frames that FFmpeg does not tell; may be empty
  double scale_ = 1.0;
  bool has_times_ = false;
  bool rate_is_of_file_ = false;  // that of `clock`
};

void RequireRate(const fs::path& path, const VideoClock& clock) {
  if (clock.frame_rate) return;
  throw InputError(
      fmt::format("{}: found images, which carry no frame times, allowed only with frame_rate in "
                  "the experiment file (a line such as frame_rate: 1000, in Hz)",
                  path.string()));
}

// Files of high-speed cameras, and pages.
class PictureFileSource : public VideoReader::Source {
 public:
  PictureFileSource(const fs::path& path, const VideoClock& clock,
                    std::unique_ptr<PictureFile> pictures)
      : Source(path, clock), pictures_(std::move(pictures)) {
    const Recording& about = pictures_->About();
    camera_.exposure = about.exposure;
    if (!about.frame_rate) RequireRate(path, clock);
    rate_ = about.frame_rate.value_or(0.0);
    // Such a file is no slow motion of a phone: its own times count, unless told otherwise.
    if (rate_ > 0.0 && clock.time_base == TimeBase::kStated)
      scale_ = capture::TimeScale(clock, rate_);
  }

  std::optional<StoredFrame> Read() override {
    if (num_frames == FrameCount()) return {};
    StoredFrame frame;
    frame.luma = pictures_->Read(num_frames);
    frame.levels = pictures_->About().levels;
    const std::vector<double>& times = pictures_->About().times;
    frame.time = times.empty() ? num_frames / FrameRate()
                               : scale_ * times[static_cast<std::size_t>(num_frames)];
    return frame;
  }

  bool Jump(int index) override {
    num_frames = std::min(index, FrameCount());
    last_time = -std::numeric_limits<double>::infinity();
    return true;
  }

  int FrameCount() const override { return pictures_->About().num_frames; }
  double FrameRate() const override { return rate_ > 0.0 ? rate_ / scale_ : *clock.frame_rate; }
  double TimeScale() const override { return scale_; }
  std::string ClockNote(std::string_view option) const override {
    return RateNote(file, clock, {rate_, scale_, false}, option);
  }
  const RecordedCamera& Camera() const override { return camera_; }

 private:
  std::unique_ptr<PictureFile> pictures_;
  RecordedCamera camera_;
  double rate_ = 0.0;  // as the file says; 0 if it does not
  double scale_ = 1.0;
};

class ImageSource : public VideoReader::Source {
 public:
  ImageSource(const fs::path& path, const VideoClock& clock) : Source(path, clock) {
    images_ = ExpandPattern(fs::is_directory(path) ? path / "*" : path);
    std::erase_if(images_, [](const fs::path& image) {
      return !fs::is_regular_file(image) || !cv::haveImageReader(image.string());
    });
    if (images_.empty()) {
      throw InputError(
          fmt::format("{}: found no image there, allowed at least one frame", path.string()));
    }
    RequireRate(path, clock);
  }

  std::optional<StoredFrame> Read() override {
    if (num_frames == FrameCount()) return {};
    const fs::path& image = images_[num_frames];
    StoredFrame frame;
    try {
      frame.luma = cv::imread(image.string(), cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH);
    } catch (const cv::Exception&) {  // a header that promises too much
    }
    if (frame.luma.empty()) {
      throw InputError(fmt::format("{}: frame {}: cannot be decoded", image.string(), num_frames));
    }
    frame.levels = LevelsOfImage(frame.luma, clock.bit_depth, image);
    frame.time = num_frames / *clock.frame_rate;
    return frame;
  }

  bool Jump(int index) override {
    num_frames = std::min(index, FrameCount());
    return true;
  }

  int FrameCount() const override { return static_cast<int>(images_.size()); }
  double FrameRate() const override { return *clock.frame_rate; }

 private:
  std::vector<fs::path> images_;
};

}  // namespace

VideoReader::VideoReader(const fs::path& file, const VideoClock& clock) {
  if (clock.frame_rate && !(*clock.frame_rate > 0.0 && std::isfinite(*clock.frame_rate))) {
    throw std::invalid_argument(fmt::format(
        "VideoReader: frame_rate: found {}, allowed positive and finite [Hz]", *clock.frame_rate));
  }
  std::error_code error;
  if (IsPattern(file) && !fs::exists(file, error)) {
    source_ = std::make_unique<ImageSource>(file, clock);
  } else if (!fs::exists(file, error)) {
    throw InputError(fmt::format("{}: found no such file, allowed a video", file.string()));
  } else if (fs::is_directory(file, error)) {
    source_ = std::make_unique<ImageSource>(file, clock);
  } else if (!fs::is_regular_file(file, error)) {
    throw InputError(fmt::format("{}: found a device or a pipe, allowed a video", file.string()));
  } else if (fs::file_size(file, error) == 0) {
    throw InputError(fmt::format("{}: found an empty file, allowed a video", file.string()));
  } else if (auto pictures = OpenPictureFile(file, clock.bit_depth)) {
    source_ = std::make_unique<PictureFileSource>(file, clock, std::move(pictures));
  } else {
    source_ = std::make_unique<StreamSource>(file, clock);
  }
  source_->first_frame = source_->ReadChecked();
  if (!source_->first_frame) {
    throw InputError(
        fmt::format("{}: found no frame that can be decoded, allowed at least one", file.string()));
  }
}

VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

std::optional<Frame> VideoReader::Next() {
  const std::optional<StoredFrame> stored = NextStored();
  if (!stored) return {};
  Frame frame{stored->index, stored->time, {}};
  frame.luma = OnFullScale(stored->luma, stored->levels);
  if (frame.luma.data == stored->luma.data) frame.luma = stored->luma.clone();
  return frame;
}

std::optional<StoredFrame> VideoReader::NextStored() {
  if (source_->first_frame) return std::exchange(source_->first_frame, std::nullopt);
  return source_->ReadChecked();
}

void VideoReader::SkipTo(int index) {
  const int next = source_->first_frame ? 0 : source_->num_frames;
  if (index < next) {
    throw std::invalid_argument(
        fmt::format("VideoReader: SkipTo: found {}, allowed {} and later frames", index, next));
  }
  if (index == next) return;
  if (source_->first_frame && index == 1) {
    source_->first_frame.reset();
    return;
  }
  source_->first_frame.reset();
  if (source_->Jump(index)) return;
  while (source_->num_frames < index && source_->ReadChecked()) {
  }
}

cv::Size VideoReader::FrameSize() const { return source_->size; }
int VideoReader::FrameCount() const { return source_->FrameCount(); }
double VideoReader::FrameRate() const { return source_->FrameRate(); }
double VideoReader::TimeScale() const { return source_->TimeScale(); }
double VideoReader::TimeTick() const { return source_->TimeTick(); }
std::string VideoReader::ClockNote(std::string_view option) const {
  return source_->ClockNote(option);
}
const RecordedCamera& VideoReader::Camera() const { return source_->Camera(); }
const fs::path& VideoReader::File() const { return source_->file; }

}  // namespace percuss::capture
