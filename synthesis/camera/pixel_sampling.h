// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <opencv2/core/mat.hpp>
#include <utility>
#include <vector>

#include "synthesis/camera/optics.h"

namespace percuss::synthesis {

/// What one ray sees. Pixels whose four corners see the same thing are taken as even.
struct Sample {
  static constexpr int kNothing = -1;
  int thing = kNothing;
  double light = 0.0;
};

/// Light of things that cover part of each pixel: light summed over the covered part, and the share
/// that is left for what lies behind. Both CV_32FC1, of the size of `area`.
struct Layer {
  cv::Rect area;
  cv::Mat light, uncovered;

  explicit Layer(const cv::Rect& place);
};

/// Mean over the square of each pixel of what `cast(ray)` sees, added with weight `weight` to rows
/// `first` to `last - 1` of the picture (light, and the covered share taken from `uncovered`).
///
/// Pixels with different things at their corners, and those inside one of `fine`, are sampled
/// num_samples x num_samples times, on a sheared lattice: on a straight one, edges along the pixel
/// rows would jump.
template <typename Cast>
void AddRows(const PixelRays& rays, const Cast& cast, int first, int last,
             const std::vector<cv::Rect>& fine, int num_samples, double weight, Layer* layer);

// ---- implementation -----------------------------------------------------------------------------

/// The rays of one pixel, by place within it (0 to 1).
struct PixelSquare {
  Eigen::Vector2d corner, by_x, by_y, by_xy;

  PixelSquare(const PixelRays& rays, int x, int y)
      : corner(rays.Corner(x, y)),
        by_x(rays.Corner(x + 1, y) - corner),
        by_y(rays.Corner(x, y + 1) - corner),
        by_xy(rays.Corner(x + 1, y + 1) - corner - by_x - by_y) {}

  Eigen::Vector2d Ray(double a, double b) const {
    return corner + a * by_x + b * by_y + (a * b) * by_xy;
  }
};

/// Mean light and covered share.
template <typename Cast>
std::array<double, 2> SamplePixel(const PixelRays& rays, const Cast& cast, int x, int y,
                                  int num_samples) {
  const PixelSquare square(rays, x, y);
  double light = 0.0;
  int covered = 0;
  const double n = num_samples;
  for (int i = 0; i < num_samples; ++i) {
    for (int j = 0; j < num_samples; ++j) {
      const Sample sample = cast(square.Ray((i + (j + 0.5) / n) / n, (j + (i + 0.5) / n) / n));
      if (sample.thing == Sample::kNothing) continue;
      light += sample.light;
      ++covered;
    }
  }
  return {light / (n * n), covered / (n * n)};
}

/// What the corners at the top of row y see, from the left border of the area to its right one.
template <typename Cast>
void CastCorners(const PixelRays& rays, const Cast& cast, const cv::Rect& area, int y,
                 std::vector<Sample>* samples) {
  samples->resize(static_cast<std::size_t>(area.width) + 1);
  for (int k = 0; k <= area.width; ++k) {
    (*samples)[k] = cast(rays.Corner(area.x + k, y));
  }
}

/// For each pixel of row y of the area, whether one of the rectangles holds it.
inline std::vector<char> InsideAny(const std::vector<cv::Rect>& rects, const cv::Rect& area,
                                   int y) {
  std::vector<char> inside(area.width, 0);
  for (const cv::Rect& rect : rects) {
    if (y < rect.y || y >= rect.y + rect.height) continue;
    const int first = std::max(rect.x - area.x, 0);
    const int last = std::min(rect.x + rect.width - area.x, area.width);
    for (int k = first; k < last; ++k) inside[k] = 1;
  }
  return inside;
}

template <typename Cast>
void AddRows(const PixelRays& rays, const Cast& cast, int first, int last,
             const std::vector<cv::Rect>& fine, int num_samples, double weight, Layer* layer) {
  const cv::Rect& area = layer->area;
  std::vector<Sample> above, below;
  CastCorners(rays, cast, area, first, &below);
  for (int y = first; y < last; ++y) {
    std::swap(above, below);
    CastCorners(rays, cast, area, y + 1, &below);
    const std::vector<char> is_fine = InsideAny(fine, area, y);
    auto* light = layer->light.ptr<float>(y - area.y);
    auto* uncovered = layer->uncovered.ptr<float>(y - area.y);
    for (std::size_t k = 0; k < is_fine.size(); ++k) {
      const std::array<Sample, 4> corners = {above[k], above[k + 1], below[k], below[k + 1]};
      const int thing = corners[0].thing;
      const bool even = is_fine[k] == 0 && thing == corners[1].thing && thing == corners[2].thing &&
                        thing == corners[3].thing;
      if (even && thing == Sample::kNothing) continue;
      std::array<double, 2> mean = {0.0, 1.0};
      if (even) {
        for (const Sample& corner : corners) mean[0] += 0.25 * corner.light;
      } else {
        mean = SamplePixel(rays, cast, area.x + static_cast<int>(k), y, num_samples);
      }
      light[k] += static_cast<float>(weight * mean[0]);
      uncovered[k] -= static_cast<float>(weight * mean[1]);
    }
  }
}

}  // namespace percuss::synthesis
