// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/align_videos.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/numbers.h"
#include "tracking/synchronisation/lag_search.h"
#include "tracking/synchronisation/moving_spots.h"
#include "tracking/synchronisation/stereo_clock.h"

namespace percuss::tracking {
namespace {

constexpr double kSoundSigmas = 4.0;

/// Offset by whole frames: from a right frame to the left one that is nearest to it at `offset`,
/// both in the middle of what the videos share.
void TakeWholeFrames(const std::vector<double>& left, const std::vector<double>& right,
                     double offset, capture::Alignment* alignment) {
  const double middle = 0.5 * (std::max(left.front(), right.front() + offset) +
                               std::min(left.back(), right.back() + offset));
  const std::size_t right_frame = capture::NearestTime(right, middle - offset);
  const std::size_t left_frame = capture::NearestTime(left, right[right_frame] + offset);
  alignment->lag_frames = static_cast<int>(left_frame) - static_cast<int>(right_frame);
  alignment->time_offset = left[left_frame] - right[right_frame];
  alignment->offset_time = left[left_frame];
}

/// The candidate that is nearest to an offset.
const LagCandidate& CandidateAt(const LagEstimate& motion, double offset) {
  return *std::ranges::min_element(motion.candidates, {}, [offset](const LagCandidate& candidate) {
    return std::abs(candidate.offset - offset);
  });
}

std::string PlusFrames(int lag) {
  return fmt::format("k {} {}", lag < 0 ? '-' : '+', std::abs(lag));
}

std::string PartnersText(const LagCandidate& candidate) {
  return fmt::format("{:.0f} %", 100.0 * candidate.share);
}

/// The flash says `alignment`, the motion what it has found: which counts.
void WeighWitnesses(const LagEstimate& motion, double interval, double stated,
                    const std::vector<double>& left_times, const std::vector<double>& right_times,
                    VideoAlignment* result) {
  constexpr double kAgreeFrames = 1.0;
  capture::Alignment& alignment = result->alignment;
  const LagCandidate& best = motion.candidates.front();
  const double flash_offset = alignment.time_offset + stated;
  if (std::abs(best.offset - flash_offset) <= kAgreeFrames * interval) {
    alignment.rests_on.push_back(capture::Witness::kMotion);
    return;
  }
  TakeWholeFrames(left_times, right_times, best.offset - stated, &alignment);
  alignment.rests_on = {capture::Witness::kMotion};
  result->warnings.push_back(fmt::format(
      "the flash says that right frame k belongs to left frame {}, the motion of the markers "
      "{}: the motion counts, in which {} of {} moving spots lie on the lines of the other "
      "view ({} at the flash's lag); did both cameras see the same flash?",
      PlusFrames(alignment.flash_lag_frames), PlusFrames(alignment.lag_frames), PartnersText(best),
      motion.spots, PartnersText(CandidateAt(motion, flash_offset))));
}

/// What the sound says of an offset by motion and flash [s]: another witness, or one that
/// disagrees.
void HearSound(double offset, VideoAlignment* result) {
  capture::Alignment& alignment = result->alignment;
  if (!alignment.sound.found) return;
  if (std::abs(offset - alignment.sound.offset) <= kSoundSigmas * alignment.sound.sigma) {
    alignment.rests_on.push_back(capture::Witness::kSound);
    return;
  }
  const char* const believed =
      alignment.rests_on.back() == capture::Witness::kMotion ? "motion of the markers" : "flash";
  result->warnings.push_back(fmt::format(
      "the sound says that the right video began {} s after the left one, the {} "
      "{:.3f} s: the {} counts; did both phones hear the same impact?",
      FormatWithSigma(alignment.sound.offset, alignment.sound.sigma), believed, offset, believed));
}

/// Parts of a frame beside the whole ones.
void TakePartsOfFrames(const capture::Synchronisation& known, const Views& views,
                       const std::array<VideoSpots, 2>& spots, double interval,
                       capture::Alignment* alignment) {
  if (known.genlocked) return;
  if (known.offset) {
    alignment->sub_frame_offset = *known.offset;
  } else {
    // Below this the spots move by less than labels care for, and the fit of the arcs decides.
    constexpr double kNegligibleFrames = 0.02;
    const ClockEstimate clock = EstimateClock(views, spots, alignment->time_offset);
    if (clock.found && std::abs(clock.offset) > kNegligibleFrames * interval)
      alignment->sub_frame_offset = clock.offset;
  }
  alignment->time_offset += alignment->sub_frame_offset;
}

}  // namespace

VideoAlignment AlignVideos(const capture::Synchronisation& known,
                           const capture::PerCamera<double>& line_time, const Views& views,
                           const std::array<VideoSpots, 2>& spots) {
  VideoAlignment result;
  capture::Alignment& alignment = result.alignment;
  const std::vector<double> left_times = TimesOf(spots[0]), right_times = TimesOf(spots[1]);
  alignment.reason = capture::CompareClocks(left_times, right_times);
  if (!alignment.reason.empty()) return result;

  alignment = capture::AlignByFlash(spots[0].mean_grey, spots[1].mean_grey, left_times, right_times,
                                    known.genlocked);
  const double stated = known.offset.value_or(0.0);
  LagSearchOptions search{.line_time = line_time};
  if (alignment.found) search.offsets.push_back(alignment.time_offset + stated);
  // Impacts are near the origin of W: what that is wrong by, 1 ms for 0.3 m, is little in 20 ms.
  alignment.sound = capture::FindSoundLag(
      {spots[0].sound, spots[1].sound},
      {views[0].camera_from_world.t.norm(), views[1].camera_from_world.t.norm()});
  LagEstimate motion = FindLag(views, spots, search);
  if (!motion.found && alignment.sound.found) {
    const double reach = kSoundSigmas * alignment.sound.sigma;
    search.within = {alignment.sound.offset - reach, alignment.sound.offset + reach};
    if (LagEstimate narrowed = FindLag(views, spots, search); narrowed.found)
      motion = std::move(narrowed);
  }
  const double interval = left_times.size() > 1 ? MeanInterval(spots[0].frames) : 0.0;
  if (alignment.found && motion.found) {
    WeighWitnesses(motion, interval, stated, left_times, right_times, &result);
  } else if (motion.found) {
    alignment.found = true;
    alignment.reason.clear();
    alignment.rests_on = {capture::Witness::kMotion};
    TakeWholeFrames(left_times, right_times, motion.candidates.front().offset - stated, &alignment);
  } else if (!alignment.found) {
    alignment.reason += fmt::format(
        "; nor does the motion of the markers tell which frames of the two videos belong together: "
        "{}",
        motion.reason);
    if (alignment.sound.found) {
      alignment.reason += fmt::format("; the sound tells to {:.0f} ms, which is no frame",
                                      1e3 * alignment.sound.sigma);
    }
    return result;
  }
  HearSound(alignment.time_offset, &result);
  TakePartsOfFrames(known, views, spots, interval, &alignment);
  return result;
}

}  // namespace percuss::tracking
