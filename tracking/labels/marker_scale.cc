// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/marker_scale.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text/numbers.h"
#include "calibration/rig/parameter_derivatives.h"

namespace percuss::tracking {
namespace {

// Standard deviation of the scale over one distance, from the calibration alone.
double CalibrationSigma(const calibration::RigCalibration& calibration, const Eigen::Vector3d& a,
                        const Eigen::Vector3d& b) {
  const auto by_a = calibration::PointByParameters(calibration, a);
  const auto by_b = calibration::PointByParameters(calibration, b);
  if (by_a.size() == 0 || by_b.size() == 0) return 0.0;
  const Eigen::RowVectorXd by_distance = (a - b).normalized().transpose() * (by_a - by_b);
  return std::sqrt((by_distance * calibration.covariance).dot(by_distance)) / (a - b).norm();
}

}  // namespace

MarkerScale MeasureMarkerScale(std::span<const MarkerPoint> points, const MarkerLayout& layout,
                               const calibration::RigCalibration& calibration) {
  std::vector<double> scales;
  double longest = 0.0;
  std::pair<Eigen::Vector3d, Eigen::Vector3d> longest_ends;
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first;
    while (last < points.size() && points[last].frame == points[first].frame) ++last;
    double product = 0.0, square = 0.0;
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t j = i + 1; j < last; ++j) {
        const Eigen::Vector3d &a = points[i].point.p_W, &b = points[j].point.p_W;
        const double measured = (a - b).norm();
        const double stated =
            (layout.p_BM[points[i].marker] - layout.p_BM[points[j].marker]).norm();
        product += stated * measured;
        square += measured * measured;
        if (measured > longest) {
          longest = measured;
          longest_ends = {a, b};
        }
      }
    }
    if (square > 0.0) scales.push_back(product / square);
    first = last;
  }
  MarkerScale result{.frames = static_cast<int>(scales.size())};
  if (scales.size() < 2) return result;
  const auto count = static_cast<double>(scales.size());
  double mean = 0.0, variance = 0.0;
  for (const double scale : scales) mean += scale / count;
  for (const double scale : scales) variance += (scale - mean) * (scale - mean) / (count - 1.0);
  result.scale = mean;
  result.sigma = std::hypot(std::sqrt(variance / count),
                            CalibrationSigma(calibration, longest_ends.first, longest_ends.second));
  return result;
}

std::string MarkerScaleWarning(const MarkerScale& scale) {
  constexpr double kNotable = 0.005;
  const double error = std::abs(scale.scale - 1.0);
  if (!(error > kNotable && error > 4.0 * scale.sigma)) return {};
  return fmt::format(
      "the markers are {:.2f} % {} apart than stated (scale {}): check the square "
      "size of the board and the marker positions",
      100.0 * std::abs(1.0 / scale.scale - 1.0), scale.scale < 1.0 ? "farther" : "nearer",
      FormatWithSigma(scale.scale, scale.sigma));
}

}  // namespace percuss::tracking
