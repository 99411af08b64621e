// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/video_spots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <utility>

#include "base/error.h"
#include "capture/video/sound_reader.h"
#include "capture/video/tone.h"
#include "capture/video/video.h"
#include "tracking/spots/spot_scan.h"
#include "tracking/spots/static_spots.h"

namespace percuss::tracking {
namespace {

/// DetectionOptions are in grey values of a full scale.
DetectionOptions ForStudioRange(DetectionOptions options) {
  options.min_contrast_grey /= capture::kStudioStep;
  return options;
}

void RequireSize(const cv::Size& found, const cv::Size& allowed,
                 const std::filesystem::path& video) {
  if (found == allowed) return;
  throw InputError(
      fmt::format("{}: frame size {} x {}, allowed {} x {} as in the calibration images",
                  video.string(), found.width, found.height, allowed.width, allowed.height));
}

/// The spots of a frame at first look, as the picture was stored.
struct CoarseFrame {
  CoarseSpots found;
  std::vector<Blob> corners;  ///< of tags
  bool studio_range = false;
};

/// Measures the spots of a video but for those that stand still all the time, which keep their
/// centroids: they are no part of the body, and most of all spots in many scenes.
void Refine(const std::vector<CoarseFrame>& frames, const std::array<ToneTables, 2>& tones,
            const cv::Size& size, VideoSpots* result) {
  std::vector<std::vector<Eigen::Vector2d>> pixels;
  for (const CoarseFrame& frame : frames) {
    auto& here = pixels.emplace_back();
    for (const CoarseSpot& spot : frame.found.spots) here.push_back(spot.blob.centre);
  }
  const StaticPlaces places = FindStaticPlaces(pixels);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const CoarseSpots& found = frames[k].found;
    const ToneTables& tone = tones[frames[k].studio_range];
    for (std::size_t j = 0; j < found.spots.size(); ++j) {
      const CoarseSpot& spot = found.spots[j];
      const auto blob = places.place[k][j] >= 0
                            ? std::optional(spot.blob)
                            : RefineSpot(spot, tone, found.limits, size,
                                         result->rejected.empty() ? nullptr : &result->rejected[k]);
      if (blob) result->frames[k].blobs.push_back(*blob);
    }
    auto& blobs = result->frames[k].blobs;
    blobs.insert(blobs.end(), frames[k].corners.begin(), frames[k].corners.end());
  }
}

/// Whether a place is in the print of a tag or in its margin.
bool InTag(const std::array<Eigen::Vector2d, 4>& outline, const Eigen::Vector2d& place) {
  constexpr double kMargin = 1.4;  // of the black square
  const Eigen::Vector2d middle = 0.25 * (outline[0] + outline[1] + outline[2] + outline[3]);
  const Eigen::Vector2d p = middle + (place - middle) / kMargin;
  for (std::size_t k = 0; k < 4; ++k) {  // clockwise as y points down
    const Eigen::Vector2d edge = outline[(k + 1) % 4] - outline[k], away = p - outline[k];
    if (edge.x() * away.y() - edge.y() * away.x() < 0.0) return false;
  }
  return true;
}

/// Tags of a picture, whose cells are no dots.
void FindTags(const capture::StoredFrame& frame, const ToneTables& tone,
              const DetectionOptions& options, CoarseFrame* coarse) {
  if (!options.find_tags) return;
  CodedSpots tags = options.find_tags(frame.luma, tone);
  std::erase_if(coarse->found.spots, [&](const CoarseSpot& spot) {
    return std::ranges::any_of(
        tags.outlines, [&](const auto& outline) { return InTag(outline, spot.blob.centre); });
  });
  coarse->corners = std::move(tags.blobs);
}

capture::SoundOnsets Hear(const capture::VideoReader& reader) {
  const capture::SoundTrack sound = capture::ReadSound(reader.File());
  constexpr double kSameRate = 0.01;
  if (sound.reason.empty() && std::abs(reader.TimeScale() - 1.0) > kSameRate)
    return {"slow motion, whose sound is not of its pictures' time"};
  return capture::FindOnsets(sound);
}

}  // namespace

VideoSpots FindSpots(const std::filesystem::path& video, const capture::VideoClock& clock,
                     const capture::Tone& tone, const DetectionOptions& options,
                     const std::function<void(double)>& progress, std::optional<cv::Size> size) {
  capture::VideoReader reader(video, clock);
  if (size) RequireSize(reader.FrameSize(), *size, video);
  const std::array<ToneTables, 2> tones = {ToneTables(capture::LightOfGrey(tone)),
                                           ToneTables(capture::LightOfStudioGrey(tone))};
  const DetectionOptions studio_options = ForStudioRange(options);

  VideoSpots spots;
  spots.clock_note = reader.ClockNote();
  capture::RepeatedPictures pictures;
  std::vector<double> times;
  std::vector<CoarseFrame> coarse;
  while (const std::optional<capture::StoredFrame> frame = reader.NextStored()) {
    const cv::Mat halved = HalvedPicture(frame->luma);
    const bool studio = frame->studio_range;
    spots.frames.push_back({frame->time, {}});
    if (options.keep_rejected) spots.rejected.emplace_back();
    coarse.push_back({.studio_range = studio});
    if (options.dots) {
      coarse.back().found =
          DetectCoarseSpots(frame->luma, halved, tones[studio], studio ? studio_options : options,
                            options.keep_rejected ? &spots.rejected.back() : nullptr);
    }
    FindTags(*frame, tones[studio], options, &coarse.back());
    if (coarse.back().found.spots.size() >= options.max_spots)
      spots.crowded.push_back(frame->index);
    const double grey = cv::mean(halved)[0];
    spots.mean_grey.push_back(
        studio ? std::clamp((grey - capture::kStudioBlack) * capture::kStudioStep, 0.0, 255.0)
               : grey);
    pictures.Add(halved);
    times.push_back(frame->time);
    if (progress && reader.FrameCount() > 0)
      progress(static_cast<double>(spots.frames.size()) / reader.FrameCount());
  }
  times = capture::UnroundedTimes(std::move(times), reader.TimeTick(), reader.FrameRate());
  for (std::size_t k = 0; k < times.size(); ++k) spots.frames[k].time = times[k];
  spots.timing = capture::AuditFrameTimes(times);
  spots.timing.repeated = pictures.Find();
  // What a repeated picture shows was there one frame earlier.
  for (const int frame : spots.timing.repeated) {
    coarse[frame].found.spots.clear();
    coarse[frame].corners.clear();
    if (options.keep_rejected) spots.rejected[frame].clear();
  }
  Refine(coarse, tones, reader.FrameSize(), &spots);
  spots.sound = Hear(reader);
  return spots;
}

std::vector<double> TimesOf(const VideoSpots& spots) {
  std::vector<double> times;
  for (const FrameBlobs& frame : spots.frames) times.push_back(frame.time);
  return times;
}

bool HasSpots(const VideoSpots& spots) {
  return std::ranges::any_of(spots.frames,
                             [](const FrameBlobs& frame) { return !frame.blobs.empty(); });
}

std::vector<std::string> VideoWarnings(const VideoSpots& spots,
                                       const std::filesystem::path& video) {
  std::vector<std::string> warnings = capture::TimingWarnings(spots.timing, video.string());
  if (!spots.clock_note.empty()) warnings.insert(warnings.begin(), spots.clock_note);
  if (!spots.crowded.empty()) {
    const std::size_t limit = spots.frames[spots.crowded.front()].blobs.size();
    warnings.push_back(fmt::format(
        "{}: {} of {} frames show {} spots or more (first: frame {}), of which the "
        "strongest are used: is the scene lit evenly, and the body alone marked?",
        video.string(), spots.crowded.size(), spots.frames.size(), limit, spots.crowded.front()));
  }
  if (!HasSpots(spots)) {
    warnings.push_back(fmt::format("{}: no spot that could be a marker in any of {} frames",
                                   video.string(), spots.frames.size()));
  }
  return warnings;
}

}  // namespace percuss::tracking
