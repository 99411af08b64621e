// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/suspects/free_fall.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

namespace percuss::pipeline {
namespace {

constexpr int kWindow = 10;

struct Window {
  Eigen::Vector3d acceleration;
  double sigma;     ///< of each component
  double residual;  ///< rms of a coordinate about the parabola [m]
  int first, last;
};

/// Parabolas through all windows of frames that have a pose.
std::vector<Window> Windows(std::span<const tracking::TrackedFrame> frames) {
  std::vector<int> seen;
  for (int k = 0; k < static_cast<int>(frames.size()); ++k) {
    if (frames[k].pose.found) seen.push_back(k);
  }
  std::vector<Window> windows;
  for (int begin = 0; begin + kWindow <= static_cast<int>(seen.size()); ++begin) {
    const int first = seen[begin], last = seen[begin + kWindow - 1];
    if (last - first > 2 * kWindow) continue;  // mostly hidden
    Eigen::Matrix<double, kWindow, 3> powers, places;
    for (int i = 0; i < kWindow; ++i) {
      const tracking::TrackedFrame& frame = frames[seen[begin + i]];
      const double t = frame.time - frames[first].time;
      powers.row(i) << 1.0, t, 0.5 * t * t;
      places.row(i) = frame.pose.pose.p_WB.transpose();
    }
    const Eigen::Matrix3d normal = powers.transpose() * powers;
    const Eigen::Matrix3d solution = normal.ldlt().solve(powers.transpose() * places);
    const double squares = (places - powers * solution).squaredNorm() / (3.0 * (kWindow - 3));
    const Eigen::Vector3d unit = normal.ldlt().solve(Eigen::Vector3d::UnitZ());
    windows.push_back({solution.row(2).transpose(), std::sqrt(squares * unit[2]),
                       std::sqrt(squares), first, last});
  }
  return windows;
}

}  // namespace

FreeFall MeasureFreeFall(std::span<const tracking::TrackedFrame> frames) {
  std::vector<Window> windows = Windows(frames);
  if (windows.empty()) return {};
  // A window with an impact or a release in it leaves millimetres where noise leaves some tenths.
  constexpr double kFits = 3.0, kFloor = 2e-4;
  std::vector<double> residuals;
  for (const Window& window : windows) residuals.push_back(window.residual);
  std::ranges::sort(residuals);
  const double limit = std::max(kFloor, kFits * residuals[residuals.size() / 4]);
  std::erase_if(windows, [&](const Window& w) {
    return w.residual > limit || w.acceleration.norm() < 6.0 * w.sigma;
  });
  const auto agrees = [](const Window& a, const Window& b) {
    return (a.acceleration - b.acceleration).norm() <
           4.0 * std::hypot(a.sigma, b.sigma) + 0.03 * a.acceleration.norm();
  };
  const Window* centre = nullptr;
  std::ptrdiff_t most = 0;
  for (const Window& window : windows) {
    const auto count =
        std::ranges::count_if(windows, [&](const Window& other) { return agrees(window, other); });
    if (count > most) {
      most = count;
      centre = &window;
    }
  }
  if (!centre) return {};
  FreeFall fall{.found = true, .first = centre->first, .last = centre->last};
  double weight = 0.0;
  for (const Window& window : windows) {
    if (!agrees(*centre, window)) continue;
    const double own = 1.0 / (window.sigma * window.sigma);
    fall.acceleration += own * window.acceleration;
    weight += own;
    fall.first = std::min(fall.first, window.first);
    fall.last = std::max(fall.last, window.last);
  }
  fall.acceleration /= weight;
  // Neighbouring windows share their frames: as many count as do not overlap.
  fall.sigma = std::sqrt(static_cast<double>(most) / weight /
                         std::max(1.0, static_cast<double>(most) / kWindow));
  return fall;
}

}  // namespace percuss::pipeline
