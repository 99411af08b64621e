// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spin/spin_search.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/geometry.h"
#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

constexpr double kLeastFacing = 0.53;  // cos of the steepest view: 0.85 of the outline
constexpr int kSearchPoints = 1000;    // on the sphere
constexpr int kPairsPerLag = 10;
// Patterns of less than a tenth of a radian are smoothed away, so that steps of a fifth find them.
constexpr double kSmooth = 0.1;
constexpr int kSearchSize = 41;
// Where neighbouring frames share nothing, odd and even ones make up patterns of their own, and
// anything fits.
constexpr double kLeastOverlap = 0.3;
constexpr double kCoarseStep = 0.2;  // of the turn from frame to frame [rad]

struct ScoredSpin {
  Eigen::Vector3d turn;  ///< from frame to frame [rad]
  double score = 0.0;
};

/// A look on a small grid, smoothed.
BallLook Smoothed(const BallLook& look) {
  BallLook smooth = look;
  smooth.size = kSearchSize;
  smooth.values.assign(kSearchSize * kSearchSize, static_cast<float>(kNaN));
  constexpr int kHalf = 2;
  for (int row = 0; row < kSearchSize; ++row) {
    for (int column = 0; column < kSearchSize; ++column) {
      const Eigen::Vector2d node = smooth.NodeAt(column, row);
      if (node.norm() > BallLook::kReach) continue;
      double sum = 0.0, count = 0.0;
      for (int dy = -kHalf; dy <= kHalf; ++dy) {
        for (int dx = -kHalf; dx <= kHalf; ++dx) {
          const float value =
              look.At(node.x() + kSmooth / kHalf * dx, node.y() + kSmooth / kHalf * dy);
          if (!std::isfinite(value)) continue;
          sum += static_cast<double>(value);
          ++count;
        }
      }
      if (count > 0.0)
        smooth.values[static_cast<std::size_t>(row * kSearchSize + column)] =
            static_cast<float>(sum / count);
    }
  }
  return smooth;
}

class PairScore {
 public:
  explicit PairScore(std::span<const BallLook> looks) {
    for (const BallLook& look : looks) looks_.push_back(Smoothed(look));
    std::vector<double> steps;
    for (std::size_t k = 1; k < looks.size(); ++k)
      steps.push_back(looks[k].time - looks[k - 1].time);
    step_ = *std::ranges::min_element(steps);
    for (const Eigen::Vector3d& point : SpreadOverSphere(kSearchPoints)) {
      if (point.z() > kLeastFacing) points_.push_back(point);
    }
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (const BallLook& look : looks_) {
      std::vector<float>& seen = seen_.emplace_back();
      for (const Eigen::Vector3d& point : points_) {
        seen.push_back(look.At(point.x(), point.y()));
        if (!std::isfinite(seen.back())) continue;
        const auto value = static_cast<double>(seen.back());
        sum += value, squares += value * value, ++count;
      }
    }
    variance_ = static_cast<float>(squares / count - std::pow(sum / count, 2.0));
  }

  double Step() const { return step_; }
  int Count() const { return static_cast<int>(looks_.size()); }

  /// Share of what a frame shows that the next one shows as well.
  double Overlap(const Eigen::Vector3d& turn) const {
    const Eigen::Matrix3d& axes = looks_.front().camera_from_look;
    const Eigen::Matrix3d R =
        axes.transpose() * percuss::RotationFromVector(turn).toRotationMatrix() * axes;
    const auto seen = std::ranges::count_if(
        points_, [&](const Eigen::Vector3d& point) { return R.row(2) * point > kLeastFacing; });
    return static_cast<double>(seen) / static_cast<double>(points_.size());
  }

  /// Per pair of frames, for lags up to `most`.
  double At(const Eigen::Vector3d& turn, int most) const {
    double sum = 0.0;
    int pairs = 0;
    for (int lag = 1; lag <= std::min(most, Count() - 1); lag += std::max(1, lag / 2)) {
      const int room = Count() - lag, take = std::min(room, kPairsPerLag);
      for (int k = 0; k < take; ++k) sum += Pair(turn, k * room / take, k * room / take + lag);
      pairs += take;
    }
    return sum / pairs;
  }

 private:
  double Pair(const Eigen::Vector3d& turn, int i, int j) const {
    const BallLook &from = looks_[i], &to = looks_[j];
    const Eigen::Matrix3d R =
        to.camera_from_look.transpose() *
        percuss::RotationFromVector(turn * ((to.time - from.time) / step_)).toRotationMatrix() *
        from.camera_from_look;
    float sum = 0.0F;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      const Eigen::Vector3d q = R * points_[p];
      if (q.z() < kLeastFacing) continue;
      const float off = to.At(q.x(), q.y()) - seen_[i][p];
      if (std::isfinite(off)) sum += variance_ - 0.5F * off * off;
    }
    return static_cast<double>(sum);
  }

  std::vector<BallLook> looks_;
  double step_ = 1.0;
  std::vector<Eigen::Vector3d> points_;
  std::vector<std::vector<float>> seen_;
  float variance_ = 0.0F;
};

/// The best that are no neighbours of a better one.
std::vector<ScoredSpin> Distinct(std::vector<ScoredSpin> all, double apart, std::size_t most) {
  std::ranges::sort(all, std::greater{}, &ScoredSpin::score);
  std::vector<ScoredSpin> best;
  for (const ScoredSpin& one : all) {
    if (best.size() == most) break;
    if (std::ranges::none_of(
            best, [&](const ScoredSpin& other) { return (one.turn - other.turn).norm() < apart; }))
      best.push_back(one);
  }
  return best;
}

std::vector<ScoredSpin> CoarseSpins(const PairScore& score) {
  const int reach = static_cast<int>(std::ceil(std::numbers::pi / kCoarseStep));
  std::vector<ScoredSpin> all;
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) {
      for (int z = -reach; z <= reach; ++z) {
        const Eigen::Vector3d turn = kCoarseStep * Eigen::Vector3d(x, y, z);
        if (turn.norm() > std::numbers::pi + 0.5 * kCoarseStep) continue;
        if (score.Overlap(turn) < kLeastOverlap) continue;
        all.push_back({turn, score.At(turn, 1)});
      }
    }
  }
  constexpr std::size_t kKeep = 40;
  return Distinct(std::move(all), 1.5 * kCoarseStep, kKeep);
}

/// Steps to the best of the neighbours as long as there is a better one.
ScoredSpin Climb(const PairScore& score, const ScoredSpin& start, double step, int lag) {
  ScoredSpin best{start.turn, score.At(start.turn, lag)};
  for (int round = 0; round < 8; ++round) {
    const Eigen::Vector3d middle = best.turn;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        const Eigen::Vector3d turn = best.turn + sign * step * Eigen::Vector3d::Unit(axis);
        const double value = score.At(turn, lag);
        if (value > best.score) best = {turn, value};
      }
    }
    if (best.turn == middle) break;
  }
  return best;
}

}  // namespace

std::vector<Eigen::Vector3d> SpreadOverSphere(int count) {
  std::vector<Eigen::Vector3d> points;
  for (int k = 0; k < count; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / count, r = std::sqrt(1.0 - z * z);
    const double angle = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
    points.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  return points;
}

std::vector<Eigen::Vector3d> FindSpins(std::span<const BallLook> looks) {
  const PairScore score(looks);
  std::vector<ScoredSpin> spins = CoarseSpins(score);
  std::size_t keep = spins.size();
  for (int lag = 1;; lag *= 2) {
    const int most = std::min(lag, score.Count() - 1);
    for (ScoredSpin& spin : spins) {
      spin = Climb(score, spin, 0.5 * kCoarseStep / most, most);
      spin = Climb(score, spin, 0.2 * kCoarseStep / most, most);
    }
    keep = std::max<std::size_t>(4, keep / 2);
    spins = Distinct(std::move(spins), 0.5 * kCoarseStep / most, keep);
    if (lag >= score.Count() - 1) break;
  }
  std::vector<Eigen::Vector3d> omegas;
  for (const ScoredSpin& spin : spins) omegas.emplace_back(spin.turn / score.Step());
  return omegas;
}

}  // namespace percuss::tracking
