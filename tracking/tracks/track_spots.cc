// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tracks/track_spots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "base/error.h"
#include "base/math/statistics.h"
#include "tracking/synchronisation/align_videos.h"

namespace percuss::tracking {
namespace {

constexpr double kUnknownSigma = 0.5;  // [px], of a careful click
constexpr double kLeastSigma = 0.05;   // [px]

/// Marker of the body that each track is; -1 for none.
struct TrackNames {
  std::vector<int> marker;
  bool any = false;
};

TrackNames MatchNames(const capture::PixelTracks& tracks, const capture::TrackSource& source,
                      const capture::MarkedBody& body) {
  TrackNames names{.marker = std::vector<int>(tracks.names.size(), -1)};
  if (!source.labelled || body.HasBands()) return names;  // bands on one line look alike
  std::set<std::string> used;
  for (std::size_t m = 0; m < body.markers.size(); ++m) {
    const auto mapped = source.names.find(body.markers[m].name);
    const bool stated = mapped != source.names.end();
    const std::string& name = stated ? mapped->second : body.markers[m].name;
    if (stated) used.insert(mapped->first);
    const auto found = std::ranges::find(tracks.names, name);
    if (found == tracks.names.end()) {
      if (!stated) continue;
      throw InputError(fmt::format("{}: found no {}, which is to be marker {}; there are {}",
                                   source.files.front().string(), name, body.markers[m].name,
                                   fmt::join(tracks.names, ", ")));
    }
    names.marker[found - tracks.names.begin()] = static_cast<int>(m);
    names.any = true;
  }
  for (const auto& [marker, name] : source.names) {
    if (used.contains(marker)) continue;
    throw InputError(fmt::format("{}: names: found {}, which is no marker of the body",
                                 source.files.front().string(), marker));
  }
  return names;
}

/// What the labels of a side are: its spots, and of named ones which marker each is.
struct Side {
  VideoSpots video;
  std::vector<std::vector<int>> marker;
};

Side SpotsOf(const capture::PixelTracks& tracks, const TrackNames& names, double sigma_px,
             const capture::TrackSource& source, const capture::MarkedBody& body) {
  Side side;
  std::vector<double> times;
  for (const capture::PixelTracks::Frame& frame : tracks.frames) {
    FrameBlobs& blobs = side.video.frames.emplace_back(FrameBlobs{frame.time, {}});
    std::vector<int>& markers = side.marker.emplace_back();
    times.push_back(frame.time);
    for (const capture::PixelTracks::Sighting& seen : frame.sightings) {
      const int marker = names.marker[seen.track];
      if (names.any && marker < 0) continue;
      if (names.any && std::ranges::find(markers, marker) != markers.end()) {
        throw InputError(fmt::format("{}: found {} twice at {:.6g} s, allowed once",
                                     source.files.front().string(), body.markers[marker].name,
                                     frame.time));
      }
      const double sigma = std::isnan(seen.sigma_px) ? sigma_px : seen.sigma_px;
      Blob blob{.centre = seen.pixel, .covariance = sigma * sigma * Eigen::Matrix2d::Identity()};
      blob.area = std::numeric_limits<double>::quiet_NaN();
      blobs.blobs.push_back(blob);
      markers.push_back(marker);
    }
  }
  side.video.timing = capture::AuditFrameTimes(times);
  side.video.mean_grey.assign(times.size(), 128.0);  // no flash
  side.video.sound.reason = "tracks have no sound";
  return side;
}

/// Both cameras on one clock, the right one later by what the experiment states.
capture::Alignment OneClock(const capture::Synchronisation& known,
                            const std::array<VideoSpots, 2>& spots) {
  capture::Alignment alignment;
  alignment.found = true;
  alignment.time_offset = known.offset.value_or(0.0);
  std::vector<double> apart, times;
  std::vector<int> lags;
  const std::vector<double> left = TimesOf(spots[0]), right = TimesOf(spots[1]);
  for (const capture::FramePair& pair : capture::PairFrames(left, right, alignment.time_offset)) {
    if (!pair.left || !pair.right) continue;
    apart.push_back(right[*pair.right] + alignment.time_offset - left[*pair.left]);
    times.push_back(left[*pair.left]);
    lags.push_back(*pair.left - *pair.right);
  }
  if (apart.empty()) return alignment;
  alignment.lag_frames = lags[lags.size() / 2];
  alignment.offset_time = times[times.size() / 2];
  // As with videos, below this the fit of the arcs decides.
  constexpr double kNegligibleFrames = 0.02;
  const double middle = Median(apart);
  if (!known.genlocked && std::abs(middle) > kNegligibleFrames * spots[0].timing.interval)
    alignment.sub_frame_offset = middle;
  return alignment;
}

void AlignTracks(const capture::Experiment& experiment, const capture::Trial& trial,
                 const Views& views, TrialSpots* spots) {
  const capture::TrackSource &left = *trial.tracks[0], &right = *trial.tracks[1];
  const bool one_clock = left.offset || right.offset || left.files == right.files;
  if (!one_clock) {
    const VideoAlignment aligned =
        AlignVideos(experiment.synchronisation, experiment.line_time, views, spots->views);
    spots->alignment = aligned.alignment;
    if (aligned.alignment.found) {
      spots->warnings.insert(spots->warnings.end(), aligned.warnings.begin(),
                             aligned.warnings.end());
      return;
    }
    spots->warnings.push_back(fmt::format(
        "the times of {} and {} are taken to be of one clock (state an offset if they are not): {}",
        trial.left.filename().string(), trial.right.filename().string(), aligned.alignment.reason));
  }
  spots->alignment = OneClock(experiment.synchronisation, spots->views);
}

}  // namespace

double EstimateTrackSigma(const capture::PixelTracks& tracks) {
  constexpr std::size_t kFewest = 20;
  constexpr double kEven = 0.1;
  const auto of_track = [](const capture::PixelTracks::Frame& frame, int track) {
    const auto found =
        std::ranges::find(frame.sightings, track, &capture::PixelTracks::Sighting::track);
    return found == frame.sightings.end() ? nullptr : &*found;
  };
  std::vector<double> sizes;
  for (std::size_t k = 0; k + 3 < tracks.frames.size(); ++k) {
    const std::span four = std::span(tracks.frames).subspan(k, 4);
    const double step = (four[3].time - four[0].time) / 3.0;
    if (std::abs(four[1].time - four[0].time - step) > kEven * step ||
        std::abs(four[3].time - four[2].time - step) > kEven * step)
      continue;
    for (const capture::PixelTracks::Sighting& first : four[0].sightings) {
      if (tracks.names[first.track].empty()) continue;
      const auto *b = of_track(four[1], first.track), *c = of_track(four[2], first.track),
                 *d = of_track(four[3], first.track);
      if (!b || !c || !d) continue;
      const Eigen::Vector2d third = d->pixel - 3.0 * c->pixel + 3.0 * b->pixel - first.pixel;
      sizes.push_back(std::abs(third.x()));
      sizes.push_back(std::abs(third.y()));
    }
  }
  if (sizes.size() < kFewest) return kUnknownSigma;
  return std::max(kLeastSigma, Median(sizes) / (0.6745 * std::sqrt(20.0)));
}

TrackSpots ReadTrackSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Views& views) {
  TrackSpots result;
  std::array<TrackNames, 2> names;
  const std::size_t pair = std::min<std::size_t>(2, views.size());
  result.spots.others.resize(views.size() - pair);
  for (std::size_t side = 0; side < views.size(); ++side) {
    if (side >= trial.tracks.size() || !trial.tracks[side]) continue;  // of a further camera
    const capture::TrackSource& source = *trial.tracks[side];
    const calibration::Camera& camera = views[side].camera;
    const capture::PixelTracks tracks = capture::ReadPixelTracks(
        source, experiment.clock.frame_rate, {camera.width, camera.height});
    const double sigma = source.sigma_px.value_or(EstimateTrackSigma(tracks));
    result.sigma_px = std::max(result.sigma_px, sigma);
    const TrackNames own = MatchNames(tracks, source, experiment.body);
    if (side < pair) names[side] = own;
    if (side == 1 && names[0].any != names[1].any) {
      const std::size_t without = names[0].any ? 1 : 0;
      throw InputError(fmt::format(
          "{}: found no name of a marker, and some in the file of the other camera; allowed are "
          "names in both, such as names: {{{}: NAME}}, or labelled: false",
          trial.tracks[without]->files.front().string(), experiment.body.markers.front().name));
    }
    Side spots = SpotsOf(tracks, own, sigma, source, experiment.body);
    if (side < pair) {
      result.spots.views[side] = std::move(spots.video);
      result.marker[side] = std::move(spots.marker);
    } else {
      result.spots.others[side - pair] = std::move(spots.video);
    }
    if (tracks.outside > 0) {
      result.spots.warnings.push_back(
          fmt::format("{}: {} sightings outside of the picture left out",
                      source.files.front().filename().string(), tracks.outside));
    }
  }
  result.named = names[0].any;
  if (pair == 2) AlignTracks(experiment, trial, PairOf(views), &result.spots);
  return result;
}

}  // namespace percuss::tracking
