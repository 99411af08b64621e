// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/inspection/trial_inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/nan.h"

namespace percuss::tracking {
namespace {

constexpr const char *kStandsStill = "standing still", *kTooSmall = "too small",
                     *kTooFaint = "too faint";

InspectedSpot Rejected(const Eigen::Vector2d& pixel, std::string fault, const std::string& more) {
  const bool common = fault == kStandsStill || fault == kTooSmall || fault == kTooFaint;
  std::string reason = fault + more;
  return {pixel, {}, std::move(fault), std::move(reason), common};
}

InspectedSpot Inspected(const RejectedSpot& spot) {
  const auto limited = [&](const char* fault, const char* numbers) {
    return Rejected(spot.centre, fault, fmt::format(fmt::runtime(numbers), spot.value, spot.limit));
  };
  switch (spot.fault) {
    case SpotFault::kTooSmall:
      return limited(kTooSmall, ": {:.0f} px², at least {:.0f} needed");
    case SpotFault::kTooLarge:
      return limited("too large", ": {:.0f} px², at most {:.0f} allowed");
    case SpotFault::kNotRound:
      return limited("not round", ": {:.1f} times as long as wide, at most {:.1f} allowed");
    case SpotFault::kAtBorder:
      return limited("cut off", " by the border of the picture");
    case SpotFault::kUnsure:
      return limited("lost in noise", ": its place is known to {:.2f} px, {:.2f} px needed");
    case SpotFault::kFaint:
      return limited(kTooFaint, ": {:.0f} grey values from its ground, {:.0f} needed");
  }
  return Rejected(spot.centre, "no spot", "");
}

InspectedSpot Inspected(const UnlabelledSpot& spot, const capture::MarkedBody& body) {
  if (spot.marker < 0) return Rejected(spot.pixel, "off the body", ", which is not in the picture");
  const std::string marker = body.markers[spot.marker].name;
  const auto about = [&](const char* fault, const char* more) {
    return Rejected(spot.pixel, fault, fmt::format(fmt::runtime(more), marker, spot.distance_px));
  };
  switch (spot.reason) {
    case UnlabelledSpot::Reason::kFacesAway:
      return about("facing away",
                   ": {} would be here ({:.1f} px off), on the far side of the body");
    case UnlabelledSpot::Reason::kTaken:
      return about("beside a marker", ": another spot fits {} better than this one, {:.1f} px off");
    case UnlabelledSpot::Reason::kSize:
      return about("wrong size", " for {}, which would be here ({:.1f} px off)");
    case UnlabelledSpot::Reason::kAgainstMotion:
      return about("against the flight",
                   ": it fits the pose as {} ({:.1f} px off), not the motion");
    case UnlabelledSpot::Reason::kOff:
      break;
  }
  return about("off the body", ": {}, the nearest marker, should be {:.1f} px away");
}

/// One view of the frames: which of its frames they are, and which spots stand still.
struct Side {
  const VideoSpots& video;
  std::vector<std::optional<int>> frames;  ///< that are looked at, one for each instant
  StaticPlaces places;
};

Side MakeSide(const VideoSpots& video, std::vector<std::optional<int>> frames) {
  std::vector<std::vector<Eigen::Vector2d>> pixels;
  for (const std::optional<int>& frame : frames) {
    auto& here = pixels.emplace_back();
    if (!frame) continue;
    for (const Blob& blob : video.frames[*frame].blobs) here.push_back(blob.centre);
  }
  return {video, std::move(frames), FindStaticPlaces(pixels)};
}

void AddRejected(const VideoSpots& video, int frame, std::vector<InspectedSpot>* spots) {
  if (video.rejected.empty()) return;
  for (const RejectedSpot& spot : video.rejected[frame]) spots->push_back(Inspected(spot));
}

/// All that was looked at in a view of one instant.
/// @param labels of the instant; none where nothing has labels
std::vector<InspectedSpot> SpotsOf(const Side& side, int view, std::size_t instant,
                                   const TrackedFrame* labels, const capture::MarkedBody& body) {
  std::vector<InspectedSpot> spots;
  if (!side.frames[instant]) return spots;
  const int frame = *side.frames[instant];
  const std::vector<Blob>& blobs = side.video.frames[frame].blobs;
  for (std::size_t j = 0; j < blobs.size(); ++j) {
    const auto is_this = [&](const auto& one) {
      return one.side == view && one.pixel == blobs[j].centre;
    };
    if (side.places.place[instant][j] >= 0) {
      spots.push_back(Rejected(blobs[j].centre, kStandsStill, " all the time: part of the scene"));
      continue;
    }
    if (labels) {
      const auto seen = std::ranges::find_if(labels->observations, is_this);
      if (seen != labels->observations.end()) {
        spots.push_back({blobs[j].centre, body.markers[seen->marker].name, {}, {}});
        continue;
      }
      const auto unlabelled = std::ranges::find_if(labels->unlabelled, is_this);
      if (unlabelled != labels->unlabelled.end()) {
        spots.push_back(Inspected(*unlabelled, body));
        continue;
      }
    }
    spots.push_back(Rejected(blobs[j].centre, "no body", ": it was not found in this frame"));
  }
  AddRejected(side.video, frame, &spots);
  return spots;
}

bool IsIn(const std::vector<int>& list, std::size_t k) {
  return std::ranges::find(list, static_cast<int>(k)) != list.end();
}

/// The frames that the labels are about.
std::vector<InspectedFrame> LabelledFrames(const capture::MarkedBody& body, const TrialSpots& spots,
                                           const TrackedTrial& tracked) {
  std::vector<InspectedFrame> frames(tracked.frames.size());
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const TrackedFrame& labels = tracked.frames[k];
    frames[k].time = labels.time;
    frames[k].rms_px = labels.pose.found ? labels.pose.rms_px : kNaN;
    frames[k].in_flight = std::ranges::any_of(tracked.filter.flights, [&](const auto& flight) {
      return flight.first <= static_cast<int>(k) && static_cast<int>(k) <= flight.second;
    });
    frames[k].changed = IsIn(tracked.filter.changes, k);
    frames[k].searched = IsIn(tracked.filter.searches, k);
  }
  const int num_views = spots.views[1].frames.empty() ? 1 : 2;
  for (int v = 0; v < num_views; ++v) {
    const VideoSpots& video = spots.views[v];
    const auto number = [&](std::size_t k) {
      return v == 0 ? tracked.frames[k].left_frame : tracked.frames[k].right_frame;
    };
    std::vector<std::optional<int>> looked_at;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const bool is_new = k == 0 || number(k) != number(k - 1);
      InspectedView& view = frames[k].views[v];
      if (tracked.frames[k].has_picture[v] || is_new) view.frame = number(k);
      view.repeats = view.frame && !tracked.frames[k].has_picture[v];
      looked_at.push_back(tracked.frames[k].has_picture[v] ? view.frame : std::nullopt);
    }
    const Side side = MakeSide(video, std::move(looked_at));
    for (std::size_t k = 0; k < frames.size(); ++k)
      frames[k].views[v].spots = SpotsOf(side, v, k, &tracked.frames[k], body);
  }
  return frames;
}

/// Frames of one video before and after all those that have one in the other.
void AddLoneFrames(const TrialSpots& spots, const TrackedTrial& tracked,
                   std::vector<InspectedFrame>* frames) {
  if (spots.views[1].frames.empty()) return;
  const std::array<int, 2> first = {tracked.frames.front().left_frame,
                                    tracked.frames.front().right_frame};
  const std::array<int, 2> last = {tracked.frames.back().left_frame,
                                   tracked.frames.back().right_frame};
  for (std::size_t v = 0; v < 2; ++v) {
    const VideoSpots& video = spots.views[v];
    for (int n = 0; n < static_cast<int>(video.frames.size()); ++n) {
      if (first[v] <= n && n <= last[v]) continue;
      InspectedFrame& frame = frames->emplace_back();
      frame.time = video.frames[n].time + (v == 1 ? tracked.alignment.time_offset : 0.0);
      frame.rms_px = kNaN;
      frame.views[v].frame = n;
      for (const Blob& blob : video.frames[n].blobs) {
        frame.views[v].spots.push_back(
            Rejected(blob.centre, "one camera only", ": the other has no frame of this time"));
      }
      AddRejected(video, n, &frame.views[v].spots);
    }
  }
  std::ranges::stable_sort(*frames, {}, &InspectedFrame::time);
}

/// Where it is not known which frames belong together.
std::vector<InspectedFrame> UnlabelledFrames(const capture::MarkedBody& body,
                                             const TrialSpots& spots) {
  std::vector<InspectedFrame> frames(
      std::max(spots.views[0].frames.size(), spots.views[1].frames.size()));
  for (int v = 0; v < 2; ++v) {
    const VideoSpots& video = spots.views[v];
    std::vector<std::optional<int>> numbers;
    for (std::size_t k = 0; k < video.frames.size(); ++k) numbers.push_back(static_cast<int>(k));
    const Side side = MakeSide(video, std::move(numbers));
    for (std::size_t k = 0; k < video.frames.size(); ++k) {
      frames[k].time = video.frames[k].time;
      frames[k].rms_px = kNaN;
      frames[k].views[v].frame = static_cast<int>(k);
      frames[k].views[v].spots = SpotsOf(side, v, k, nullptr, body);
    }
  }
  return frames;
}

}  // namespace

std::vector<InspectedFrame> InspectTrial(const capture::MarkedBody& body, const TrialSpots& spots,
                                         const TrackedTrial& tracked, int every) {
  if (every < 1)
    throw std::invalid_argument(fmt::format("InspectTrial: every: found {}, allowed > 0", every));
  std::vector<InspectedFrame> frames;
  if (tracked.frames.empty()) {
    frames = UnlabelledFrames(body, spots);
  } else {
    frames = LabelledFrames(body, spots, tracked);
    AddLoneFrames(spots, tracked, &frames);
  }
  for (InspectedFrame& frame : frames) {
    const auto& [left, right] = frame.views;
    const std::optional<int>& number = left.frame ? left.frame : right.frame;
    frame.pictured = number && *number % every == 0;
  }
  return frames;
}

}  // namespace percuss::tracking
