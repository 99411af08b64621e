// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/next_view.h"

#include <fmt/core.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "calibration/bundle/bundle_adjustment.h"

namespace percuss::calibration {
namespace {

constexpr double kTilt = 35.0 * std::numbers::pi / 180.0;

// How to hold the board, with the words for it.
struct Place {
  double x, y;  // share of the image
  const char* text;
};
constexpr std::array<Place, 9> kPlaces = {{{0.5, 0.5, "in the middle"},
                                           {0.2, 0.25, "at the top left"},
                                           {0.5, 0.25, "at the top"},
                                           {0.8, 0.25, "at the top right"},
                                           {0.2, 0.5, "at the left"},
                                           {0.8, 0.5, "at the right"},
                                           {0.2, 0.75, "at the bottom left"},
                                           {0.5, 0.75, "at the bottom"},
                                           {0.8, 0.75, "at the bottom right"}}};

struct Tilt {
  double about_x, about_y;
  const char* text;
};
constexpr std::array<Tilt, 5> kTilts = {
    {{0.0, 0.0, "facing the camera"},
     {kTilt, 0.0, "its top tilted 35 deg towards the camera"},
     {-kTilt, 0.0, "its top tilted 35 deg away"},
     {0.0, kTilt, "its right side turned 35 deg towards the camera"},
     {0.0, -kTilt, "its left side turned 35 deg towards the camera"}}};

constexpr std::array<double, 3> kDistances = {0.75, 1.0, 1.3};

// The board held with its printed side towards the first camera, columns to the right.
Pose FirstFromBoard(const Bundle& bundle, const Place& place, const Tilt& tilt, double distance) {
  const Camera& camera = bundle.cameras.front();
  const Eigen::Vector2d ray =
      Unproject(camera, {place.x * (camera.width - 1.0), place.y * (camera.height - 1.0)});
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& p : bundle.board) {
    middle += p / static_cast<double>(bundle.board.size());
  }
  Pose pose;
  // Board y points up, camera y down. A positive turn about the camera's x axis brings the top, and
  // about its y axis the right side, nearer.
  pose.R = RotationFromVector({tilt.about_x, 0.0, 0.0}) *
           RotationFromVector({0.0, tilt.about_y, 0.0}) *
           Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
  pose.t = distance * Eigen::Vector3d(ray.x(), ray.y(), 1.0) - pose.R * middle;
  return pose;
}

// The view as the cameras would see it; nothing if too few see the whole board.
std::optional<TargetView> Predict(const Bundle& bundle, const Pose& first_from_board) {
  TargetView view{.images = {}, .board_from_first = first_from_board.Inverse()};
  std::size_t num_seen = 0;
  const std::vector<Eigen::Vector3d> board = ShapedBoard(bundle);
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    const Camera& camera = bundle.cameras[c];
    const Pose camera_from_board = bundle.camera_from_first[c] * first_from_board;
    TargetImage image;
    for (const Eigen::Vector3d& p_G : board) {
      const Eigen::Vector3d p_C = camera_from_board * p_G;
      if (!(p_C.z() > 0.0)) break;
      const Eigen::Vector2d pixel = Project(camera, p_C);
      if (!(pixel.x() > 0.0 && pixel.y() > 0.0 && pixel.x() < camera.width - 1.0 &&
            pixel.y() < camera.height - 1.0)) {
        break;
      }
      image.pixels.push_back(pixel);
    }
    if (image.pixels.size() == board.size()) {
      image.used.assign(board.size(), 1);
      ++num_seen;
    } else {
      image = {};
    }
    view.images.push_back(std::move(image));
  }
  if (num_seen < std::min<std::size_t>(2, bundle.cameras.size())) return std::nullopt;
  return view;
}

}  // namespace

NextView FindNextView(const Bundle& bundle, const Eigen::MatrixXd& covariance,
                      const RigCalibration& rig, const WorkingVolume& volume) {
  NextView best;
  if (volume.points.empty()) return best;
  const int size = NumRigParameters(rig.Places().num_cameras);
  Eigen::MatrixXd weight = Eigen::MatrixXd::Zero(covariance.rows(), covariance.cols());
  for (const Eigen::Vector3d& p_W : volume.points) {
    const auto jacobian = PointByParameters(rig, p_W);
    weight.topLeftCorner(size, size) += jacobian.transpose() * jacobian;
  }
  const double before = weight.cwiseProduct(covariance).sum();
  double least = before;
  for (const Place& place : kPlaces) {
    for (const Tilt& tilt : kTilts) {
      for (const double share : kDistances) {
        const double distance = share * volume.distance.front();
        const Pose first_from_board = FirstFromBoard(bundle, place, tilt, distance);
        if (!first_from_board.t.allFinite()) continue;
        const std::optional<TargetView> view = Predict(bundle, first_from_board);
        if (!view) continue;
        // (Sigma^-1 + I)^-1 = (1 + Sigma I)^-1 Sigma, which also holds for fixed parameters.
        const Eigen::MatrixXd gain =
            Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols()) +
            covariance * ViewInformation(bundle, *view);
        const double after = weight.cwiseProduct(gain.partialPivLu().solve(covariance)).sum();
        if (!(after < least)) continue;
        least = after;
        best = {.text = fmt::format("hold the board {} of the {} image, {:.2f} m away, {}",
                                    place.text, rig.cameras.front().name, distance, tilt.text),
                .sigma_ratio = std::sqrt(after / before)};
      }
    }
  }
  return best;
}

}  // namespace percuss::calibration
