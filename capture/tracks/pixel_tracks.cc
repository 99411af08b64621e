// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/tracks/pixel_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "capture/tracks/hdf5_file.h"
#include "capture/tracks/track_table.h"

namespace percuss::capture {
namespace {

constexpr double kLastFrame = 1e7;   // a day at 100 Hz
constexpr double kMostFrames = 1e6;  // from the first to the last one

std::vector<TrackPoint> ReadPoints(const TrackTable& table, const TrackSource& source,
                                   TrackFormat format) {
  switch (format) {
    case TrackFormat::kDeepLabCut:
      return ReadDeepLabCut(table, source);
    case TrackFormat::kDltdv:
      return ReadDltdv(table, source);
    case TrackFormat::kSleap:
      return ReadSleap(table, source);
    case TrackFormat::kTracker:
      return ReadTracker(table, source);
    case TrackFormat::kTrackMate:
      return ReadTrackMate(table, source);
    case TrackFormat::kCsv:
      break;
  }
  return ReadLongTracks(table, source);
}

/// From the numbers of a file to pixels.
struct PixelConvention {
  Eigen::Vector2d first_pixel;  ///< what stands for the centre of the top left pixel
  double down = 1.0;            ///< -1: y points up

  Eigen::Vector2d Pixel(double x, double y) const {
    return {x - first_pixel.x(), down * (y - first_pixel.y())};
  }
};

PixelConvention ConventionOf(const TrackSource& source, TrackFormat format, int height) {
  PixelConvention convention{.first_pixel = Eigen::Vector2d::Zero()};
  if (format == TrackFormat::kDltdv) convention.first_pixel = {1.0, 1.0};
  // Java draws a picture from the corner of its first pixel.
  if (format == TrackFormat::kTracker) convention.first_pixel = {0.5, 0.5};
  if (source.y_up) {
    convention.down = -1.0;
    convention.first_pixel.y() += height - 1;
  }
  if (source.first_pixel) convention.first_pixel = *source.first_pixel;
  return convention;
}

struct TrackFile {
  TrackFormat format;
  std::vector<TrackPoint> points;
};

TrackFile ReadTrackFile(const std::filesystem::path& file, const TrackSource& source) {
  if (IsHdf5(file)) return {TrackFormat::kSleap, ReadSleapAnalysis(file, source)};
  const TrackTable table = ReadTrackTable(file);
  const TrackFormat format = source.format ? *source.format : RecogniseTracks(table);
  if (format == TrackFormat::kTracker && !source.first_pixel && !HasTrackerPixels(table)) {
    throw InputError(fmt::format(
        "{}: found x and y, in axes that were placed in Tracker; allowed are pixelx and "
        "pixely, or first_pixel (and y_axis: up), what x and y are at the centre of the "
        "top left pixel",
        table.file.string()));
  }
  return {format, ReadPoints(table, source, format)};
}

/// Instants in order: numbers of frames where the points have any, else times.
using Instants = std::map<double, PixelTracks::Frame>;

double InstantOf(const TrackPoint& point, bool numbered) {
  if (!numbered) return point.time;
  const double frame = point.frame;
  if (!(frame >= 0.0 && frame <= kLastFrame) || frame != std::floor(frame)) {
    throw InputError(fmt::format("{}: frame: found {}, allowed whole numbers from 0 to {}",
                                 point.where, frame, kLastFrame));
  }
  return frame;
}

/// Times at the nearest frame after the first one.
void NumberFrames(double first, double rate, std::vector<TrackPoint>* points) {
  for (TrackPoint& point : *points) {
    const double frames = (point.time - first) * rate;
    point.frame = std::round(frames);
    constexpr double kTolerance = 0.25;
    if (!(std::abs(frames - point.frame) <= kTolerance)) {
      throw InputError(
          fmt::format("{}: time: found {} s, {:.2f} frames after the first at the stated "
                      "frame_rate {}, allowed "
                      "whole numbers of frames within {}",
                      point.where, point.time, frames, rate, kTolerance));
    }
  }
}

class TrackGatherer {
 public:
  TrackGatherer(const TrackSource& source, const std::array<int, 2>& image_size)
      : source_(source), size_(image_size) {}

  void Add(const TrackPoint& point, const PixelConvention& convention, double least_likelihood,
           double instant) {
    PixelTracks::Frame& frame = instants_[instant];
    if (std::isnan(point.x) != std::isnan(point.y)) {
      throw InputError(fmt::format("{}: found {} of {} without {}, allowed both or neither",
                                   point.where, std::isnan(point.x) ? "y" : "x",
                                   point.name.empty() ? "a point" : point.name,
                                   std::isnan(point.x) ? "x" : "y"));
    }
    const int track = TrackCalled(point.name);
    if (std::isnan(point.x)) return;
    if (point.likelihood < least_likelihood) {
      ++tracks_.unlikely;
      return;
    }
    const Eigen::Vector2d pixel = convention.Pixel(point.x, point.y);
    const Eigen::Vector2d beyond(size_[0] - 0.5, size_[1] - 0.5);
    if (pixel.minCoeff() < -0.5 || (pixel - beyond).maxCoeff() > 0.0) {
      ++tracks_.outside;
      if (outside_.empty()) {
        outside_ = fmt::format("{}: pixel ({:.1f}, {:.1f})", point.where, pixel.x(), pixel.y());
      }
      return;
    }
    ++inside_;
    frame.sightings.push_back({.track = track, .pixel = pixel, .sigma_px = point.sigma});
  }

  /// @param rate of numbered frames [Hz]
  PixelTracks Finish(std::optional<double> rate) {
    if (tracks_.outside > inside_) {
      throw InputError(fmt::format(
          "{}, and {} more of {} are outside of the picture of {} x {} pixels, allowed are places "
          "in "
          "it: is y_axis or first_pixel another one?",
          outside_, tracks_.outside - 1, tracks_.outside + inside_, size_[0], size_[1]));
    }
    if (inside_ == 0) {
      throw InputError(fmt::format("{}: found no sighting{}, allowed one or more",
                                   source_.files.front().string(),
                                   tracks_.unlikely > 0 ? " that is likely enough" : ""));
    }
    const double offset = source_.offset.value_or(0.0);
    double last = instants_.begin()->first;
    if (rate && instants_.rbegin()->first - last > kMostFrames) {
      throw InputError(fmt::format("{}: found frames from {} to {}, allowed at most {}",
                                   source_.files.front().string(), last, instants_.rbegin()->first,
                                   kMostFrames));
    }
    for (auto& [instant, frame] : instants_) {
      for (double missing = last + 1.0; rate && missing < instant; missing += 1.0)
        tracks_.frames.push_back({missing / *rate + offset, {}});
      frame.time = (rate ? instant / *rate : instant) + offset;
      tracks_.frames.push_back(std::move(frame));
      last = instant;
    }
    return std::move(tracks_);
  }

 private:
  int TrackCalled(const std::string& name) {
    const auto [there, is_new] = track_of_.try_emplace(name, static_cast<int>(track_of_.size()));
    if (is_new) tracks_.names.push_back(name);
    return there->second;
  }

  const TrackSource& source_;
  std::array<int, 2> size_;
  PixelTracks tracks_;
  Instants instants_;
  std::map<std::string, int> track_of_;
  int inside_ = 0;
  std::string outside_;
};

}  // namespace

double DefaultLeastLikelihood(TrackFormat format) {
  if (format == TrackFormat::kDeepLabCut) return 0.6;
  return format == TrackFormat::kSleap ? 0.2 : 0.0;
}

PixelTracks ReadPixelTracks(const TrackSource& source, std::optional<double> frame_rate,
                            const std::array<int, 2>& image_size) {
  struct Part {
    std::vector<TrackPoint> points;
    PixelConvention convention;
    double least_likelihood = 0.0;
  };
  std::vector<Part> parts;
  bool all_numbered = true, all_timed = true;
  double first_time = std::numeric_limits<double>::infinity();
  for (const std::filesystem::path& file : source.files) {
    TrackFile read = ReadTrackFile(file, source);
    Part& part = parts.emplace_back();
    part.points = std::move(read.points);
    part.convention = ConventionOf(source, read.format, image_size[1]);
    part.least_likelihood = source.least_likelihood.value_or(DefaultLeastLikelihood(read.format));
    for (const TrackPoint& point : part.points) {
      all_numbered = all_numbered && !std::isnan(point.frame);
      all_timed = all_timed && !std::isnan(point.time);
      first_time = std::min(first_time, point.time);
    }
  }
  const std::string& first = source.files.front().string();
  if (!all_numbered && !all_timed)
    throw InputError(fmt::format("{}: found frames of some points and times of others", first));
  const bool by_time = all_timed && !source.frame_rate;
  const std::optional<double> rate = by_time             ? std::nullopt
                                     : source.frame_rate ? source.frame_rate
                                                         : frame_rate;
  if (!by_time && !rate) {
    throw InputError(
        fmt::format("{}: found numbers of frames and no times, allowed with frame_rate", first));
  }
  TrackGatherer gatherer(source, image_size);
  for (Part& part : parts) {
    if (!by_time && !all_numbered) NumberFrames(first_time, *rate, &part.points);
    for (const TrackPoint& point : part.points)
      gatherer.Add(point, part.convention, part.least_likelihood, InstantOf(point, !by_time));
  }
  return gatherer.Finish(rate);
}

}  // namespace percuss::capture
