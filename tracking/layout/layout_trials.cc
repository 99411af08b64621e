// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/layout_trials.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>

#include "capture/video/video.h"
#include "tracking/flights/flight_segmentation.h"
#include "tracking/layout/silhouette.h"
#include "tracking/pose/marker_places.h"

namespace percuss::tracking {

void LabelWith(const capture::MarkedBody& body, const Views& views, LayoutTrial* trial) {
  const TrackedBody tracked{views, LayoutOf(body), body.body.inertia, trial->trial.gravity};
  BodyLabels labels = LabelBody(tracked, trial->unnamed.instants);
  trial->tracked = trial->unnamed.tracked;
  for (std::size_t k = 0; k < trial->tracked.frames.size(); ++k) {
    trial->tracked.frames[k].observations = std::move(labels.instants[k].observations);
    trial->tracked.frames[k].pose = std::move(labels.instants[k].pose);
  }
}

void RefinePlaces(const Views& views, std::span<const LayoutTrial> trials,
                  const capture::MarkedBody& body, std::vector<PlacedMarker>* markers) {
  const MarkerLayout layout = LayoutOf(body);
  std::vector<PlaceSums> sums(markers->size());
  for (const LayoutTrial& trial : trials) AddPlaces(views, layout, trial.tracked.frames, &sums);
  for (std::size_t m = 0; m < markers->size(); ++m) {
    PlacedMarker& marker = (*markers)[m];
    marker.sightings = sums[m].sightings;
    // One camera alone leaves its distance as it was.
    constexpr double kHeld = 0.01;  // [m]
    marker.p += sums[m].Step(kHeld);
    if (sums[m].towards.norm() > 0.0) marker.towards = sums[m].towards.normalized();
  }
}

namespace {

/// Places of frames in free flight that have a neighbour on both sides, away from the ends of the
/// flight.
std::vector<std::size_t> FlyingFrames(const capture::MarkedBody& body, const LayoutTrial& trial) {
  const std::vector<TrackedFrame>& frames = trial.tracked.frames;
  SegmentationOptions options;
  options.surface.placed = !trial.trial.surface;
  std::vector<FlightArc> arcs = FindFlightArcs(frames, trial.trial.gravity, options);
  AddClearFlights(frames, body.body.shape, trial.trial.gravity, options, &arcs);
  std::vector<std::size_t> flying;
  for (const FlightArc& arc : arcs) {
    for (int k = arc.first + 1; k < arc.last; ++k) {
      if (MotionAt(frames, static_cast<std::size_t>(k)))
        flying.push_back(static_cast<std::size_t>(k));
    }
  }
  return flying;
}

PicturePart CutOut(const cv::Mat& luma, const std::vector<OutlinePoint>& outline) {
  // Beyond the widest range in which an edge is looked for.
  constexpr int kMargin = 32;
  Eigen::Vector2d lowest = outline.front().pixel, highest = lowest;
  for (const OutlinePoint& point : outline) {
    lowest = lowest.cwiseMin(point.pixel);
    highest = highest.cwiseMax(point.pixel);
  }
  const cv::Rect wanted(static_cast<int>(lowest.x()) - kMargin,
                        static_cast<int>(lowest.y()) - kMargin,
                        static_cast<int>(highest.x() - lowest.x()) + 2 * kMargin,
                        static_cast<int>(highest.y() - lowest.y()) + 2 * kMargin);
  const cv::Rect inside = wanted & cv::Rect(0, 0, luma.cols, luma.rows);
  if (inside.empty()) return {};
  return {luma(inside).clone(), Eigen::Vector2d(inside.x, inside.y)};
}

}  // namespace

std::vector<BodyPicture> ReadBodyPictures(const capture::Experiment& experiment,
                                          const capture::MarkedBody& body, const Views& views,
                                          const LayoutTrial& trial, int trial_number, int count) {
  const std::vector<std::size_t> flying = FlyingFrames(body, trial);
  std::vector<BodyPicture> pictures;
  for (int side = 0; side < 2; ++side) {
    const auto s = static_cast<std::size_t>(side);
    std::map<int, std::size_t> chosen;  // frame of the video: place
    const auto num = static_cast<int>(flying.size());
    for (int i = 0; i < std::min(count, num); ++i) {
      const std::size_t k =
          flying[static_cast<std::size_t>((2 * i + 1) * num / (2 * std::min(count, num)))];
      const TrackedFrame& frame = trial.tracked.frames[k];
      if (frame.has_picture[s]) chosen[side == 0 ? frame.left_frame : frame.right_frame] = k;
    }
    if (chosen.empty()) continue;
    capture::VideoReader video(side == 0 ? trial.trial.left : trial.trial.right, experiment.clock);
    for (const auto& [number, k] : chosen) {
      std::optional<capture::Frame> read;
      do {
        read = video.Next();
      } while (read && read->index < number);
      if (!read) break;
      const Exposure& exposure = trial.unnamed.instants[k].exposure[s];
      const FrameMotion motion = *MotionAt(trial.tracked.frames, k);
      BodyPicture picture{
          .trial = trial_number, .side = side, .picture = {}, .pose = motion.After(exposure.after)};
      picture.v = motion.v + exposure.after * motion.acceleration;
      picture.w = motion.w;
      picture.line_time = exposure.line_time;
      constexpr double kCoarse = 10.0;  // [px]
      const auto outline = Outline(body.body.shape, picture.pose, views[s], kCoarse);
      if (outline.empty()) continue;
      picture.picture = CutOut(read->luma, outline);
      if (!picture.picture.luma.empty()) pictures.push_back(std::move(picture));
    }
  }
  return pictures;
}

}  // namespace percuss::tracking
