// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_video/view_choice.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "calibration/targets/target_grid.h"

namespace percuss::calibration {

Eigen::VectorXd ViewCoordinates(const std::vector<Eigen::Vector2d>& rays,
                                const std::vector<Eigen::Vector3d>& board, double half_width) {
  constexpr std::size_t kLeastPoints = 6;
  std::vector<Eigen::Vector2d> from, to;
  Eigen::Vector2d middle = Eigen::Vector2d::Zero(), centre = Eigen::Vector2d::Zero();
  for (std::size_t k = 0; k < rays.size(); ++k) {
    if (!rays[k].allFinite()) continue;
    from.push_back(board[k].head<2>());
    to.push_back(rays[k]);
    middle += rays[k];
    centre += board[k].head<2>();
  }
  if (from.size() < kLeastPoints) return {};
  middle /= static_cast<double>(from.size());
  centre /= static_cast<double>(from.size());
  const std::optional<Eigen::Matrix3d> homography = FitHomography(from, to);
  if (!homography) return {};
  // Its columns are the axes of the board and its origin in the camera, up to one scale.
  const Eigen::Vector3d middle_C = *homography * centre.homogeneous();
  const double sign = middle_C.z() < 0.0 ? -1.0 : 1.0;
  const Eigen::Vector3d x = sign * homography->col(0), y = sign * homography->col(1);
  const double distance = sign * middle_C.z() / std::sqrt(x.norm() * y.norm());
  const Eigen::Vector3d normal = x.cross(y).normalized();
  const Eigen::Vector2d along = x.head<2>().normalized();
  Eigen::VectorXd place(7);
  place << middle / half_width, std::log(distance), 1.5 * normal.head<2>(), 0.5 * along;
  if (!place.allFinite()) return {};
  return place;
}

std::vector<std::size_t> ChooseViews(const std::vector<Candidate>& candidates, std::size_t count,
                                     double noise_px) {
  constexpr double kSame = 0.02;  // nothing new: a hundredth of the picture, a degree
  std::vector<double> nearest(candidates.size(), std::numeric_limits<double>::infinity());
  std::vector<double> weight;
  for (const Candidate& candidate : candidates) {
    weight.push_back(1.0 / std::hypot(1.0, candidate.error_px / noise_px));
  }
  std::vector<std::size_t> chosen;
  while (chosen.size() < std::min(count, candidates.size())) {
    std::size_t best = 0;
    double most = -1.0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const double value = chosen.empty() ? weight[k] : weight[k] * nearest[k];
      if (value <= most) continue;
      most = value;
      best = k;
    }
    if (!chosen.empty() && most < kSame * weight[best]) break;
    chosen.push_back(best);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      nearest[k] = std::min(nearest[k], (candidates[k].place - candidates[best].place).norm());
    }
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace percuss::calibration
