// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_video/corner_instants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace percuss::calibration {
namespace {

constexpr std::size_t kMostNodes = 4;
constexpr double kSameTime = 1e-9;  // [s]

// Weights of values at the nodes in the polynomial through them at t = 0, and in its slope there.
struct Weights {
  std::array<double, kMostNodes> value{}, slope{};
};

Weights LagrangeWeights(std::span<const double> nodes) {
  Weights weights;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    double scale = 1.0, product = 1.0, slope = 0.0;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j == k) continue;
      scale *= nodes[k] - nodes[j];
      slope = slope * -nodes[j] + product;
      product *= -nodes[j];
    }
    weights.value[k] = product / scale;
    weights.slope[k] = slope / scale;
  }
  return weights;
}

// Whether the points of two frames are the same ones, moved.
bool Continues(const TimedPoints& from, const TimedPoints& to) {
  Eigen::Array2d lowest = Eigen::Array2d::Constant(std::numeric_limits<double>::infinity());
  Eigen::Array2d highest = -lowest;
  double squares = 0.0;
  int count = 0;
  for (std::size_t k = 0; k < from.points.size(); ++k) {
    if (!from.points[k].allFinite() || !to.points[k].allFinite()) continue;
    lowest = lowest.min(from.points[k].array());
    highest = highest.max(from.points[k].array());
    squares += (to.points[k] - from.points[k]).squaredNorm();
    ++count;
  }
  return count > 0 && std::sqrt(squares / count) < 0.5 * (highest - lowest).matrix().norm();
}

// The neighbouring frames about an instant: [first, last).
struct Neighbours {
  std::size_t first = 0, last = 0;
};

std::optional<Neighbours> NeighboursOf(std::span<const TimedPoints> frames, double time,
                                       double max_gap) {
  const auto follows = [&](std::size_t k) {
    return frames[k + 1].time - frames[k].time <= max_gap && Continues(frames[k], frames[k + 1]);
  };
  const auto after = static_cast<std::size_t>(
      std::ranges::lower_bound(frames, time - kSameTime, {}, &TimedPoints::time) - frames.begin());
  const bool exact = after < frames.size() && frames[after].time < time + kSameTime;
  if (after == frames.size() || (after == 0 && !exact)) return std::nullopt;
  Neighbours near{after, after + 1};
  if (!exact) {
    if (!follows(after - 1)) return std::nullopt;
    near.first = after - 1;
  } else if (near.first > 0 && follows(near.first - 1)) {
    --near.first;  // for the slope
  }
  if (near.last < frames.size() && follows(near.last - 1)) ++near.last;
  if (!exact && near.first > 0 && follows(near.first - 1)) --near.first;
  return near;
}

}  // namespace

std::optional<PointsAtInstant> PointsAt(std::span<const TimedPoints> frames, double time,
                                        double max_gap) {
  const std::optional<Neighbours> near = NeighboursOf(frames, time, max_gap);
  if (!near) return std::nullopt;
  const auto nodes = frames.subspan(near->first, near->last - near->first);
  const std::size_t size = nodes.front().points.size();
  PointsAtInstant at{.points = std::vector<Eigen::Vector2d>(size, Eigen::Vector2d::Zero()),
                     .velocities = std::vector<Eigen::Vector2d>(size, Eigen::Vector2d::Zero())};
  double squares = 0.0;
  for (std::size_t k = 0; k < size; ++k) {
    std::array<double, kMostNodes> times{};
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      times[n] = nodes[n].time - time + (nodes[n].delays.empty() ? 0.0 : nodes[n].delays[k]);
      if (std::abs(times[n]) < kSameTime) times[n] = 0.0;
    }
    const Weights weights = LagrangeWeights({times.data(), nodes.size()});
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      // A frame without weight may lack the point.
      if (weights.value[n] != 0.0) at.points[k] += weights.value[n] * nodes[n].points[k];
      at.velocities[k] += weights.slope[n] * nodes[n].points[k];
      squares += weights.value[n] * weights.value[n];
    }
  }
  if (nodes.size() == 1) {
    at.velocities.assign(size, Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN()));
  }
  at.noise = std::sqrt(squares / static_cast<double>(size));
  return at;
}

double SpeedOf(const PointsAtInstant& at) {
  double squares = 0.0;
  int count = 0;
  for (const Eigen::Vector2d& velocity : at.velocities) {
    if (!velocity.allFinite()) continue;
    squares += velocity.squaredNorm();
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares / count);
}

}  // namespace percuss::calibration
