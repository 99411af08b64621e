// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ceres/sized_cost_function.h>

#include <Eigen/Core>
#include <vector>

#include "calibration/bundle/bundle.h"

namespace percuss::calibration {

/// Sizes of the parameter blocks of ImageCost: intrinsics, camera pose, board pose, board shape.
inline constexpr std::array<int, 4> kImageCostBlocks = {kNumIntrinsics, 6, 6, 3};

/// All used points of one image, with analytic derivatives:
///
///     r = f(|e|) e,   e = (Project(camera, X_CF X_FG p_G) - pixel) / sigma,
///
/// where f turns the sum of squares into Huber's loss beyond `huber_px` (f = 1 below). Poses are
/// steps (d, dt) away from those in the bundle: R = exp([d]x) R0, t = t0 + dt, so that the Jacobian
/// at zero steps is by the small vectors of ParameterPlaces. Fails where a point lies behind the
/// camera.
class ImageCost final : public ceres::CostFunction {
 public:
  /// Refers to the bundle, which must outlive it; poses and points are those at construction.
  ImageCost(const Bundle& bundle, const TargetView& view, std::size_t camera, double huber_px);
  bool Evaluate(const double* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  struct Point {
    Eigen::Vector3d place;        ///< on the board as described [m]
    Eigen::Vector2d bend, pixel;  ///< shape of its two bends; in the image
  };
  Camera camera_;
  Pose camera_from_first_, board_from_first_;
  double sigma_, huber_;
  std::vector<Point> points_;
};

/// One image of one end of a known distance, with blocks intrinsics, camera pose, point in axes of
/// the first camera.
class EndCost final : public ceres::SizedCostFunction<2, kNumIntrinsics, 6, 3> {
 public:
  EndCost(const Bundle& bundle, std::size_t camera, const Eigen::Vector2d& pixel);
  bool Evaluate(const double* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  Camera camera_;
  Pose camera_from_first_;
  Eigen::Vector2d pixel_;
  double sigma_;
};

/// (|a - b| - distance) / sigma.
class LengthCost final : public ceres::SizedCostFunction<1, 3, 3> {
 public:
  explicit LengthCost(const KnownDistance& known) : known_(known) {}
  bool Evaluate(const double* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  const KnownDistance& known_;
};

}  // namespace percuss::calibration
