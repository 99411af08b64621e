// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ball/moving_things.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

namespace percuss::tracking {
namespace {

using Outline = std::vector<cv::Point>;

/// Outer ones of connected regions that may hold `least_area` pixels.
std::vector<Outline> OutlinesOf(const cv::Mat& mask, double least_area) {
  std::vector<Outline> outlines;
  cv::findContours(mask, outlines, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  std::erase_if(outlines, [&](const Outline& outline) {
    return static_cast<double>(outline.size()) < 2.0 * std::sqrt(least_area);
  });
  return outlines;
}

/// The step that a tenth of the pixels of a mask exceed.
double StrongStep(const cv::Mat& difference, const cv::Mat& mask) {
  std::vector<unsigned char> steps;
  for (int y = 0; y < mask.rows; ++y) {
    for (int x = 0; x < mask.cols; ++x) {
      if (mask.at<unsigned char>(y, x) != 0) steps.push_back(difference.at<unsigned char>(y, x));
    }
  }
  const auto place = steps.begin() + static_cast<std::ptrdiff_t>(9 * steps.size() / 10);
  std::nth_element(steps.begin(), place, steps.end());
  return *place;
}

/// @param corner of the picture part in which the outline was found
MovingThing ThingOf(const Outline& outline, const cv::Point& corner, const cv::Mat& picture,
                    const cv::Mat& ground) {
  cv::Rect box = cv::boundingRect(outline);
  cv::Mat mask(box.size(), CV_8UC1, cv::Scalar(0));
  std::vector<std::vector<cv::Point>> shifted(1);
  for (const cv::Point& point : outline) shifted[0].push_back(point - box.tl());
  cv::drawContours(mask, shifted, 0, cv::Scalar(255), cv::FILLED);
  const cv::Moments m = cv::moments(mask, true);
  MovingThing thing;
  box += corner;
  thing.area = m.m00;
  thing.centre = {m.m10 / m.m00 + box.x, m.m01 / m.m00 + box.y};
  Eigen::Matrix2d second;
  second << m.mu20, m.mu11, m.mu11, m.mu02;
  second = second / m.m00 + Eigen::Matrix2d::Identity() / 12.0;
  const double mean = 0.5 * second.trace();
  const double root = std::hypot(0.5 * (second(0, 0) - second(1, 1)), second(0, 1));
  thing.long_axis = 2.0 * std::sqrt(mean + root);
  thing.short_axis = 2.0 * std::sqrt(std::max(mean - root, 1e-3));
  const double angle = 0.5 * std::atan2(2.0 * second(0, 1), second(0, 0) - second(1, 1));
  thing.along = {std::cos(angle), std::sin(angle)};
  thing.fill = thing.area / (std::numbers::pi * thing.long_axis * thing.short_axis);
  cv::Mat difference;
  cv::absdiff(picture(box), ground(box), difference);
  thing.step = cv::mean(difference, mask)[0];
  thing.at_border =
      box.x <= 0 || box.y <= 0 || box.br().x >= picture.cols || box.br().y >= picture.rows;
  return thing;
}

struct OutlinedThing {
  MovingThing thing;
  Outline outline;
};

/// Regions of a mask. A ball and its fainter shadow are one where they meet: what stands out more
/// than half as much as its strongest part is the ball.
/// @param strongest  by how much a tenth of a region differs at least
std::vector<OutlinedThing> RegionsOf(const cv::Mat& picture, const cv::Mat& ground,
                                     double threshold, double strongest, double least_area) {
  constexpr std::size_t kMostThings = 20;
  cv::Mat difference, mask;
  cv::absdiff(picture, ground, difference);
  cv::threshold(difference, mask, threshold, 255, cv::THRESH_BINARY);
  std::vector<OutlinedThing> regions;
  for (const Outline& outline : OutlinesOf(mask, least_area)) {
    const MovingThing whole = ThingOf(outline, {}, picture, ground);
    if (whole.area < least_area) continue;
    const cv::Rect box = cv::boundingRect(outline);
    const double step = StrongStep(difference(box), mask(box));
    if (step < strongest) continue;
    cv::Mat strong;
    cv::threshold(difference(box), strong, 0.5 * step, 255, cv::THRESH_BINARY);
    std::optional<MovingThing> rounder;
    for (const Outline& inner : OutlinesOf(strong, 0.25 * whole.area)) {
      const MovingThing part = ThingOf(inner, box.tl(), picture, ground);
      if (part.area < 0.8 * whole.area && part.Roundness() > whole.Roundness() &&
          (!rounder || part.area > rounder->area))
        rounder = part;
    }
    regions.push_back({rounder.value_or(whole), outline});
  }
  std::ranges::sort(regions, std::greater(),
                    [](const OutlinedThing& one) { return one.thing.area; });
  if (regions.size() > kMostThings) regions.resize(kMostThings);
  return regions;
}

/// Those that make up a rounder whole, with what lies between, are one.
void JoinHalves(const cv::Mat& picture, const cv::Mat& ground,
                std::vector<OutlinedThing>* regions) {
  constexpr double kMostBetween = 0.6;  // of the area of both
  for (std::size_t i = 0; i < regions->size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const OutlinedThing &one = (*regions)[i], &other = (*regions)[j];
      if ((one.thing.centre - other.thing.centre).norm() >
          one.thing.long_axis + other.thing.long_axis)
        continue;
      Outline both = one.outline;
      both.insert(both.end(), other.outline.begin(), other.outline.end());
      OutlinedThing whole;
      cv::convexHull(both, whole.outline);
      whole.thing = ThingOf(whole.outline, {}, picture, ground);
      if (whole.thing.area > (1.0 + kMostBetween) * (one.thing.area + other.thing.area) ||
          whole.thing.Roundness() < std::max(one.thing.Roundness(), other.thing.Roundness()))
        continue;
      (*regions)[j] = std::move(whole);
      regions->erase(regions->begin() + static_cast<std::ptrdiff_t>(i));
      i = j;  // what else belongs to it
      break;
    }
  }
}

std::vector<MovingThing> ThingsOf(const std::vector<OutlinedThing>& regions) {
  std::vector<MovingThing> things;
  for (const OutlinedThing& region : regions) things.push_back(region.thing);
  return things;
}

/// Pairs of places to be put in order, one after the other.
using SortingNetwork = std::vector<std::pair<int, int>>;

/// Batcher's merge exchange (Knuth, The Art of Computer Programming, vol. 3, 5.2.2, algorithm M).
SortingNetwork MergeExchange(std::size_t count) {
  const auto n = static_cast<int>(count);
  SortingNetwork network;
  int top = 1;
  while (2 * top < n) top *= 2;
  for (int p = top; p > 0; p /= 2) {
    int q = top, r = 0, d = p;
    while (true) {
      for (int i = 0; i + d < n; ++i) {
        if ((i & p) == r) network.emplace_back(i, i + d);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
  return network;
}

/// Many values at once: the compiler makes a few wide instructions of it.
void SortPair(unsigned char* low, unsigned char* high, int count) {
  for (int x = 0; x < count; ++x) {
    const unsigned char a = low[x], b = high[x];
    low[x] = std::min(a, b);
    high[x] = std::max(a, b);
  }
}

}  // namespace

cv::Mat MedianPicture(const std::vector<cv::Mat>& pictures) {
  const cv::Size size = pictures.front().size();
  const SortingNetwork network = MergeExchange(pictures.size());
  cv::Mat median(size, CV_8UC1), rows(static_cast<int>(pictures.size()), size.width, CV_8UC1);
  for (int y = 0; y < size.height; ++y) {
    for (int k = 0; k < rows.rows; ++k) pictures[k].row(y).copyTo(rows.row(k));
    for (const auto& [low, high] : network)
      SortPair(rows.ptr<unsigned char>(low), rows.ptr<unsigned char>(high), size.width);
    rows.row(rows.rows / 2).copyTo(median.row(y));
  }
  return median;
}

double GroundNoise(const std::vector<cv::Mat>& pictures, const cv::Mat& ground) {
  std::array<long, 256> histogram{};
  long count = 0;
  cv::Mat difference;
  for (const cv::Mat& picture : pictures) {
    cv::absdiff(picture, ground, difference);
    for (int y = 0; y < difference.rows; y += 2) {
      const unsigned char* row = difference.ptr<unsigned char>(y);
      for (int x = 0; x < difference.cols; ++x) ++histogram[row[x]];
      count += difference.cols;
    }
  }
  // Within the grey value that holds the median, evenly spread.
  long below = 0;
  int value = 0;
  while (value < 255 && 2 * (below + histogram[value]) < count) below += histogram[value++];
  const double part = (0.5 * static_cast<double>(count) - static_cast<double>(below)) /
                      std::max(1.0, static_cast<double>(histogram[value]));
  return std::max(0.5, 1.4826 * (value - 0.5 + part));
}

std::vector<MovingThing> FindMovingThings(const cv::Mat& picture, const cv::Mat& ground,
                                          double threshold, double least_area) {
  return ThingsOf(RegionsOf(picture, ground, threshold, 0.0, least_area));
}

std::vector<MovingThing> FindWholeThings(const cv::Mat& picture, const cv::Mat& ground,
                                         double threshold, double least_area) {
  constexpr double kFaint = 0.6;  // of the threshold
  std::vector<OutlinedThing> regions =
      RegionsOf(picture, ground, kFaint * threshold, threshold, least_area);
  JoinHalves(picture, ground, &regions);
  return ThingsOf(regions);
}

}  // namespace percuss::tracking
