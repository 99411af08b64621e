// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/marker_tracking.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <iterator>
#include <limits>
#include <opencv2/core.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "capture/video/video.h"
#include "tracking/labels/marker_filter.h"
#include "tracking/labels/stereo_points.h"
#include "tracking/pose/marker_places.h"
#include "tracking/synchronisation/align_videos.h"
#include "tracking/synchronisation/moving_spots.h"
#include "tracking/tags/tag_detection.h"

namespace percuss::tracking {
namespace {

bool Repeats(const VideoSpots& video, std::size_t frame) {
  return std::ranges::find(video.timing.repeated, static_cast<int>(frame)) !=
         video.timing.repeated.end();
}

}  // namespace

std::vector<TrackedFrame> FramesOf(const std::array<VideoSpots, 2>& spots,
                                   const capture::Alignment& alignment) {
  std::vector<TrackedFrame> frames;
  const std::vector<double> left_times = TimesOf(spots[0]);
  if (spots[1].frames.empty()) {  // one camera
    for (std::size_t k = 0; k < left_times.size(); ++k) {
      TrackedFrame frame;
      frame.left_frame = static_cast<int>(k);
      frame.has_picture = {!Repeats(spots[0], k), false};
      frame.time = left_times[k];
      frames.push_back(std::move(frame));
    }
    return frames;
  }
  const std::vector<double> right_times = TimesOf(spots[1]);
  std::array<std::size_t, 2> last{};
  for (const capture::FramePair& pair :
       capture::PairFrames(left_times, right_times, alignment.time_offset)) {
    TrackedFrame frame;
    const std::array<std::optional<int>, 2> number = {pair.left, pair.right};
    for (std::size_t side = 0; side < 2; ++side) {
      if (number[side]) last[side] = static_cast<std::size_t>(*number[side]);
      frame.has_picture[side] = number[side] && !Repeats(spots[side], last[side]);
    }
    frame.left_frame = static_cast<int>(last[0]);
    frame.right_frame = static_cast<int>(last[1]);
    frame.time = pair.left ? left_times[last[0]] : right_times[last[1]] + alignment.time_offset;
    frames.push_back(std::move(frame));
  }
  // Before the second camera began and after the first one ended there is nothing to see twice.
  const auto both = [](const TrackedFrame& f) { return f.has_picture[0] && f.has_picture[1]; };
  const auto begin = std::ranges::find_if(frames, both);
  const auto end = std::find_if(frames.rbegin(), frames.rend(), both).base();
  return begin < end ? std::vector<TrackedFrame>(begin, end) : std::vector<TrackedFrame>{};
}

namespace {

/// What the labelling is given of each frame. A picture that says nothing new has no spots here.
std::vector<StereoSpots> StereoSpotsOf(const std::array<VideoSpots, 2>& spots,
                                       const std::vector<TrackedFrame>& frames,
                                       const capture::Alignment& alignment,
                                       const capture::PerCamera<double>& line_time) {
  std::vector<StereoSpots> instants;
  for (const TrackedFrame& frame : frames) {
    StereoSpots instant;
    instant.time = frame.time;
    for (std::size_t side = 0; side < 2; ++side) {
      if (!frame.has_picture[side]) continue;
      const FrameBlobs& seen = spots[side].frames[side == 0 ? frame.left_frame : frame.right_frame];
      instant.blobs[side] = seen.blobs;
      instant.exposure[side].line_time = line_time[side];
      // Times of cameras that expose together differ by the rounding of their files alone.
      if (side == 1 && alignment.sub_frame_offset != 0.0)
        instant.exposure[side].after = seen.time + alignment.time_offset - frame.time;
    }
    instants.push_back(std::move(instant));
  }
  return instants;
}

/// Fills StereoSpots::travel.
void FindTravel(const Views& views, std::vector<StereoSpots>* instants) {
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<FrameBlobs> frames;
    std::vector<StereoSpots*> owners;
    for (StereoSpots& instant : *instants) {
      if (instant.blobs[side].empty() || instant.exposure[side].AtInstant()) continue;
      frames.push_back({instant.time + instant.exposure[side].after, instant.blobs[side]});
      owners.push_back(&instant);
    }
    const auto motions = MotionOfSpots(frames);
    for (std::size_t k = 0; k < owners.size(); ++k) {
      for (std::size_t j = 0; j < motions[k].size(); ++j) {
        const Exposure& exposure = owners[k]->exposure[side];
        const double delay = exposure.Delay(frames[k].blobs[j].centre.y(), views[side]);
        constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
        owners[k]->travel[side].push_back(motions[k][j]
                                              ? Eigen::Vector2d(-motions[k][j]->After(-delay))
                                              : Eigen::Vector2d(kUnknown, kUnknown));
      }
    }
  }
}

/// What LabelBody is given, in the frames that it fills.
std::vector<StereoSpots> MovingSpots(const Views& views, const std::array<VideoSpots, 2>& spots,
                                     const capture::Alignment& alignment,
                                     const TrackingOptions& options, TrackedTrial* tracked) {
  tracked->alignment = alignment;
  for (std::size_t side = 0; side < 2; ++side)
    tracked->num_frames[side] = static_cast<int>(spots[side].frames.size());
  tracked->frames = FramesOf(spots, alignment);
  if (options.line_time) tracked->line_time = *options.line_time;
  std::vector<StereoSpots> instants =
      StereoSpotsOf(spots, tracked->frames, alignment, tracked->line_time);
  tracked->static_spots = RemoveStaticSpots(&instants, options.static_spots);
  FindTravel(views, &instants);
  return instants;
}

}  // namespace

int FrameOf(const TrackedTrial& tracked, std::size_t frame, std::size_t side) {
  if (side > 1)
    return side - 2 < tracked.further.size() ? tracked.further[side - 2].frames.at(frame) : -1;
  const TrackedFrame& of = tracked.frames[frame];
  if (!of.has_picture[side]) return -1;
  return side == 0 ? of.left_frame : of.right_frame;
}

double ExposureTime(const TrackedFrame& frame, int side, double clock) {
  double sum = 0.0;
  int count = 0;
  for (const MarkerObservation& seen : frame.observations) {
    if (seen.side != side || !std::isfinite(seen.time)) continue;
    sum += seen.time;
    ++count;
  }
  return (count > 0 ? sum / count : frame.time) + clock;
}

double ExpectedMarkerDiameter(const Views& views, double marker_diameter) {
  double diameter = 0.0;
  for (const View& view : views) {
    diameter += view.camera.intrinsics[0] * marker_diameter / view.camera_from_world.t.norm();
  }
  return diameter / static_cast<double>(views.size());
}

double TypedPlaceSigma(const Views& views, const capture::MarkedBody& body) {
  return body.marker_covariance.size() > 0 ? 0.0 : ExpectedMarkerDiameter(views, body.sigma.marker);
}

TrackedTrial LabelSpots(const TrackedBody& body, const std::array<VideoSpots, 2>& spots,
                        const capture::Alignment& alignment, const TrackingOptions& options,
                        std::string* reason) {
  TrackedTrial tracked;
  std::vector<StereoSpots> instants = MovingSpots(body.views, spots, alignment, options, &tracked);
  if (tracked.frames.empty()) {
    *reason =
        fmt::format("left and right videos do not overlap in time after alignment by {} frames",
                    alignment.lag_frames);
    return tracked;
  }
  BodyLabels labels = LabelBody(body, instants, options.labels);
  *reason = labels.reason;
  if (!reason->empty() && tracked.static_spots > 0) {
    *reason +=
        fmt::format("; {} spots that stand still all the time were left out", tracked.static_spots);
  }
  if (!reason->empty() && body.views.size() == 2) {
    const std::string seen =
        DescribeRigidGroup(LargestRigidGroup(FollowMarkers(
                               body.views, instants, body.layout.marker_diameter, body.gravity)),
                           body.layout);
    if (!seen.empty()) *reason += "; " + seen;
  }
  int last_found = -1;
  for (std::size_t k = 0; k < tracked.frames.size(); ++k) {
    tracked.frames[k].observations = std::move(labels.instants[k].observations);
    tracked.frames[k].pose = std::move(labels.instants[k].pose);
    tracked.frames[k].unlabelled = std::move(labels.instants[k].unlabelled);
    if (!body.layout.Banded() || !tracked.frames[k].pose.found) continue;
    if (last_found >= 0)
      HoldUnseenTurn(tracked.frames[last_found].pose.pose, &tracked.frames[k].pose.pose);
    last_found = static_cast<int>(k);
  }
  tracked.filter = std::move(labels.filter);
  return tracked;
}

namespace {

/// Of a body with tags: dots are looked for where it, or the scene, has any.
void LookForDots(const capture::Experiment& experiment, const Views& views,
                 DetectionOptions* detection) {
  detection->dots = experiment.body.NumDots() > 0 || !experiment.reference_points.empty();
  if (experiment.body.NumDots() > 0 || !detection->dots) return;
  detection->expected_diameter_px =
      ExpectedMarkerDiameter(views, experiment.reference_points.front().diameter);
}

}  // namespace

TrialSpots FindTrialSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Views& views, const TrackingOptions& options) {
  DetectionOptions detection = options.detection;
  const Views pair = PairOf(views);
  if (experiment.body.marker_diameter > 0.0) {
    detection.expected_diameter_px = ExpectedMarkerDiameter(pair, experiment.body.marker_diameter);
  }
  detection.bands = experiment.body.HasBands();
  std::optional<TagPrints> tags;
  if (!experiment.body.coded.tags.empty()) {
    tags.emplace(experiment.body.coded);
    detection.find_tags = [&](const cv::Mat& luma, const ToneTables& tone) {
      return tags->FindIn(luma, tone);
    };
    LookForDots(experiment, pair, &detection);
  }
  const auto find = [&](std::size_t side) {
    DetectionOptions in_view = detection;
    if (side > 1 && experiment.body.marker_diameter > 0.0) {
      in_view.expected_diameter_px =
          ExpectedMarkerDiameter({views[side]}, experiment.body.marker_diameter);
    }
    return FindSpots(
        trial.Video(side), experiment.clock, experiment.tone, in_view,
        [&, side](double fraction) {
          if (options.progress && side == 0) options.progress("detecting markers", fraction);
        },
        cv::Size(views[side].camera.width, views[side].camera.height));
  };
  TrialSpots found;
  found.polarity = detection.polarity;
  if (views.size() > 1) {
    // Deferred work is done where it is asked for, by this thread.
    std::future<VideoSpots> right =
        std::async(options.num_threads > 1 ? std::launch::async : std::launch::deferred, find, 1);
    found.views[0] = find(0);
    found.views[1] = right.get();
  } else {
    found.views[0] = find(0);
  }
  found.others.resize(views.size() - pair.size());
  ParallelFor(static_cast<int>(found.others.size()), std::min(2, options.num_threads), [&](int k) {
    const std::size_t side = pair.size() + static_cast<std::size_t>(k);
    if (!trial.Video(side).empty()) found.others[static_cast<std::size_t>(k)] = find(side);
  });
  for (std::size_t k = 0; k < found.others.size(); ++k) {
    if (!found.others[k].frames.empty())
      std::ranges::move(VideoWarnings(found.others[k], trial.Video(pair.size() + k)),
                        std::back_inserter(found.warnings));
  }
  for (std::size_t side = 0; side < pair.size(); ++side) {
    std::ranges::move(VideoWarnings(found.views[side], trial.Video(side)),
                      std::back_inserter(found.warnings));
    if (!HasSpots(found.views[side])) {
      if (!detection.dots) {
        found.warnings.back() = fmt::format(
            "{}: no tag of the body ({}) in any of {} frames", trial.Video(side).string(),
            experiment.body.coded.dictionary, found.views[side].frames.size());
      }
      found.reason = found.warnings.back();
      break;
    }
  }
  return found;
}

namespace {

double LeastDistance(const std::vector<capture::Marker>& markers) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < markers.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      least = std::min(least, (markers[i].p_BM - markers[k].p_BM).norm());
  }
  return least;
}

/// Gates for markers that miss their spots by what was typed of their places, up to half the way
/// between two of them.
LabelOptions OpenedGates(LabelOptions options, const Views& views,
                         const capture::MarkedBody& body) {
  const double sigma = TypedPlaceSigma(views, body);
  const double half_way = 0.5 * ExpectedMarkerDiameter(views, LeastDistance(body.markers));
  const double reject =
      std::max(options.reject_px, std::min(std::hypot(options.reject_px, 3.0 * sigma), half_way));
  const double factor = reject / options.reject_px;
  options.reject_px = reject;
  options.search.gate_px *= factor;
  options.max_blind_gate_px *= factor;
  return options;
}

/// The markers where the poses have them, about the same mean.
void CorrectPlaces(const Views& views, std::span<const TrackedFrame> frames, double sigma,
                   MarkerLayout* layout) {
  std::vector<PlaceSums> sums(layout->p_BM.size());
  AddPlaces(views, *layout, frames, &sums);
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (std::size_t m = 0; m < sums.size(); ++m) {
    Eigen::Vector3d step = sums[m].Step(sigma);
    if (layout->Banded()) step.head<2>().setZero();
    layout->p_BM[m] += step;
    mean += step / static_cast<double>(sums.size());
  }
  for (Eigen::Vector3d& p_BM : layout->p_BM) p_BM -= mean;
}

}  // namespace

void AddFurtherViews(const capture::Experiment& experiment, const capture::Trial& trial,
                     const TrackedBody& body, const TrialSpots& spots,
                     const TrackingOptions& options, TrackedTrial* tracked) {
  const capture::PerCamera<double> line_time = options.line_time.value_or(experiment.line_time);
  for (std::size_t k = 0; k < spots.others.size(); ++k) {
    const std::size_t side = 2 + k;
    const double half_way =
        0.5 * ExpectedMarkerDiameter({body.views[side]}, LeastDistance(experiment.body.markers));
    const FurtherViewOptions further{
        .line_time = line_time[side],
        .genlocked = experiment.synchronisation.genlocked,
        .gate_px = std::min(half_way, 2.0 * options.labels.search.gate_px),
        .min_facing = options.labels.min_facing,
        .static_spots = options.static_spots};
    FurtherView view;
    if (spots.others[k].frames.empty()) {
      view.reason = "it has no video of this trial";
    } else {
      view =
          AddFurtherView(body, static_cast<int>(side), spots.others[k], further, &tracked->frames);
      if (!view.reason.empty()) {
        tracked->warnings.push_back(
            fmt::format("{}: not used: {}", trial.Video(side).string(), view.reason));
      }
    }
    tracked->further.push_back(std::move(view));
  }
}

TrackedTrial LabelTrialSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                             const Views& all_views, const TrialSpots& spots,
                             const TrackingOptions& options, std::string* reason) {
  const Views views = PairOf(all_views);
  *reason = spots.reason;
  if (!reason->empty()) return {};
  const capture::PerCamera<double> line_time = options.line_time.value_or(experiment.line_time);
  VideoAlignment aligned;
  if (spots.alignment) {
    aligned.alignment = *spots.alignment;
  } else if (views.size() == 2) {
    aligned = AlignVideos(experiment.synchronisation, line_time, views, spots.views);
    if (!aligned.alignment.found) {
      *reason = fmt::format("({}, {}) {}", trial.left.string(), trial.right.string(),
                            aligned.alignment.reason);
      return {};
    }
  }
  TrackedBody body{views, LayoutOf(experiment.body, experiment.planar),
                   experiment.body.body.inertia, trial.gravity};
  TrackingOptions label_options = options;
  label_options.line_time = line_time;
  const bool typed = !experiment.planar && TypedPlaceSigma(views, experiment.body) > 0.0;
  if (typed) label_options.labels = OpenedGates(options.labels, views, experiment.body);
  TrackedTrial tracked = LabelSpots(body, spots.views, aligned.alignment, label_options, reason);
  if (typed && reason->empty()) {
    CorrectPlaces(views, tracked.frames, experiment.body.sigma.marker, &body.layout);
    label_options.labels = options.labels;
    tracked = LabelSpots(body, spots.views, aligned.alignment, label_options, reason);
  }
  tracked.timing = {spots.views[0].timing, spots.views[1].timing};
  tracked.warnings = spots.warnings;
  std::ranges::move(aligned.warnings, std::back_inserter(tracked.warnings));
  tracked.polarity = spots.polarity;
  if (reason->empty()) {
    body.views = all_views;
    AddFurtherViews(experiment, trial, body, spots, label_options, &tracked);
  }
  return tracked;
}

UnnamedTrial FollowTrialSpots(const capture::Experiment& experiment, const capture::Trial& trial,
                              const Views& all_views, const TrialSpots& spots,
                              const TrackingOptions& options) {
  const Views views = PairOf(all_views);
  UnnamedTrial unnamed;
  unnamed.reason = spots.reason;
  if (!unnamed.reason.empty()) return unnamed;
  TrackingOptions with_times = options;
  with_times.line_time = options.line_time.value_or(experiment.line_time);
  const capture::Alignment alignment =
      AlignVideos(experiment.synchronisation, *with_times.line_time, views, spots.views).alignment;
  unnamed.reason = alignment.reason;
  if (!unnamed.reason.empty()) return unnamed;
  unnamed.instants = MovingSpots(views, spots.views, alignment, with_times, &unnamed.tracked);
  unnamed.tracked.polarity = spots.polarity;
  unnamed.tracks =
      FollowMarkers(views, unnamed.instants, experiment.body.marker_diameter, trial.gravity);
  return unnamed;
}

MovingBody FindMovingBody(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Views& views, const TrialSpots& spots,
                          const TrackingOptions& options) {
  MovingBody body;
  if (views.size() < 2) return body;
  const UnnamedTrial unnamed = FollowTrialSpots(experiment, trial, views, spots, options);
  const double diameter = experiment.body.marker_diameter;
  body.group = LargestRigidGroup(unnamed.tracks);
  std::vector<double> ratios;
  for (const int track : body.group.tracks) {
    for (const MarkerSample& sample : unnamed.tracks.tracks[track].samples) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (sample.blob[side] < 0) continue;
        const Blob& blob = unnamed.instants[sample.instant].blobs[side][sample.blob[side]];
        if (blob.marker >= 0) continue;
        ratios.push_back(std::sqrt(blob.area / FaceOnArea(views[side], sample.p_W, diameter)));
      }
    }
  }
  if (ratios.empty()) return body;
  constexpr double kFaceOn = 0.9;
  const auto high = ratios.begin() +
                    static_cast<std::ptrdiff_t>(kFaceOn * static_cast<double>(ratios.size() - 1));
  std::ranges::nth_element(ratios, high);
  body.diameter_ratio = *high;
  return body;
}

namespace {

std::string_view PolarityName(Polarity polarity) {
  return polarity == Polarity::kBright ? "brighter" : "darker";
}

}  // namespace

TrackedTrial TrackMarkers(const capture::Experiment& experiment, const capture::Trial& trial,
                          const calibration::RigCalibration& calibration,
                          const TrackingOptions& options, TrialSpots* spots) {
  std::string reason, other_reason;
  const Views views = ViewsOf(calibration);
  const auto track = [&](const TrackingOptions& of_polarity, std::string* why) {
    TrialSpots found = FindTrialSpots(experiment, trial, views, of_polarity);
    TrackedTrial labelled = LabelTrialSpots(experiment, trial, views, found, of_polarity, why);
    const bool first = of_polarity.detection.polarity == options.detection.polarity;
    if (spots && (first || why->empty())) *spots = std::move(found);
    return labelled;
  };
  TrackedTrial tracked = track(options, &reason);
  if (reason.empty()) return tracked;
  if (experiment.body.NumDots() == 0 && !experiment.body.coded.tags.empty())
    throw DataError(fmt::format("trial {}: {}", trial.name, reason));
  TrackingOptions other = options;
  const Polarity first = options.detection.polarity;
  other.detection.polarity = first == Polarity::kBright ? Polarity::kDark : Polarity::kBright;
  tracked = track(other, &other_reason);
  if (!other_reason.empty()) {
    throw DataError(
        fmt::format("trial {}: {}; nor is there an answer with markers {} than their ground",
                    trial.name, reason, PolarityName(other.detection.polarity)));
  }
  tracked.warnings.push_back(
      fmt::format("the markers are {} than their ground", PolarityName(tracked.polarity)));
  return tracked;
}

}  // namespace percuss::tracking
