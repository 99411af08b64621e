// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ruler/find_ruler.h"

#include <algorithm>
#include <cmath>

#include "tracking/ruler/long_marks.h"
#include "tracking/ruler/periodic_places.h"
#include "tracking/ruler/row_of_marks.h"

namespace percuss::tracking {
namespace {

using Eigen::Vector2d;

struct ReadRow {
  RowOfMarks row;
  std::vector<int> longer;
  double mark_distance = kNaN;
};

ReadRow ReadMarks(const cv::Mat& grey, const RowOfMarks& row) {
  ReadRow read{.row = row, .longer = PeriodsOfLongMarks(LengthsOfMarks(grey, row))};
  if (read.longer.empty()) {
    const RowOfMarks gaps = WithGapsForMarks(row);
    read.longer = PeriodsOfLongMarks(LengthsOfMarks(grey, gaps));
    if (!read.longer.empty()) read.row = gaps;
  }
  read.mark_distance = MeaningOfMarks(read.longer, read.row.marks.size());
  return read;
}

/// Whether a place is where the marks of a row may be, the longest ones too.
bool LiesIn(const RowOfMarks& row, const Vector2d& place) {
  const double along = (place - row.origin).dot(row.along);
  const double pitch = row.PitchAt(0.5 * (row.first + row.Last()));
  const double across = std::abs((place - row.origin).dot(Vector2d(-row.along.y(), row.along.x())));
  return across < 10.0 * pitch && along > row.PlaceOf(row.first) - pitch &&
         along < row.PlaceOf(row.Last()) + pitch;
}

/// Whether the line of a spectrum is one that a row makes.
bool Explains(const RowOfMarks& row, const PeriodicPlace& place) {
  if (!LiesIn(row, place.place)) return false;
  const double middle_pitch = row.PitchAt(0.5 * (row.first + row.Last()));
  return std::abs(place.frequency.normalized().dot(row.along)) > 0.95 &&
         place.frequency.norm() * middle_pitch > 0.15;
}

/// Whether a row is every so-manieth mark of a finer one.
bool IsPartOf(const ReadRow& coarse, const ReadRow& fine) {
  const RowOfMarks &one = coarse.row, &other = fine.row;
  const double n = 0.5 * (one.first + one.Last());
  return LiesIn(other, one.PixelOf(n)) && std::abs(one.along.dot(other.along)) > 0.98 &&
         other.PitchAt(0.5 * (other.first + other.Last())) < 0.8 * one.PitchAt(n);
}

FoundRuler RulerOf(const ReadRow& read) {
  const RowOfMarks& row = read.row;
  FoundRuler ruler;
  ruler.reason.clear();
  ruler.from = row.PixelOf(row.first);
  ruler.to = row.PixelOf(row.Last());
  ruler.intervals = row.Last() - row.first;
  ruler.share = row.ShareSeen();
  ruler.longer = read.longer;
  ruler.mark_distance = read.mark_distance;
  const double c = row.abc[2];
  const auto by_abc = [&](int n) -> Eigen::VectorXd {
    const double below = 1.0 + c * n;
    return Eigen::Vector3d(1.0 / below, n / below, -row.PlaceOf(n) * n / below);
  };
  const Eigen::VectorXd by = by_abc(row.Last()) - by_abc(row.first);
  constexpr double kPixels = 0.003;  // of an end [px]
  const double sigma = std::sqrt(by.dot(row.covariance * by) + 2.0 * kPixels * kPixels);
  ruler.pitch = {(ruler.to - ruler.from).norm() / ruler.intervals, sigma / ruler.intervals};
  const double near = 1.0 + c * row.first, far = 1.0 + c * row.Last();
  constexpr double kLens = 0.005;
  ruler.depth_ratio = {
      far / near,
      std::hypot(ruler.intervals / (near * near) * std::sqrt(row.covariance(2, 2)), kLens)};
  return ruler;
}

}  // namespace

FoundRuler FindRuler(const cv::Mat& grey) {
  FoundRuler none;
  none.reason =
      "no row of 20 or more even marks is in the still picture: film the ruler in focus, its marks "
      "3 px or more apart, or state two points with --length";
  constexpr std::size_t kMostTries = 80, kMostRows = 12;  // of pictures full of stripes
  std::vector<ReadRow> rows;
  std::size_t tries = 0;
  for (const PeriodicPlace& place : FindPeriodicPlaces(grey)) {
    if (std::ranges::any_of(rows, [&](const ReadRow& r) { return Explains(r.row, place); }))
      continue;
    if (++tries > kMostTries) break;
    const auto row = FollowMarks(grey, place);
    if (!row) continue;
    rows.push_back(ReadMarks(grey, *row));
    if (std::isfinite(rows.back().mark_distance) || rows.size() >= kMostRows) break;
  }
  const ReadRow* best = nullptr;
  const auto better = [](const ReadRow& one, const ReadRow& other) {
    const bool known = std::isfinite(one.mark_distance);
    if (known != std::isfinite(other.mark_distance)) return known;
    return one.row.marks.size() > other.row.marks.size();
  };
  for (const ReadRow& read : rows) {
    if (std::ranges::any_of(rows, [&](const ReadRow& fine) { return IsPartOf(read, fine); }))
      continue;
    if (best == nullptr || better(read, *best)) best = &read;
  }
  return best != nullptr ? RulerOf(*best) : none;
}

}  // namespace percuss::tracking
