// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "calibration/thesis/thesis_chain.h"

/// The stereo part of the thesis' chain (sun2017 4.2.2 to 4.2.5), in the row-vector form of
/// thesis_chain.h.
namespace percuss::calibration::thesis {

/// Camera 2 from camera 1, x_2 = x_1 R12 + t12, where both saw the same target:
///     R12 = R1' R2,   t12 = t2 - t1 R12.
Pose RelativePose(const Pose& camera1_from_target, const Pose& camera2_from_target);

/// Relative poses from all views that both cameras have; they differ since each camera was
/// calibrated alone.
struct RelativePoses {
  std::vector<Pose> views;           ///< NaN where a camera has no pose
  Pose first;                        ///< of the first view with both: what one view's tables give
  Pose mean;                         ///< nearest rotation to the mean of all R12, mean of all t12
  double rotation_spread = kNaN;     ///< rms angle of the views to the mean [rad]
  double translation_spread = kNaN;  ///< rms distance of the views' t12 to the mean [m]
};

/// @throws std::invalid_argument if the cameras have different numbers of views.
RelativePoses RelativePosesOfViews(const std::vector<Pose>& camera1_from_target,
                                   const std::vector<Pose>& camera2_from_target);

struct Camera {
  Intrinsics intrinsics;
  Pose pose;  ///< camera from world
};

/// Pixel of a point of the world [m]; NaN if it is not in front of the camera.
Eigen::Vector2d Project(const Camera& camera, const Eigen::RowVector3d& point);

/// The pixel that a lens without distortion would show; NaN beyond the fold of the distortion,
/// where rho (1 + k1 rho^2 + k2 rho^4) ceases to grow.
Eigen::Vector2d Undistorted(const Intrinsics& intrinsics, const Eigen::Vector2d& pixel);

struct Triangulation {
  Eigen::RowVector3d linear = Eigen::RowVector3d::Constant(kNaN);  ///< of the four equations [m]
  Eigen::RowVector3d point = Eigen::RowVector3d::Constant(kNaN);   ///< refined [m]
  double reprojection_error_px = kNaN;  ///< mean of the two distances at `point`
  std::string reason;                   ///< why there is no point; empty if there is
};

/// The point seen at one pixel in each camera. With P = [R; t] K and undistorted pixels (u, v) the
/// least-squares solution of
///     [X Y Z 1] (P_1 - u P_3) = 0,   [X Y Z 1] (P_2 - v P_3) = 0       (columns of P, two cameras)
/// then Gauss-Newton on the distances in both images as measured.
Triangulation Triangulate(const std::array<Camera, 2>& cameras,
                          const std::array<Eigen::Vector2d, 2>& pixels);

/// K, R and t of one camera as in Tables 2.4 and 4.2: row-vector matrices, t in mm.
std::string CameraTable(const std::string& name, const Camera& camera);

/// Distortion, mean reprojection error and pose with respect to camera 1, as in Table 4.3.
/// mean_errors_px are those of Calibration.
std::string StereoTable(const std::array<Intrinsics, 2>& intrinsics,
                        const std::array<double, 2>& mean_errors_px, const Pose& relative);

}  // namespace percuss::calibration::thesis
