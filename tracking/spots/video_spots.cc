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

/// DetectionOptions are in grey values of a full scale; PictureToScan sees to that of deep
/// pictures.
DetectionOptions ForLevels(DetectionOptions options, const capture::GreyLevels& levels) {
  if (levels == capture::kStudioRange) options.min_contrast_grey /= levels.Step();
  return options;
}

/// What frames of one scale need: seldom has a video more than one.
struct Scale {
  capture::GreyLevels levels;
  ToneTables tone;
  DetectionOptions options;
};

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
  std::size_t scale = 0;      ///< number of its Scale
};

/// Measures the spots of a video but for those that stand still all the time, which keep their
/// centroids: they are no part of the body, and most of all spots in many scenes.
void Refine(const std::vector<CoarseFrame>& frames, const std::vector<Scale>& scales,
            const cv::Size& size, VideoSpots* result) {
  std::vector<std::vector<Eigen::Vector2d>> pixels;
  for (const CoarseFrame& frame : frames) {
    auto& here = pixels.emplace_back();
    for (const CoarseSpot& spot : frame.found.spots) here.push_back(spot.blob.centre);
  }
  const StaticPlaces places = FindStaticPlaces(pixels);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const CoarseSpots& found = frames[k].found;
    const ToneTables& tone = scales[frames[k].scale].tone;
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
void FindTags(const capture::StoredFrame& frame, const ToneTables& of_frame,
              const capture::Tone& tone, const DetectionOptions& options, CoarseFrame* coarse) {
  if (!options.find_tags) return;
  // Codes are read in 8 bits.
  const bool deep = frame.luma.depth() != CV_8U;
  CodedSpots tags =
      deep ? options.find_tags(capture::OnFullScale(frame.luma, frame.levels),
                               ToneTables(capture::LightOfLevels(tone, capture::GreyLevels{})))
           : options.find_tags(frame.luma, of_frame);
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
  std::vector<Scale> scales;
  const auto scale_of = [&](const capture::GreyLevels& levels) {
    const auto known = std::ranges::find(scales, levels, &Scale::levels);
    const auto number = static_cast<std::size_t>(known - scales.begin());
    if (known == scales.end()) {
      scales.push_back(
          {levels, ToneTables(capture::LightOfLevels(tone, levels)), ForLevels(options, levels)});
    }
    return number;
  };

  VideoSpots spots;
  spots.clock_note = reader.ClockNote();
  capture::RepeatedPictures pictures;
  std::vector<double> times;
  std::vector<CoarseFrame> coarse;
  while (const std::optional<capture::StoredFrame> frame = reader.NextStored()) {
    const cv::Mat halved = HalvedPicture(frame->luma);
    const std::size_t number = scale_of(frame->levels);
    const Scale& scale = scales[number];
    spots.frames.push_back({frame->time, {}});
    if (options.keep_rejected) spots.rejected.emplace_back();
    coarse.push_back({.scale = number});
    if (options.dots) {
      coarse.back().found =
          DetectCoarseSpots(frame->luma, halved, scale.tone, scale.options,
                            options.keep_rejected ? &spots.rejected.back() : nullptr);
    }
    FindTags(*frame, scale.tone, tone, options, &coarse.back());
    if (coarse.back().found.spots.size() >= options.max_spots)
      spots.crowded.push_back(frame->index);
    const capture::GreyLevels& levels = frame->levels;
    spots.mean_grey.push_back(
        std::clamp((cv::mean(halved)[0] - levels.black) * levels.Step(), 0.0, 255.0));
    pictures.Add(halved.depth() == CV_8U ? halved : capture::OnFullScale(halved, levels));
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
  Refine(coarse, scales, reader.FrameSize(), &spots);
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
