// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/synchronisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "capture/video/frame_timing.h"

namespace percuss::capture {
namespace {

// A flash stands out of the running median by all three of these.
constexpr double kMinSigmas = 8.0;
constexpr double kMinShare = 0.02;  // of the running median
constexpr double kMinGrey = 0.1;    // grey values; keeps a black video from having flashes
// A frame belongs to the flash if it has this share of the extra brightness of the brightest frame.
constexpr double kLitShare = 0.1;
// A second run of bright frames is a second flash if it has this share of the brighter one.
constexpr double kRivalShare = 1.0 / 3.0;
constexpr int kMinFrames = 5;
constexpr double kMinSigmaGrey = 1e-3;  // of a noise-free video
// Genlocked cameras see the flash a whole number of frames apart.
constexpr double kMaxFractionOfFrame = 0.25;

// Of an even number of values the mean of the two in the middle.
double MeanOfMiddle(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

std::vector<double> RunningMedian(std::span<const double> values, int half_width) {
  const int count = static_cast<int>(values.size());
  std::vector<double> medians(values.size());
  for (int k = 0; k < count; ++k) {
    const int first = std::max(0, k - half_width);
    const int last = std::min(count - 1, k + half_width);
    medians[k] = MeanOfMiddle({values.begin() + first, values.begin() + last + 1});
  }
  return medians;
}

// How much brighter each frame is than its neighbours.
struct Brightness {
  std::vector<double> level, extra;  // running median, and what is beyond it
  double sigma = 0.0;                // robust, of `extra`

  bool StandsOut(int k) const {
    return extra[k] > kMinSigmas * sigma && extra[k] > kMinShare * level[k] && extra[k] > kMinGrey;
  }
};

Brightness CompareWithNeighbours(std::span<const double> mean_grey, int half_width) {
  Brightness brightness{.level = RunningMedian(mean_grey, half_width), .extra = {}};
  std::vector<double> deviations;
  for (std::size_t k = 0; k < mean_grey.size(); ++k) {
    brightness.extra.push_back(mean_grey[k] - brightness.level[k]);
    deviations.push_back(std::abs(brightness.extra[k]));
  }
  // 1.4826 makes the median of absolute deviations the standard deviation of Gaussian noise.
  brightness.sigma = std::max(kMinSigmaGrey, 1.4826 * MeanOfMiddle(std::move(deviations)));
  return brightness;
}

struct Run {
  int first = 0;
  int last = 0;
  double peak = 0.0;
};

// Successive bright frames, but for those much weaker than the brightest.
std::vector<Run> BrightRuns(const Brightness& brightness, double most) {
  std::vector<Run> runs;
  for (int k = 0; k < static_cast<int>(brightness.extra.size()); ++k) {
    const double extra = brightness.extra[k];
    if (!brightness.StandsOut(k) || extra < kLitShare * most) continue;
    if (runs.empty() || runs.back().last != k - 1) runs.push_back({.first = k});
    runs.back().last = k;
    runs.back().peak = std::max(runs.back().peak, extra);
  }
  std::erase_if(runs, [&](const Run& run) { return run.peak < kRivalShare * most; });
  return runs;
}

double MedianInterval(std::span<const double> times) {
  std::vector<double> intervals;
  for (std::size_t k = 1; k < times.size(); ++k) intervals.push_back(times[k] - times[k - 1]);
  return MeanOfMiddle(std::move(intervals));
}

Alignment NotAligned(std::string reason) {
  Alignment alignment;
  alignment.reason = std::move(reason);
  return alignment;
}

std::string CompareRates(std::span<const double> left_times, std::span<const double> right_times) {
  const double left_interval = MedianInterval(left_times);
  const double right_interval = MedianInterval(right_times);
  if (!(std::abs(left_interval - right_interval) <= 0.01 * left_interval)) {
    return fmt::format(
        "the videos have different frame rates: left {:.6g} Hz, right {:.6g} Hz, "
        "allowed equal within 1 %",
        1.0 / left_interval, 1.0 / right_interval);
  }
  return {};
}

std::string CompareDrift(std::span<const double> left_times, std::span<const double> right_times) {
  // Frames that one camera dropped leave gaps in its times and no more; clocks that run apart would
  // pair frames of different instants.
  const double left_step = AuditFrameTimes(left_times).interval;
  const double right_step = AuditFrameTimes(right_times).interval;
  const double drift = (right_step / left_step - 1.0) * (left_times.back() - left_times.front());
  constexpr double kMaxDriftFrames = 0.5;
  if (std::abs(drift) > kMaxDriftFrames * left_step) {
    return fmt::format(
        "the clocks run apart by {:.1f} frames over the left video, allowed {}: left {:.6g} Hz, "
        "right {:.6g} Hz by their frame times",
        std::abs(drift) / left_step, kMaxDriftFrames, 1.0 / left_step, 1.0 / right_step);
  }
  return {};
}

}  // namespace

Flash FindFlash(std::span<const double> mean_grey) {
  Flash flash;
  const int count = static_cast<int>(mean_grey.size());
  if (count < kMinFrames) {
    flash.reason =
        fmt::format("no flash: the video has {} frames, allowed at least {}", count, kMinFrames);
    return flash;
  }
  for (int k = 0; k < count; ++k) {
    if (!std::isfinite(mean_grey[k]) || mean_grey[k] < 0.0) {
      throw std::invalid_argument(fmt::format(
          "FindFlash: mean_grey[{}]: found {}, allowed finite and not negative", k, mean_grey[k]));
    }
  }

  // The window is more than twice as long as the longest flash, so that a flash never is its own
  // median.
  const int max_lit = std::max(1, count / 20);
  const Brightness brightness = CompareWithNeighbours(mean_grey, 2 * max_lit + 2);
  const std::vector<double>& extra = brightness.extra;
  const auto brightest = std::ranges::max_element(extra) - extra.begin();
  flash.prominence = extra[brightest] / brightness.sigma;
  if (!brightness.StandsOut(static_cast<int>(brightest))) {
    flash.reason = fmt::format(
        "no flash: the brightest frame {} is {:.2g} grey values above its neighbours' {:.3g} "
        "({:.1f} sigmas), allowed at least {:.0f} % and {:.0f} sigmas",
        brightest, extra[brightest], brightness.level[brightest], flash.prominence,
        100.0 * kMinShare, kMinSigmas);
    return flash;
  }

  const std::vector<Run> runs = BrightRuns(brightness, extra[brightest]);
  if (runs.size() > 1) {
    flash.reason = fmt::format("{} flashes, the first two at frames {} and {}, allowed exactly one",
                               runs.size(), runs[0].first, runs[1].first);
    return flash;
  }
  const Run& run = runs.front();
  if (run.last - run.first + 1 > max_lit) {
    flash.reason = fmt::format(
        "no flash: frames {} to {} are bright, allowed at most {} (a twentieth of the {} frames)",
        run.first, run.last, max_lit, count);
    return flash;
  }

  flash.found = true;
  flash.first_frame = run.first;
  flash.num_frames = run.last - run.first + 1;
  double sum = 0.0;
  double moment = 0.0;
  for (int k = run.first; k <= run.last; ++k) {
    sum += extra[k];
    moment += extra[k] * k;
  }
  flash.centre_frame = moment / sum;
  return flash;
}

Alignment AlignByFlash(std::span<const double> left_mean_grey,
                       std::span<const double> right_mean_grey, std::span<const double> left_times,
                       std::span<const double> right_times, bool genlocked) {
  if (left_mean_grey.size() != left_times.size() || right_mean_grey.size() != right_times.size()) {
    throw std::invalid_argument(fmt::format(
        "AlignByFlash: found {} and {} grey values for {} and {} times, allowed one "
        "for each",
        left_mean_grey.size(), right_mean_grey.size(), left_times.size(), right_times.size()));
  }
  const Flash left = FindFlash(left_mean_grey);
  if (!left.found) return NotAligned("left video: " + left.reason);
  const Flash right = FindFlash(right_mean_grey);
  if (!right.found) return NotAligned("right video: " + right.reason);

  if (std::string reason = CompareRates(left_times, right_times); !reason.empty())
    return NotAligned(std::move(reason));

  const double lag = left.centre_frame - right.centre_frame;
  const int lag_frames = static_cast<int>(std::lround(lag));
  if (genlocked && std::abs(lag - lag_frames) > kMaxFractionOfFrame) {
    return NotAligned(fmt::format(
        "the flash is {:.2f} frames apart in the two videos, allowed a whole number within {} "
        "where the cameras are genlocked: they did not expose at the same instants, or one video "
        "cuts the flash",
        lag, kMaxFractionOfFrame));
  }

  const int right_frame =
      std::clamp(left.first_frame - lag_frames, 0, static_cast<int>(right_times.size()) - 1);
  if (right_frame + lag_frames >= static_cast<int>(left_times.size())) {
    return NotAligned("the videos overlap in no frame");
  }
  const double time_offset = left_times[right_frame + lag_frames] - right_times[right_frame];
  if (std::string reason = CompareDrift(left_times, right_times); !reason.empty())
    return NotAligned(std::move(reason));

  Alignment alignment;
  alignment.found = true;
  alignment.left_flash_frame = left.first_frame;
  alignment.right_flash_frame = right.first_frame;
  alignment.flash_lag_frames = alignment.lag_frames = lag_frames;
  alignment.rests_on = {Witness::kFlash};
  alignment.time_offset = time_offset;
  alignment.offset_time = left_times[left.first_frame];
  return alignment;
}

std::string CompareClocks(std::span<const double> left_times, std::span<const double> right_times) {
  if (std::min(left_times.size(), right_times.size()) < 2) return {};
  std::string reason = CompareRates(left_times, right_times);
  return reason.empty() ? CompareDrift(left_times, right_times) : reason;
}

std::size_t NearestTime(std::span<const double> times, double time) {
  const auto next = std::ranges::lower_bound(times, time);
  if (next == times.begin()) return 0;
  const auto place = static_cast<std::size_t>(next - times.begin());
  return next == times.end() || time - next[-1] < *next - time ? place - 1 : place;
}

std::vector<FramePair> PairFrames(std::span<const double> left_times,
                                  std::span<const double> right_times, double time_offset) {
  // Frames of one video may lie a little off their raster; two cannot claim the same partner.
  constexpr double kMaxFrames = 0.75;
  const double interval =
      left_times.size() > 1 ? MedianInterval(left_times) : std::numeric_limits<double>::infinity();
  const auto distance = [&](std::size_t left, std::size_t right) {
    return std::abs(left_times[left] - right_times[right] - time_offset);
  };
  std::vector<FramePair> pairs;
  std::size_t left = 0, right = 0;
  while (left < left_times.size() || right < right_times.size()) {
    const bool left_over = left == left_times.size(), right_over = right == right_times.size();
    if (left_over || right_over) {
      pairs.push_back(right_over ? FramePair{static_cast<int>(left++), {}}
                                 : FramePair{{}, static_cast<int>(right++)});
      continue;
    }
    const double apart = distance(left, right);
    // The earlier of the two stands alone if the later one has a nearer partner, or none is near.
    const bool left_first = left_times[left] < right_times[right] + time_offset;
    const bool better = left_first
                            ? left + 1 < left_times.size() && distance(left + 1, right) < apart
                            : right + 1 < right_times.size() && distance(left, right + 1) < apart;
    if (apart <= kMaxFrames * interval && !better) {
      pairs.push_back({static_cast<int>(left++), static_cast<int>(right++)});
    } else if (left_first) {
      pairs.push_back({static_cast<int>(left++), {}});
    } else {
      pairs.push_back({{}, static_cast<int>(right++)});
    }
  }
  return pairs;
}

}  // namespace percuss::capture
