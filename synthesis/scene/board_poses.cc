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
constexpr double kFlattest = 0.4;  // cosine of the board's normal to the direction of a camera

double RadicalInverse(int number, int base) {
  double value = 0.0, share = 1.0;
  for (; number > 0; number /= base) {
    share /= base;
    value += share * (number % base);
  }
  return value;
}

// In axes of the board.
Vector3d MiddleOf(const capture::Board& board) {
  const Vector2d points = BoardExtentOf(board).points;
  return {0.5 * points.x() * board.square, -0.5 * points.y() * board.square, 0.0};
}

// Whether the whole paper, with its margin, is seen, and not at too flat an angle.
bool InView(const Camera& camera, const capture::Board& board, const BoardPose& pose) {
  const BoardExtent extent = BoardExtentOf(board);
  const Vector3d middle = pose.R * MiddleOf(board) + pose.t;
  const Vector3d towards = (camera.Position() - middle).normalized();
  if (!(pose.R.col(2).dot(towards) > kFlattest)) return false;
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

  // The middle of the board in the picture of a camera at a share of its width and height.
  BoardPose Try(const Camera& seen_by, double across, double down) {
    const Vector2d pixel(across * seen_by.width, down * seen_by.height);
    const Vector2d ray = RayOf(seen_by, pixel).value_or(Vector2d::Zero());
    const BoardExtent extent = BoardExtentOf(board_);
    const double width = (extent.points.x() + 2.0 * extent.beyond) * board_.square;
    const double depth = seen_by.fx * width / (Uniform(0.2, 0.42) * seen_by.width);
    const Vector3d centre =
        seen_by.Position() + seen_by.R_CW.transpose() * (depth * Vector3d(ray.x(), ray.y(), 1.0));

    Vector3d eye = Vector3d::Zero();
    for (const Camera& camera : cameras_) eye += camera.Position() / double(cameras_.size());
    const Vector3d towards = (eye - centre).normalized();
    const Vector3d right = seen_by.R_CW.row(0).transpose();
    const Vector3d x = (right - right.dot(towards) * towards).normalized();
    Matrix3d facing;
    facing << x, towards.cross(x), towards;
    constexpr double kLargestTilt = 0.65, kLargestTurn = 0.6;  // [rad]
    const double direction = Uniform(0.0, 2.0 * std::numbers::pi);
    const Vector3d axis(std::cos(direction), std::sin(direction), 0.0);
    BoardPose pose;
    pose.R = facing * Eigen::AngleAxisd(kLargestTilt * std::sqrt(Uniform(0.1, 1.0)), axis) *
             Eigen::AngleAxisd(Uniform(-kLargestTurn, kLargestTurn), Vector3d::UnitZ());
    pose.t = centre - pose.R * MiddleOf(board_);
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

// As many as are found, up to a count, that all cameras see.
std::vector<BoardPose> SeenByAll(const std::vector<Camera>& cameras, const capture::Board& board,
                                 int count, std::uint32_t seed) {
  BoardPlacer placer(cameras, board, seed);
  std::vector<BoardPose> poses;
  const std::size_t in_turn = cameras.size() > 2 ? cameras.size() : 1;
  const int most = 2000 + 500 * count;
  for (int number = 1; number <= most && std::ssize(poses) < count; ++number) {
    const auto place = static_cast<int>(number / in_turn);
    const BoardPose pose =
        placer.Try(cameras[number % in_turn], RadicalInverse(place, 2), RadicalInverse(place, 3));
    if (placer.Seen(pose)) poses.push_back(pose);
  }
  return poses;
}

// Boards that two neighbours in the list of cameras see, each two in turn; the last camera and the
// first are neighbours, too, where they have places for them.
std::vector<BoardPose> SeenByNeighbours(const std::vector<Camera>& cameras,
                                        const capture::Board& board, int count,
                                        std::uint32_t seed) {
  const std::size_t num_cameras = cameras.size();
  const int share = 1 + (count - 1) / static_cast<int>(num_cameras - 1);
  std::vector<std::vector<BoardPose>> of_pair;
  for (std::size_t first = 0; first < num_cameras; ++first) {
    const std::size_t second = (first + 1) % num_cameras;
    std::vector<BoardPose> found = SeenByAll({cameras[first], cameras[second]}, board, share, seed);
    if (std::ssize(found) == share) {
      of_pair.push_back(std::move(found));
    } else if (second != 0) {
      throw std::invalid_argument(
          fmt::format("{} places where cameras {} and {} see the whole board", found.size(),
                      first + 1, second + 1));
    }
  }
  std::vector<BoardPose> poses;
  for (std::size_t k = 0; std::ssize(poses) < count; ++k)
    poses.push_back(of_pair[k % of_pair.size()][k / of_pair.size()]);
  return poses;
}

}  // namespace

std::vector<BoardPose> PlaceBoards(const std::vector<Camera>& cameras, const capture::Board& board,
                                   int count, std::uint32_t seed) {
  const std::vector<BoardPose> poses = SeenByAll(cameras, board, count, seed);
  if (std::ssize(poses) == count) return poses;
  if (cameras.size() > 2) return SeenByNeighbours(cameras, board, count, seed);
  throw std::invalid_argument(
      fmt::format("{} places where {} the whole board", poses.size(),
                  cameras.size() == 1 ? "the camera sees" : "both cameras see"));
}

}  // namespace percuss::synthesis
