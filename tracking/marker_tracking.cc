// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/marker_tracking.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <opencv2/core.hpp>

#include "capture/error.h"
#include "capture/tone.h"
#include "capture/video.h"

namespace percuss::tracking {
namespace {

/// The spots of one instant, and which track each belongs to.
struct StereoSpots {
  std::array<std::vector<Blob>, 2> blobs;
  std::array<std::vector<int>, 2> tracks;
};

using Labels = std::array<std::vector<int>, 2>;

/// Which marker a track was last seen to be; per side.
using MarkerOfTrack = std::array<std::map<int, int>, 2>;

/// Pose of the next frame if the body went on as in the last two.
BodyPose Extrapolate(const TrackedFrame& before, const TrackedFrame& last, double time) {
  const double step = last.time - before.time;
  const double ratio = step != 0.0 ? (time - last.time) / step : 0.0;
  const Eigen::AngleAxisd turn(last.pose.pose.q_WB * before.pose.pose.q_WB.conjugate());
  BodyPose pose;
  pose.p_WB = last.pose.pose.p_WB + ratio * (last.pose.pose.p_WB - before.pose.pose.p_WB);
  pose.q_WB = Eigen::Quaterniond(Eigen::AngleAxisd(ratio * turn.angle(), turn.axis())) *
              last.pose.pose.q_WB;
  return pose;
}

/// Labels that the tracks carry into this frame; a marker claimed twice on one side keeps neither
/// claim.
Labels CarriedLabels(const StereoSpots& spots, const MarkerOfTrack& marker_of_track) {
  Labels labels;
  for (std::size_t side = 0; side < 2; ++side) {
    labels[side].assign(spots.blobs[side].size(), -1);
    std::map<int, int> claims;
    for (std::size_t j = 0; j < labels[side].size(); ++j) {
      const auto known = marker_of_track[side].find(spots.tracks[side][j]);
      if (known == marker_of_track[side].end()) continue;
      labels[side][j] = known->second;
      ++claims[known->second];
    }
    for (int& label : labels[side]) {
      if (label >= 0 && claims[label] > 1) label = -1;
    }
  }
  return labels;
}

int NumLabels(const Labels& labels) {
  int count = 0;
  for (const auto& side : labels)
    count +=
        static_cast<int>(std::count_if(side.begin(), side.end(), [](int m) { return m >= 0; }));
  return count;
}

int NumMarkers(std::span<const MarkerObservation> observations) {
  std::map<int, int> seen;
  for (const auto& observation : observations) ++seen[observation.marker];
  return static_cast<int>(seen.size());
}

/// Labels and pose of one frame from a first guess of the pose: labels by projection, pose from
/// labels, twice.
bool LabelFrame(const StereoViews& views, const MarkerLayout& layout, const StereoSpots& spots,
                const BodyPose& guess, double first_gate_px, const TrackingOptions& options,
                TrackedFrame* frame, Labels* labels) {
  BodyPose pose = guess;
  double gate = first_gate_px;
  for (int round = 0; round < 3; ++round) {
    *labels = LabelByPose(views, layout, spots.blobs, pose, gate, 0.05);
    frame->observations = ObservationsOf(views, layout, spots.blobs, *labels, pose);
    if (NumMarkers(frame->observations) < options.search.min_markers) return false;
    frame->pose = EstimatePose(views, layout, frame->observations, pose, 0.3);
    if (!frame->pose.found) return false;
    pose = frame->pose.pose;
    gate = options.reject_px;
  }
  return frame->pose.rms_px < options.reject_px;
}

/// Markers that ought to be seen at a pose, both views together: facing well, inside the image.
int NumVisible(const StereoViews& views, const MarkerLayout& layout, const BodyPose& pose,
               double min_facing) {
  int count = 0;
  for (const View& view : views) {
    for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
      if (MarkerFacing(layout, static_cast<int>(m), pose, view) < min_facing) continue;
      const auto projected = ProjectPoint(view, pose.q_WB * layout.p_BM[m] + pose.p_WB);
      if (projected && projected->pixel.x() > 0 && projected->pixel.y() > 0 &&
          projected->pixel.x() < view.camera.width - 1 &&
          projected->pixel.y() < view.camera.height - 1) {
        ++count;
      }
    }
  }
  return count;
}

}  // namespace

double ExpectedMarkerDiameter(const StereoViews& views, double marker_diameter) {
  double diameter = 0.0;
  for (const View& view : views) {
    diameter += 0.5 * view.camera.intrinsics[0] * marker_diameter / view.camera_from_world.t.norm();
  }
  return diameter;
}

VideoSpots FindSpots(const std::filesystem::path& video, std::optional<double> frame_rate,
                     const capture::Tone& tone, const DetectionOptions& options,
                     const std::function<void(double)>& progress) {
  capture::VideoReader reader(video, frame_rate);
  const std::array<float, 256> light_of_grey = capture::LightOfGrey(tone);
  VideoSpots spots;
  while (const std::optional<capture::Frame> frame = reader.Next()) {
    spots.frames.push_back({frame->time, DetectBlobs(frame->luma, light_of_grey, options)});
    spots.mean_grey.push_back(cv::mean(frame->luma)[0]);
    if (progress && reader.FrameCount() > 0)
      progress(static_cast<double>(spots.frames.size()) / reader.FrameCount());
  }
  return spots;
}

std::vector<TrackedFrame> LabelSpots(const StereoViews& views, const MarkerLayout& layout,
                                     const std::array<VideoSpots, 2>& spots,
                                     const capture::Alignment& alignment,
                                     const TrackingOptions& options, std::string* reason) {
  const std::array<ImageTracks, 2> tracks = {LinkBlobs(spots[0].frames, options.linking),
                                             LinkBlobs(spots[1].frames, options.linking)};
  std::vector<TrackedFrame> frames;
  std::vector<StereoSpots> stereo;
  for (int left = 0; left < static_cast<int>(spots[0].frames.size()); ++left) {
    const int right = left - alignment.lag_frames;
    if (right < 0 || right >= static_cast<int>(spots[1].frames.size())) continue;
    const auto l = static_cast<std::size_t>(left), r = static_cast<std::size_t>(right);
    frames.push_back({left, right, spots[0].frames[l].time, {}, {}});
    stereo.push_back(
        {{spots[0].frames[l].blobs, spots[1].frames[r].blobs}, {tracks[0][l], tracks[1][r]}});
  }
  if (frames.empty()) {
    *reason =
        fmt::format("left and right videos do not overlap in time after alignment by {} frames",
                    alignment.lag_frames);
    return frames;
  }

  // Seed: the layout is searched in frames spread over the trial until it is found well.
  const int num_frames = static_cast<int>(frames.size());
  int seed = -1;
  int best_labels = 0;
  LabelledFrame seed_labels;
  std::string last_reason;
  for (int stride = std::max(1, num_frames / 2); seed < 0 && stride >= 1;
       stride = stride > 1 ? stride / 2 : 0) {
    for (int k = stride / 2; k < num_frames; k += stride) {
      LabelledFrame found =
          SearchLayout(views, layout, stereo[static_cast<std::size_t>(k)].blobs, options.search);
      if (!found.found) {
        last_reason = fmt::format("in left frame {}: {}",
                                  frames[static_cast<std::size_t>(k)].left_frame, found.reason);
        continue;
      }
      const int count = NumLabels(found.marker_of_blob);
      if (count > best_labels) {
        best_labels = count;
        seed = k;
        seed_labels = std::move(found);
      }
    }
    if (stride <= 1) break;
  }
  if (seed < 0) {
    *reason = fmt::format("the marker layout was found in none of {} frames; {}", num_frames,
                          last_reason);
    return frames;
  }

  // From the seed to both ends, frame by frame.
  for (const int direction : {+1, -1}) {
    MarkerOfTrack marker_of_track;
    std::vector<std::size_t> done;  // frames with a pose, in the order of this walk
    for (int k = seed; k >= 0 && k < num_frames; k += direction) {
      const auto index = static_cast<std::size_t>(k);
      TrackedFrame& frame = frames[index];
      Labels labels;
      bool found = false;
      if (k == seed) {
        found = LabelFrame(views, layout, stereo[index], seed_labels.pose.pose,
                           options.search.gate_px, options, &frame, &labels);
      } else {
        // First choice: labels carried by the tracks give the pose; the pose then labels everything
        // else.
        const BodyPose predicted = done.size() > 1 ? Extrapolate(frames[done[done.size() - 2]],
                                                                 frames[done.back()], frame.time)
                                   : !done.empty() ? frames[done.back()].pose.pose
                                                   : seed_labels.pose.pose;
        const std::vector<MarkerObservation> carried =
            ObservationsOf(views, layout, stereo[index].blobs,
                           CarriedLabels(stereo[index], marker_of_track), predicted);
        if (NumMarkers(carried) >= options.search.min_markers) {
          const PoseEstimate pose = EstimatePose(views, layout, carried, predicted, 0.3);
          if (pose.found) {
            found = LabelFrame(views, layout, stereo[index], pose.pose, options.search.gate_px,
                               options, &frame, &labels);
          }
        }
        const auto enough = [&] {
          return found && NumLabels(labels) >=
                              static_cast<int>(0.5 * NumVisible(views, layout, frame.pose.pose,
                                                                options.search.min_facing));
        };
        if (!enough()) {
          found = LabelFrame(views, layout, stereo[index], predicted, 3.0 * options.search.gate_px,
                             options, &frame, &labels);
        }
        if (!enough()) {
          // After an impact, or a long occlusion, neither tracks nor motion tell: look for the
          // layout afresh.
          const LabelledFrame fresh =
              SearchLayout(views, layout, stereo[index].blobs, options.search);
          if (fresh.found) {
            found = LabelFrame(views, layout, stereo[index], fresh.pose.pose,
                               options.search.gate_px, options, &frame, &labels);
          }
        }
      }
      if (!found) {
        frame.observations.clear();
        frame.pose = {};
        continue;
      }
      done.push_back(index);
      for (std::size_t side = 0; side < 2; ++side) {
        for (std::size_t j = 0; j < labels[side].size(); ++j) {
          const int track = stereo[index].tracks[side][j];
          if (labels[side][j] >= 0) {
            marker_of_track[side][track] = labels[side][j];
          } else {
            marker_of_track[side].erase(track);
          }
        }
      }
    }
  }
  return frames;
}

TrackedTrial TrackMarkers(const capture::Experiment& experiment, const capture::Trial& trial,
                          const calibration::RigCalibration& calibration,
                          const TrackingOptions& options) {
  const StereoViews views = ViewsOf(calibration);
  DetectionOptions detection = options.detection;
  detection.expected_diameter_px = ExpectedMarkerDiameter(views, experiment.body.marker_diameter);

  const std::array<std::filesystem::path, 2> videos = {trial.left, trial.right};
  for (std::size_t side = 0; side < 2; ++side) {
    const cv::Size size = capture::VideoReader(videos[side], experiment.frame_rate).FrameSize();
    if (size.width != views[side].camera.width || size.height != views[side].camera.height) {
      throw InputError(
          fmt::format("{}: frame size {} x {}, allowed {} x {} as in the calibration images",
                      videos[side].string(), size.width, size.height, views[side].camera.width,
                      views[side].camera.height));
    }
  }
  const auto find = [&](std::size_t side) {
    return FindSpots(videos[side], experiment.frame_rate, experiment.tone, detection,
                     [&, side](double fraction) {
                       if (options.progress && side == 0)
                         options.progress("detecting markers", fraction);
                     });
  };
  std::future<VideoSpots> right = std::async(std::launch::async, find, 1);
  std::array<VideoSpots, 2> spots;
  spots[0] = find(0);
  spots[1] = right.get();

  TrackedTrial tracked;
  const auto times = [](const VideoSpots& video) {
    std::vector<double> all;
    for (const FrameBlobs& frame : video.frames) all.push_back(frame.time);
    return all;
  };
  tracked.alignment = capture::AlignByFlash(spots[0].mean_grey, spots[1].mean_grey, times(spots[0]),
                                            times(spots[1]));
  if (!tracked.alignment.found) {
    throw DataError(fmt::format("trial {} ({}, {}): {}", trial.name, trial.left.string(),
                                trial.right.string(), tracked.alignment.reason));
  }
  for (std::size_t side = 0; side < 2; ++side)
    tracked.num_frames[side] = static_cast<int>(spots[side].frames.size());

  std::string reason;
  tracked.frames =
      LabelSpots(views, LayoutOf(experiment.body), spots, tracked.alignment, options, &reason);
  if (!reason.empty()) throw DataError(fmt::format("trial {}: {}", trial.name, reason));
  return tracked;
}

}  // namespace percuss::tracking
