// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle/image_cost.h"

#include <Eigen/Geometry>
#include <cmath>

#include "base/math/geometry.h"

namespace percuss::calibration {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// J(d) with exp([d + e]x) = exp([J e]x) exp([d]x) to first order in e.
Matrix3d LeftJacobian(const Vector3d& d) {
  const double angle = d.norm();
  const Matrix3d skew = Skew(d);
  if (angle < 1e-4) return Matrix3d::Identity() + 0.5 * skew + skew * skew / 6.0;
  const double square = angle * angle;
  return Matrix3d::Identity() + (1.0 - std::cos(angle)) / square * skew +
         (angle - std::sin(angle)) / (square * angle) * skew * skew;
}

// Column of a parameter block in the Jacobian that Ceres asks for; nothing where it does not.
Eigen::Map<RowMajor> Block(double** jacobians, int block, int rows, int columns) {
  return {jacobians == nullptr ? nullptr : jacobians[block],
          jacobians == nullptr || jacobians[block] == nullptr ? 0 : rows, columns};
}

// The pose of a camera after a step, with what its derivatives need.
struct SteppedCamera {
  Matrix3d R, left_jacobian;
  Vector3d t;

  SteppedCamera(const Pose& reference, const double* step)
      : R(RotationFromVector(Vector3d(step[0], step[1], step[2])) * reference.R),
        left_jacobian(LeftJacobian({step[0], step[1], step[2]})),
        t(reference.t + Vector3d(step[3], step[4], step[5])) {}
};

// Huber's loss as a factor on the residual: |factor e|^2 = rho(|e|^2). Fills the derivative of
// factor e by e.
double HuberFactor(double huber, const Vector2d& e, Eigen::Matrix2d* by_e) {
  const double size = e.norm();
  if (huber <= 0.0 || size <= huber) {
    by_e->setIdentity();
    return 1.0;
  }
  const double loss = huber * (2.0 * size - huber);  // rho
  const double factor = std::sqrt(loss) / size;
  // d sqrt(rho) / d size = huber / sqrt(rho) along e; across e the direction turns.
  const Eigen::Matrix2d along = e * e.transpose() / (size * size);
  *by_e = huber / std::sqrt(loss) * along + factor * (Eigen::Matrix2d::Identity() - along);
  return factor;
}

Camera WithIntrinsics(Camera camera, const double* intrinsics) {
  std::copy_n(intrinsics, kNumIntrinsics, camera.intrinsics.begin());
  return camera;
}

}  // namespace

ImageCost::ImageCost(const Bundle& bundle, const TargetView& view, std::size_t camera,
                     double huber_px)
    : camera_(bundle.cameras[camera]),
      camera_from_first_(bundle.camera_from_first[camera]),
      board_from_first_(view.board_from_first),
      sigma_(PixelSigma(bundle, view.images[camera])),
      huber_(huber_px / sigma_) {
  const TargetImage& image = view.images[camera];
  const std::vector<Vector2d> bends = BendShapes(bundle.board);
  for (std::size_t k = 0; k < image.pixels.size(); ++k) {
    if (image.used[k] == 0) continue;
    points_.push_back({bundle.board[k], bends[k], image.pixels[k]});
  }
  set_num_residuals(2 * static_cast<int>(points_.size()));
  mutable_parameter_block_sizes()->assign(kImageCostBlocks.begin(), kImageCostBlocks.end());
}

bool ImageCost::Evaluate(const double* const* parameters, double* residuals,
                         double** jacobians) const {
  const Camera camera = WithIntrinsics(camera_, parameters[0]);
  const SteppedCamera stepped(camera_from_first_, parameters[1]);
  // p_F = R0^T exp(-d) (p_G - t0 - dt)
  const Vector3d turn(parameters[2][0], parameters[2][1], parameters[2][2]);
  const Vector3d t_GF =
      board_from_first_.t + Vector3d(parameters[2][3], parameters[2][4], parameters[2][5]);
  const Matrix3d back = RotationFromVector(-turn), back_jacobian = LeftJacobian(-turn);
  const double scale = parameters[3][0];
  const Vector2d warp(parameters[3][1], parameters[3][2]);

  const int rows = num_residuals();
  auto by_intrinsics = Block(jacobians, 0, rows, kNumIntrinsics);
  auto by_camera = Block(jacobians, 1, rows, 6);
  auto by_board = Block(jacobians, 2, rows, 6);
  auto by_shape = Block(jacobians, 3, rows, 3);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Point& point = points_[k];
    const Vector3d p_G = scale * point.place + Vector3d(0.0, 0.0, warp.dot(point.bend));
    const Vector3d turned = back * (p_G - t_GF);
    const Vector3d rotated = stepped.R * (board_from_first_.R.transpose() * turned);
    const Vector3d p_C = rotated + stepped.t;
    if (!(p_C.z() > 0.0)) return false;
    const Projection projection = ProjectWithDerivatives(camera, p_C);
    Eigen::Matrix2d by_e;
    const Vector2d e = (projection.pixel - point.pixel) / sigma_;
    const int row = 2 * static_cast<int>(k);
    Eigen::Map<Vector2d>(residuals + row) = HuberFactor(huber_, e, &by_e) * e;
    if (jacobians == nullptr) continue;
    by_e /= sigma_;
    const Eigen::Matrix<double, 2, 3> by_p_C = by_e * projection.by_point;
    const Eigen::Matrix<double, 2, 3> by_turned =
        by_p_C * stepped.R * board_from_first_.R.transpose();
    const Eigen::Matrix<double, 2, 3> by_p_G = by_turned * back;
    if (by_intrinsics.rows() > 0) {
      by_intrinsics.middleRows<2>(row) = by_e * projection.by_intrinsics;
    }
    if (by_camera.rows() > 0) {
      by_camera.block<2, 3>(row, 0) = -by_p_C * Skew(rotated) * stepped.left_jacobian;
      by_camera.block<2, 3>(row, 3) = by_p_C;
    }
    if (by_board.rows() > 0) {
      by_board.block<2, 3>(row, 0) = by_turned * Skew(turned) * back_jacobian;
      by_board.block<2, 3>(row, 3) = -by_p_G;
    }
    if (by_shape.rows() > 0) {
      by_shape.block<2, 1>(row, 0) = by_p_G * point.place;
      by_shape.block<2, 2>(row, 1) = by_p_G.col(2) * point.bend.transpose();
    }
  }
  return true;
}

EndCost::EndCost(const Bundle& bundle, std::size_t camera, const Vector2d& pixel)
    : camera_(bundle.cameras[camera]),
      camera_from_first_(bundle.camera_from_first[camera]),
      pixel_(pixel),
      sigma_(bundle.pixel_sigma_px) {}

bool EndCost::Evaluate(const double* const* parameters, double* residuals,
                       double** jacobians) const {
  const SteppedCamera stepped(camera_from_first_, parameters[1]);
  const Vector3d rotated =
      stepped.R * Vector3d(parameters[2][0], parameters[2][1], parameters[2][2]);
  const Vector3d p_C = rotated + stepped.t;
  if (!(p_C.z() > 0.0)) return false;
  const Projection projection = ProjectWithDerivatives(WithIntrinsics(camera_, parameters[0]), p_C);
  Eigen::Map<Vector2d>{residuals} = (projection.pixel - pixel_) / sigma_;
  const Eigen::Matrix<double, 2, 3> by_p_C = projection.by_point / sigma_;
  auto by_intrinsics = Block(jacobians, 0, 2, kNumIntrinsics);
  auto by_camera = Block(jacobians, 1, 2, 6);
  auto by_point = Block(jacobians, 2, 2, 3);
  if (by_intrinsics.rows() > 0) by_intrinsics = projection.by_intrinsics / sigma_;
  if (by_camera.rows() > 0) {
    by_camera.leftCols<3>() = -by_p_C * Skew(rotated) * stepped.left_jacobian;
    by_camera.rightCols<3>() = by_p_C;
  }
  if (by_point.rows() > 0) by_point = by_p_C * stepped.R;
  return true;
}

bool LengthCost::Evaluate(const double* const* parameters, double* residuals,
                          double** jacobians) const {
  const Vector3d a(parameters[0][0], parameters[0][1], parameters[0][2]);
  const Vector3d b(parameters[1][0], parameters[1][1], parameters[1][2]);
  const double distance = (a - b).norm();
  if (!(distance > 0.0)) return false;
  residuals[0] = (distance - known_.distance) / known_.sigma;
  const Eigen::RowVector3d by_a = (a - b).transpose() / (distance * known_.sigma);
  auto first = Block(jacobians, 0, 1, 3), second = Block(jacobians, 1, 1, 3);
  if (first.rows() > 0) first = by_a;
  if (second.rows() > 0) second = -by_a;
  return true;
}

}  // namespace percuss::calibration
