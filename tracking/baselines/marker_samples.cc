// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/baselines/marker_samples.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace percuss::tracking {
namespace {

/// Time runs towards the impact, which is at 0, on both sides of it.
struct Sighting {
  double time = 0.0;
  Eigen::Vector2d pixel;
  Eigen::Matrix2d covariance;
};
using Path = std::vector<Sighting>;  ///< of one marker in one view, times rise

/// A place on a path, as weights of four neighbouring sightings.
struct Place {
  std::size_t first = 0;
  std::array<double, kSamples> weights{};
};

std::optional<Place> PlaceAt(const Path& path, double time, double step, double tolerance) {
  constexpr double kSameTime = 1e-6;  // of a frame
  const auto next = std::find_if(path.begin(), path.end(), [&](const Sighting& sighting) {
    return sighting.time > time - kSameTime * step;
  });
  if (next != path.end() && next->time < time + kSameTime * step)
    return Place{static_cast<std::size_t>(next - path.begin()), {1.0}};
  if (path.size() < kSamples) return std::nullopt;
  const auto before = std::max<std::ptrdiff_t>(next - path.begin() - kSamples / 2, 0);
  Place place{std::min(static_cast<std::size_t>(before), path.size() - kSamples), {}};
  const Sighting* sightings = &path[place.first];
  // A fifth sighting between the four would have been closer: the frames are consecutive.
  if (sightings[kSamples - 1].time - sightings[0].time > (kSamples - 0.5) * step)
    return std::nullopt;
  if (time < sightings[0].time - tolerance || time > sightings[kSamples - 1].time + tolerance)
    return std::nullopt;
  for (std::size_t i = 0; i < kSamples; ++i) {
    place.weights[i] = 1.0;
    for (std::size_t j = 0; j < kSamples; ++j) {
      if (j == i) continue;
      place.weights[i] *= (time - sightings[j].time) / (sightings[i].time - sightings[j].time);
    }
  }
  return place;
}

/// Covariance of two places on one path.
Eigen::Matrix2d Covariance(const Path& path, const Place& a, const Place& b) {
  Eigen::Matrix2d sum = Eigen::Matrix2d::Zero();
  for (std::size_t i = 0; i < kSamples; ++i) {
    for (std::size_t j = 0; j < kSamples; ++j) {
      if (a.first + i != b.first + j || a.weights[i] == 0.0) continue;
      sum += a.weights[i] * b.weights[j] * path[a.first + i].covariance;
    }
  }
  return sum;
}

/// A point in space from its pixel in each view.
std::optional<TriangulatedPoint> Point(const Views& views, std::span<const Eigen::Vector2d> pixels,
                                       std::span<const Eigen::Matrix2d> covariances, double y) {
  if (views.size() == 1) return PointInPlane(views[0], pixels[0], covariances[0], y);
  return Triangulate(views, {pixels[0], pixels[1]}, {covariances[0], covariances[1]});
}

/// One marker at all times, from its path in each view.
std::optional<MarkerSamples> Sample(std::span<const Path> paths, const Views& views, double y,
                                    double last, double step, const SampleOptions& options) {
  MarkerSamples samples;
  std::array<std::vector<Place>, kSamples> places;
  std::array<std::vector<Eigen::Matrix<double, 3, 2>>, kSamples> by_pixel;
  for (std::size_t k = 0; k < kSamples; ++k) {
    const double time = last - static_cast<double>(kSamples - 1 - k) * step;
    std::vector<Eigen::Vector2d> pixels;
    std::vector<Eigen::Matrix2d> covariances;
    for (const Path& path : paths) {
      const auto place = PlaceAt(path, time, step, options.max_extrapolation * step);
      if (!place) return std::nullopt;
      Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
      for (std::size_t i = 0; i < kSamples; ++i) {
        if (place->weights[i] != 0.0) pixel += place->weights[i] * path[place->first + i].pixel;
      }
      places[k].push_back(*place);
      pixels.push_back(pixel);
      covariances.push_back(Covariance(path, *place, *place));
    }
    const auto point = Point(views, pixels, covariances, y);
    if (!point) return std::nullopt;
    samples.p_W[k] = point->p_W;
    for (std::size_t side = 0; side < views.size(); ++side) {
      const auto projected = ProjectPoint(views[side], point->p_W);
      if (!projected) return std::nullopt;
      by_pixel[k].push_back(point->covariance * projected->by_point.transpose() *
                            covariances[side].inverse());
    }
  }
  samples.covariance.setZero();
  for (std::size_t k = 0; k < kSamples; ++k) {
    for (std::size_t l = 0; l < kSamples; ++l) {
      auto block = samples.covariance.block<3, 3>(static_cast<int>(3 * k), static_cast<int>(3 * l));
      for (std::size_t side = 0; side < views.size(); ++side) {
        block += by_pixel[k][side] * Covariance(paths[side], places[k][side], places[l][side]) *
                 by_pixel[l][side].transpose();
      }
    }
  }
  samples.covariance *= options.noise_scale * options.noise_scale;
  return samples;
}

}  // namespace

std::optional<SideSamples> SampleMarkers(std::span<const TrackedFrame> frames, bool before,
                                         const MarkerLayout& layout, const Views& views,
                                         const SampleOptions& options) {
  const auto towards_impact = [&](double time) {
    return before ? time - options.impact_time : options.impact_time - time;
  };
  std::vector<std::vector<Path>> paths(layout.p_BM.size(), std::vector<Path>(views.size()));
  std::vector<const TrackedFrame*> side;
  double beyond = std::numeric_limits<double>::infinity();  // the first sighting after the impact
  for (const TrackedFrame& frame : frames) {
    if (frame.left_frame < options.left_frames[0] || frame.left_frame > options.left_frames[1])
      continue;
    if (towards_impact(frame.time) < -options.exclusion) side.push_back(&frame);
    for (const MarkerObservation& seen : frame.observations) {
      const double time = towards_impact(std::isnan(seen.time) ? frame.time : seen.time);
      if (time < -options.exclusion)
        paths[seen.marker][seen.side].push_back({time, seen.pixel, seen.covariance});
      if (time > options.exclusion) beyond = std::min(beyond, time);
    }
  }
  if (side.size() < kSamples) return std::nullopt;
  if (!before) {
    std::reverse(side.begin(), side.end());
    for (std::vector<Path>& views_of : paths) {
      for (Path& path : views_of) std::reverse(path.begin(), path.end());
    }
  }
  SideSamples samples;
  const TrackedFrame &nearest = *side.back(), &farthest = *side[side.size() - kSamples];
  samples.left_frames = {std::min(nearest.left_frame, farthest.left_frame),
                         std::max(nearest.left_frame, farthest.left_frame)};
  samples.step = std::abs(nearest.time - farthest.time) / (kSamples - 1);

  double newest = -std::numeric_limits<double>::infinity();
  for (const std::vector<Path>& views_of : paths) {
    for (const Path& path : views_of) {
      if (!path.empty()) newest = std::max(newest, path.back().time);
    }
  }
  // A frame without sightings may lie next to the impact, a second one not.
  if (!(newest > -options.exclusion - 2.0 * samples.step)) return std::nullopt;
  double last = newest;
  for (const std::vector<Path>& views_of : paths) {
    for (const Path& path : views_of) {
      const bool of_that_frame = !path.empty() && path.back().time > newest - 0.999 * samples.step;
      if (of_that_frame) last = std::min(last, path.back().time);
    }
  }
  samples.last = -last;
  samples.half_frame = 0.5 * (newest + beyond) - last;
  for (std::size_t m = 0; m < paths.size(); ++m) {
    samples.markers.push_back(
        Sample(paths[m], views, layout.p_BM[m].y(), last, samples.step, options));
  }
  return samples;
}

}  // namespace percuss::tracking
