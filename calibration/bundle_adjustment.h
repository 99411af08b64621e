// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "calibration/camera.h"

namespace percuss::calibration {

/// What one camera sees of the board in one view.
struct CornerImage {
  std::vector<Eigen::Vector2d> pixels;  ///< one per corner of the board; NaN where not measured
  std::vector<char> used;               ///< corners that count; never one with NaN
};

/// One pair of board images.
struct StereoView {
  std::array<CornerImage, 2> images;  ///< left, right
  Pose board_from_left;               ///< p_G = X * p_L
};

/// Everything that one joint bundle adjustment moves, and the measurements.
struct StereoBundle {
  std::vector<Eigen::Vector3d> board;  ///< corners in board axes [m]
  std::array<Camera, 2> cameras;       ///< left, right
  Pose right_from_left;
  std::vector<StereoView> views;
  bool free_k3 = true;  ///< otherwise both k3 stay as they are
};

struct BundleOptions {
  double huber_px = 0.0;    ///< residuals beyond it count linearly; 0 means least squares
  bool poses_only = false;  ///< cameras and right_from_left stay: only board poses move
  int max_num_iterations = 100;
  int num_threads = 1;
};

struct BundleSummary {
  bool converged = false;
  std::string message;
};

/// Minimises the squared distances between measured and projected corners over intrinsics,
/// right_from_left and all board poses at once:
///
///     r_left = Project(left, X_LG p_G) - pixel,   r_right = Project(right, X_RL X_LG p_G) - pixel.
///
/// @throws std::invalid_argument if sizes do not agree or a used pixel is not finite.
BundleSummary AdjustBundle(StereoBundle* bundle, const BundleOptions& options = {});

/// Measured minus projected pixels of all corners of one image; NaN where not measured or behind
/// the camera.
std::vector<Eigen::Vector2d> Residuals(const StereoBundle& bundle, const StereoView& view,
                                       int camera);

/// Covariance of the 18 intrinsics, right_from_left and the pose of one view (24 + 6 parameters,
/// rotations as small vectors d with R = exp([d]x) R_estimated, before t), all other board poses
/// marginalised out: the blocks of (J^T J)^-1 corner_sigma_px^2 at the current state.
/// Fixed k3 have zero rows and columns.
/// @returns An empty matrix if the measurements do not determine the parameters.
Eigen::MatrixXd BundleCovariance(const StereoBundle& bundle, int view, double corner_sigma_px);

/// Number of parameters that AdjustBundle moves.
int NumFreeParameters(const StereoBundle& bundle);

}  // namespace percuss::calibration
