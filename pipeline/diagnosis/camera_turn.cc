// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/camera_turn.h"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tracking/reference/still_spots.h"

namespace percuss::pipeline {

using Eigen::Vector2d;
using Eigen::Vector3d;

std::vector<Vector2d> StaticPixels(const tracking::VideoSpots& video) {
  std::vector<Vector2d> pixels;
  for (const tracking::StillSpot& spot : tracking::FindStillSpots(video))
    pixels.push_back(spot.pixel);
  return pixels;
}

Eigen::Matrix3d RotationBetween(const std::vector<Vector3d>& from, const std::vector<Vector3d>& to,
                                const std::vector<double>& weights) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(3, 3);
  double total = 0.0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    sum += weight * to[i] * from[i].transpose();
    total += weight * to[i].norm() * from[i].norm();
  }
  constexpr double kOpen = 1e-6;  // decides what the directions do not
  sum += kOpen * total * Eigen::Matrix3d::Identity();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::MatrixXd U = svd.matrixU(), V = svd.matrixV();
  const double sign = (U * V.transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  return U * Vector3d(1.0, 1.0, sign).asDiagonal() * V.transpose();
}

namespace {

constexpr double kNearPx = 2.0;

class TurnSearch {
 public:
  TurnSearch(const calibration::Camera& camera, const std::vector<Vector2d>& before,
             const std::vector<Vector2d>& after)
      : camera_(camera), pixels_before_(before), pixels_after_(after) {
    for (const Vector2d& pixel : before) before_.push_back(Ray(pixel));
    for (const Vector2d& pixel : after) after_.push_back(Ray(pixel));
  }

  std::optional<CameraTurn> Find() const {
    const double near = kNearPx / camera_.intrinsics[0];
    const double most_turned = 10.0 * std::numbers::pi / 180.0;
    Matches best;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double angle = Angle(before_[i], before_[j]);
        if (angle < 20.0 * near) continue;  // says little of the turn about the line of sight
        for (std::size_t k = 0; k < after_.size(); ++k) {
          if (Angle(before_[i], after_[k]) > most_turned) continue;
          for (std::size_t l = 0; l < after_.size(); ++l) {
            if (l == k || std::abs(Angle(after_[k], after_[l]) - angle) > near ||
                Angle(before_[j], after_[l]) > most_turned)
              continue;
            // The third direction fixes what two leave open.
            const Eigen::Matrix3d R =
                RotationBetween({before_[i], before_[j], before_[i].cross(before_[j])},
                                {after_[k], after_[l], after_[k].cross(after_[l])});
            Matches matches = MatchesOf(R);
            if (matches.size() > best.size()) best = std::move(matches);
          }
        }
      }
    }
    const std::size_t needed =
        std::max<std::size_t>(4, (std::min(before_.size(), after_.size()) + 1) / 2);
    if (best.size() < needed) return {};
    return Fitted(best);
  }

 private:
  using Matches = std::vector<std::pair<std::size_t, std::size_t>>;

  Vector3d Ray(const Vector2d& pixel) const {
    return calibration::Unproject(camera_, pixel).homogeneous().normalized();
  }
  static double Angle(const Vector3d& a, const Vector3d& b) {
    return std::atan2(a.cross(b).norm(), a.dot(b));
  }
  Vector2d Turned(const Eigen::Matrix3d& R, std::size_t i) const {
    return calibration::Project(camera_, R * before_[i]);
  }

  Matches MatchesOf(const Eigen::Matrix3d& R) const {
    Matches matches;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const Vector2d pixel = Turned(R, i);
      for (std::size_t k = 0; k < after_.size(); ++k) {
        if ((pixel - pixels_after_[k]).norm() > kNearPx) continue;
        matches.emplace_back(i, k);
        break;
      }
    }
    return matches;
  }

  CameraTurn Fitted(Matches matches) const {
    CameraTurn turn;
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Vector3d> from, to;
      for (const auto& [i, k] : matches) {
        from.push_back(before_[i]);
        to.push_back(after_[k]);
      }
      turn.R = RotationBetween(from, to);
      matches = MatchesOf(turn.R);
    }
    std::vector<double> moved;
    double squares = 0.0;
    for (const auto& [i, k] : matches) {
      moved.push_back((pixels_after_[k] - pixels_before_[i]).norm());
      squares += (pixels_after_[k] - Turned(turn.R, i)).squaredNorm();
    }
    if (matches.empty()) return turn;
    std::ranges::sort(moved);
    turn.moved_px = moved[moved.size() / 2];
    turn.matched = static_cast<int>(matches.size());
    turn.rms_px = std::sqrt(squares / static_cast<double>(matches.size()));
    return turn;
  }

  const calibration::Camera& camera_;
  const std::vector<Vector2d>&pixels_before_, &pixels_after_;
  std::vector<Vector3d> before_, after_;
};

}  // namespace

std::optional<CameraTurn> FindCameraTurn(const calibration::Camera& camera,
                                         const std::vector<Vector2d>& before,
                                         const std::vector<Vector2d>& after) {
  std::optional<CameraTurn> turn = TurnSearch(camera, before, after).Find();
  return turn && turn->matched >= 4 ? turn : std::nullopt;
}

}  // namespace percuss::pipeline
