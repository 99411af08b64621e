// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_video/surface_video.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/math/statistics.h"

namespace percuss::calibration {
namespace {

constexpr int kFrames = 15;
constexpr double kStillPx = 0.3;  // rms; three times what corners of a board at rest scatter

// Each coordinate by itself; NaN where the point is in no frame.
std::vector<Eigen::Vector2d> MedianPoints(const std::vector<BoardSighting>& sightings) {
  std::vector<Eigen::Vector2d> medians;
  for (std::size_t k = 0; k < sightings.front().corners.pixels.size(); ++k) {
    std::array<std::vector<double>, 2> values;
    for (const BoardSighting& sighting : sightings) {
      const Eigen::Vector2d& pixel = sighting.corners.pixels[k];
      if (!pixel.allFinite()) continue;
      for (int i = 0; i < 2; ++i) values[static_cast<std::size_t>(i)].push_back(pixel[i]);
    }
    medians.emplace_back(Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN()));
    if (values[0].empty()) continue;
    medians.back() = {Median(values[0]), Median(values[1])};
  }
  return medians;
}

double DistanceFrom(const std::vector<Eigen::Vector2d>& points, const BoardCorners& corners) {
  double squares = 0.0;
  int count = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double square = (corners.pixels[k] - points[k]).squaredNorm();
    if (!std::isfinite(square)) continue;
    squares += square;
    ++count;
  }
  return std::sqrt(squares / count);
}

BoardCorners MeanOf(const std::vector<BoardSighting>& sightings) {
  BoardCorners mean = sightings.front().corners;
  for (std::size_t k = 0; k < mean.pixels.size(); ++k) {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
    double count = 0.0;
    for (const BoardSighting& sighting : sightings) {
      if (!sighting.corners.pixels[k].allFinite()) continue;
      sum += sighting.corners.pixels[k];
      covariance += sighting.corners.covariances_px2[k];
      count += 1.0;
    }
    mean.pixels[k] = sum / count;  // NaN where it is in no frame
    mean.covariances_px2[k] = covariance / (count * count);
  }
  return mean;
}

}  // namespace

RestingBoard MeasureRestingBoard(const BoardVideo& video) {
  const SampledFrames sampled = SampleFrames(video, kFrames);
  RestingBoard result{.corners = {}, .width = sampled.width, .height = sampled.height};
  if (sampled.sightings.empty()) {
    result.corners.reason = sampled.reason;
    return result;
  }
  const std::vector<Eigen::Vector2d> medians = MedianPoints(sampled.sightings);
  std::vector<BoardSighting> still;
  std::vector<double> distances;
  for (const BoardSighting& sighting : sampled.sightings) {
    distances.push_back(DistanceFrom(medians, sighting.corners));
    if (distances.back() < kStillPx) still.push_back(sighting);
  }
  if (2 * still.size() <= sampled.sightings.size()) {
    throw DataError(fmt::format(
        "{}: the board on the surface moves: its points are {:.1f} px from their middle places in "
        "half of {} frames, allowed {:.1f} px; film it lying still, from a camera that stands",
        video.file.string(), Median(std::move(distances)), sampled.sightings.size(), kStillPx));
  }
  result.corners = MeanOf(still);
  result.num_used = static_cast<int>(still.size());
  return result;
}

}  // namespace percuss::calibration
