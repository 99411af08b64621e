// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/frame_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "base/math/statistics.h"

namespace percuss::capture {
namespace {

double UsualStep(std::vector<double> steps) {
  const double median = Median(steps);
  std::erase_if(steps, [&](double step) { return std::abs(step - median) > 0.25 * median; });
  return std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
}

// Of the line of least squares.
double SlopeOf(const std::vector<double>& x, const std::vector<double>& y) {
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double mean_x = mean(x), mean_y = mean(y);
  double squares = 0.0, products = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    squares += (x[k] - mean_x) * (x[k] - mean_x);
    products += (x[k] - mean_x) * (y[k] - mean_y);
  }
  return products / squares;
}

// A cell differs where noise and compression could not make it so, and is the same where they could
// [grey].
constexpr int kMoved = 6, kStill = 2;

int NumBeyond(const cv::Mat& a, const cv::Mat& b, int grey) {
  cv::Mat difference;
  cv::absdiff(a, b, difference);
  return cv::countNonZero(difference > grey);
}

}  // namespace

FrameTiming AuditFrameTimes(std::span<const double> times) {
  FrameTiming timing;
  if (times.size() < 2) return timing;
  std::vector<double> steps(times.size() - 1);
  for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = times[k + 1] - times[k];
  timing.interval = UsualStep(steps);
  timing.shortest = *std::ranges::min_element(steps);
  timing.longest = *std::ranges::max_element(steps);

  double squares = 0.0;
  std::size_t uneven = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double intervals = std::max(1.0, std::round(steps[k] / timing.interval));
    const double rest = steps[k] - intervals * timing.interval;
    squares += rest * rest;
    if (std::abs(rest) > 0.1 * timing.interval) ++uneven;
    if (intervals > 1.0) {
      timing.num_dropped += static_cast<int>(intervals) - 1;
      if (!timing.first_after_gap) timing.first_after_gap = static_cast<int>(k) + 1;
    }
  }
  timing.jitter = std::sqrt(squares / static_cast<double>(steps.size()));
  timing.variable_rate = 20 * uneven >= steps.size() && uneven > 1;
  if (timing.variable_rate) {
    timing.num_dropped = 0;
    timing.first_after_gap.reset();
  }
  return timing;
}

std::vector<double> UnroundedTimes(std::vector<double> times, double tick, double nominal_rate) {
  const FrameTiming timing = AuditFrameTimes(times);
  if (times.size() < 3 || !(tick > 0.0) || timing.variable_rate) return times;
  std::vector<double> places = {0.0};  // in intervals
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double intervals = std::round((times[k] - times[k - 1]) / timing.interval);
    places.push_back(places.back() + std::max(1.0, intervals));
  }
  // Rounding moves no time by more than half a tick, nor any two by more than one against each
  // other.
  const auto explains = [&](double interval, double slack) {
    double least = 0.0, greatest = 0.0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double rest = times[k] - interval * places[k];
      least = std::min(least, rest);
      greatest = std::max(greatest, rest);
    }
    return greatest - least <= slack * tick;
  };
  constexpr double kRounding = 1.0 + 1e-6;
  double interval = nominal_rate > 0.0 ? 1.0 / nominal_rate : 0.0;
  if (!explains(interval, kRounding)) {
    const auto count = static_cast<double>(times.size());
    interval = SlopeOf(places, times);
    // The sigma of the fitted line at its ends is tick / sqrt(3 n).
    if (!explains(interval, kRounding + 4.0 / std::sqrt(count))) return times;
  }
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = interval * places[k];
  return times;
}

std::vector<std::string> TimingWarnings(const FrameTiming& timing, const std::string& video) {
  const auto frames = [](std::size_t count, const char* one, const char* many) {
    return fmt::format("{} frame{}", count, count == 1 ? one : many);
  };
  std::vector<std::string> warnings;
  if (timing.variable_rate) {
    warnings.push_back(
        fmt::format("{}: variable frame rate: {:.3f} ms from frame to frame as a rule, {:.3f} to "
                    "{:.3f} ms found; "
                    "every frame is used at its own time",
                    video, 1e3 * timing.interval, 1e3 * timing.shortest, 1e3 * timing.longest));
  }
  if (timing.num_dropped > 0) {
    warnings.push_back(
        fmt::format("{}: {} missing (first before frame {}); the times of the others hold", video,
                    frames(timing.num_dropped, " is", "s are"), *timing.first_after_gap));
  }
  if (!timing.repeated.empty()) {
    warnings.push_back(fmt::format("{}: {} the picture before again (first: frame {}); left out",
                                   video, frames(timing.repeated.size(), " shows", "s show"),
                                   timing.repeated.front()));
  }
  return warnings;
}

void RepeatedPictures::Add(const cv::Mat& halved) {
  cv::Mat cells;
  cv::resize(halved, cells, {std::max(1, halved.cols / 4), std::max(1, halved.rows / 4)}, 0.0, 0.0,
             cv::INTER_AREA);
  Change& change = changes_.emplace_back();
  num_cells_ = static_cast<int>(cells.total());
  for (std::size_t back = 0; back < last_.size(); ++back) {
    if (!last_[back].empty()) change.moved[back] = NumBeyond(cells, last_[back], kMoved);
  }
  if (!last_[0].empty()) change.not_still = NumBeyond(cells, last_[0], kStill);
  std::shift_right(last_.begin(), last_.end(), 1);
  last_[0] = cells;
}

std::vector<int> RepeatedPictures::Find() const {
  constexpr int kFewest = 6;       // cells that change where something moves
  constexpr double kLeft = 0.2;    // of those, in a repeated picture
  constexpr int kAlike = 4;        // ratio of the steps before and after
  constexpr double kFlash = 0.25;  // of all cells: that is light, not motion
  const auto moved = [&](int picture, int back) { return changes_[picture].moved[back - 1]; };
  const auto is_repeat = [&](int first, int length) {
    const int next = first + length;
    const auto [least, most] = std::minmax({moved(first - 1, 1), moved(next, 1)});
    if (least < kFewest || most > kAlike * least || most > kFlash * num_cells_) return false;
    for (int k = first; k < next; ++k) {
      if (changes_[k].not_still > kLeft * least) return false;
    }
    return moved(next, length + 2) >= least / 2;
  };
  std::vector<int> repeated;
  const int count = static_cast<int>(changes_.size());
  for (int first = 2; first < count; ++first) {
    for (int length = 1; length <= kLongest && first + length < count; ++length) {
      if (!is_repeat(first, length)) continue;
      for (int k = first; k < first + length; ++k) repeated.push_back(k);
      first += length;
      break;
    }
  }
  return repeated;
}

}  // namespace percuss::capture
