// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ruler/long_marks.h"

#include <algorithm>
#include <cmath>

#include "base/nan.h"

namespace percuss::tracking {
namespace {

constexpr double kLongest = 14.0;  // of a mark, to either side of the row [pitches]

/// How far a mark reaches from the row in one direction [px]: to where it has less than half of the
/// amplitude twice in a row.
double ReachOfMark(const cv::Mat& grey, const RowOfMarks& row, int n, const Eigen::Vector2d& way) {
  const double pitch = row.PitchAt(n), smooth = std::max(1.0, pitch / 3.0), step = 0.5 * smooth;
  const Eigen::Vector2d foot = row.origin + row.marks[n - row.first].place * row.along;
  // Of this mark itself: light is uneven.
  const double amplitude = row.sign * PitchHarmonic(grey, foot, row, pitch, row.half_height).x();
  const double half = 0.5 * amplitude;
  double before = amplitude, end = kNaN;
  for (double far = row.half_height; far < kLongest * pitch; far += step) {
    const double now = row.sign * PitchHarmonic(grey, foot + far * way, row, pitch, smooth).x();
    if (now > half) {
      end = kNaN;
    } else if (std::isfinite(end) || !std::isfinite(now)) {
      return std::isfinite(end) ? end : far;
    } else {
      end = far - step * (half - now) / std::max(before - now, 1e-9);
    }
    before = now;
  }
  return kLongest * pitch;
}

struct NumberedLength {
  int number = 0;
  double length = 0.0;
};

/// The value below which a part of all lie.
double QuantileOf(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

/// How well the lengths tell marks whose number leaves `rest` from others, in units of what these
/// scatter; 0: not at all.
double Separation(const std::vector<NumberedLength>& marks, int period, int rest) {
  std::vector<double> in, out, off;
  for (const NumberedLength& mark : marks)
    (mark.number % period == rest ? in : out).push_back(mark.length);
  if (in.size() < 2 || out.size() < 2) return 0.0;
  const double usual = QuantileOf(out, 0.5);
  const double gap = QuantileOf(in, 0.15) - QuantileOf(out, 0.85);
  for (const double length : out) off.push_back(std::abs(length - usual));
  const double scatter = std::max(1.4826 * QuantileOf(off, 0.5), 0.05);
  return gap > 0.1 * usual && gap > 3.0 * scatter ? gap / scatter : 0.0;
}

}  // namespace

std::vector<double> LengthsOfMarks(const cv::Mat& grey, const RowOfMarks& row) {
  // Pitches shrink with the square of the distance where a ruler leans, lengths with the distance.
  const double usual = row.PitchAt(0.5 * (row.first + row.Last()));
  std::vector<double> lengths;
  for (int n = row.first; n <= row.Last(); ++n) {
    const bool seen = row.marks[n - row.first].seen;
    const double length =
        seen ? ReachOfMark(grey, row, n, row.stroke) + ReachOfMark(grey, row, n, -row.stroke)
             : kNaN;
    lengths.push_back(length / std::sqrt(row.PitchAt(n) * usual));
  }
  return lengths;
}

std::vector<int> PeriodsOfLongMarks(const std::vector<double>& lengths) {
  std::vector<NumberedLength> marks;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    if (std::isfinite(lengths[k])) marks.push_back({static_cast<int>(k), lengths[k]});
  }
  std::vector<int> periods;
  for (int period = 1, rest = 0;;) {
    double best = 0.0;
    int factor = 0, next = 0;
    for (const int by : {2, 5}) {
      for (int k = 0; k < by; ++k) {
        const double separation = Separation(marks, by * period, rest + k * period);
        if (separation <= best) continue;
        best = separation;
        factor = by;
        next = rest + k * period;
      }
    }
    if (factor == 0) break;
    period *= factor;
    rest = next;
    periods.push_back(period);
    std::erase_if(marks, [&](const NumberedLength& mark) { return mark.number % period != rest; });
  }
  if (periods.empty()) return {};
  std::vector<double> longest;
  for (const NumberedLength& mark : marks) longest.push_back(mark.length);
  const double usual = QuantileOf(longest, 0.5);
  const auto alike = std::ranges::count_if(
      longest, [&](double length) { return std::abs(length - usual) < 0.08 * usual; });
  return static_cast<double>(alike) < 0.7 * static_cast<double>(longest.size()) ? std::vector<int>{}
                                                                                : periods;
}

double MeaningOfMarks(const std::vector<int>& longer, std::size_t marks) {
  constexpr double kMillimetre = 0.001, kInch = 0.0254;
  if (longer.empty()) return kNaN;
  const auto shown = marks / static_cast<std::size_t>(longer.back());
  if (shown < 2) return kNaN;
  if (longer == std::vector<int>{5, 10}) return kMillimetre;
  if (longer == std::vector<int>{2, 10, 20}) return 0.5 * kMillimetre;
  for (std::size_t k = 0; k < longer.size(); ++k) {
    if (longer[k] != 2 << k) return kNaN;
  }
  return longer.size() >= 3 ? kInch / longer.back() : kNaN;
}

}  // namespace percuss::tracking
