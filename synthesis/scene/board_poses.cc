// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/board_poses.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

namespace percuss::synthesis {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kMarginPx = 4.0;  // between the paper and the border of the picture

double RadicalInverse(int number, int base) {
  double value = 0.0, share = 1.0;
  for (; number > 0; number /= base) {
    share /= base;
    value += share * (number % base);
  }
  return value;
}

// Whether the whole paper, with its margin, is seen.
bool InView(const Camera& camera, const capture::Board& board, const BoardPose& pose) {
  const BoardExtent extent = BoardExtentOf(board);
  for (const double a : {-extent.beyond, extent.points.x() + extent.beyond}) {
    for (const double b : {-extent.beyond, extent.points.y() + extent.beyond}) {
      const Vector3d p_W = pose.R * Vector3d(a * board.square, -b * board.square, 0.0) + pose.t;
      const std::optional<Vector2d> pixel = Project(camera, p_W);
      if (!pixel || !InImage(camera, *pixel, kMarginPx)) return false;
    }
  }
  return true;
}

class BoardPlacer {
 public:
  BoardPlacer(const std::vector<Camera>& cameras, const capture::Board& board, std::uint32_t seed)
      : cameras_(cameras), board_(board), random_(seed) {}

  // The middle of the board in the left picture at a share of its width and height.
  BoardPose Try(double across, double down) {
    const Camera& left = cameras_[0];
    const Vector2d pixel(across * left.width, down * left.height);
    const Vector2d ray = RayOf(left, pixel).value_or(Vector2d::Zero());
    const BoardExtent extent = BoardExtentOf(board_);
    const double width = (extent.points.x() + 2.0 * extent.beyond) * board_.square;
    const double depth = left.fx * width / (Uniform(0.2, 0.42) * left.width);
    const Vector3d centre =
        left.Position() + left.R_CW.transpose() * (depth * Vector3d(ray.x(), ray.y(), 1.0));

    Vector3d eye = Vector3d::Zero();
    for (const Camera& camera : cameras_) eye += camera.Position() / double(cameras_.size());
    const Vector3d towards = (eye - centre).normalized();
    const Vector3d right = left.R_CW.row(0).transpose();
    const Vector3d x = (right - right.dot(towards) * towards).normalized();
    Matrix3d facing;
    facing << x, towards.cross(x), towards;
    constexpr double kLargestTilt = 0.65, kLargestTurn = 0.6;  // [rad]
    const double direction = Uniform(0.0, 2.0 * std::numbers::pi);
    const Vector3d axis(std::cos(direction), std::sin(direction), 0.0);
    BoardPose pose;
    pose.R = facing * Eigen::AngleAxisd(kLargestTilt * std::sqrt(Uniform(0.1, 1.0)), axis) *
             Eigen::AngleAxisd(Uniform(-kLargestTurn, kLargestTurn), Vector3d::UnitZ());
    const Vector3d middle(0.5 * extent.points.x() * board_.square,
                          -0.5 * extent.points.y() * board_.square, 0.0);
    pose.t = centre - pose.R * middle;
    return pose;
  }

  bool Seen(const BoardPose& pose) const {
    return std::ranges::all_of(cameras_,
                               [&](const Camera& camera) { return InView(camera, board_, pose); });
  }

 private:
  double Uniform(double lowest, double highest) {
    return lowest + (highest - lowest) * (static_cast<double>(random_()) * 0x1.0p-32);
  }

  const std::vector<Camera>& cameras_;
  const capture::Board& board_;
  std::mt19937 random_;
};

}  // namespace

std::vector<BoardPose> PlaceBoards(const std::vector<Camera>& cameras, const capture::Board& board,
                                   int count, std::uint32_t seed) {
  BoardPlacer placer(cameras, board, seed);
  std::vector<BoardPose> poses;
  const int most = 2000 + 500 * count;
  for (int number = 1; number <= most && static_cast<int>(poses.size()) < count; ++number) {
    const BoardPose pose = placer.Try(RadicalInverse(number, 2), RadicalInverse(number, 3));
    if (placer.Seen(pose)) poses.push_back(pose);
  }
  if (static_cast<int>(poses.size()) < count) {
    throw std::invalid_argument(
        fmt::format("{} places where {} the whole board", poses.size(),
                    cameras.size() == 1 ? "the camera sees" : "both cameras see"));
  }
  return poses;
}

}  // namespace percuss::synthesis
