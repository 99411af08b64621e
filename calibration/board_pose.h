// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "calibration/bundle/bundle.h"
#include "calibration/rig/rig_calibration.h"
#include "calibration/targets/board_images.h"

/// The pose of the board in one view of cameras that stay as they are.
namespace percuss::calibration {

/// In the planar experiment the board stands in the plane of motion, which is the x-z plane of W;
/// otherwise its axes are those of W.
Eigen::Matrix3d WorldFromBoard(bool planar);

/// The cameras of a calibration, with the board in one view; its pose is left at the identity.
Bundle BundleOfView(const capture::Board& board, const RigCalibration& calibration,
                    const BoardView& view);

/// The pose by least squares, outliers left out, from the pose that is there.
void AdjustBoardPose(Bundle* bundle);

/// Normal equations of the pose of the one view (d) and the calibration (c), residuals over
/// PixelSigma. The error of the pose is H_dd^-1 (noise) - H_dd^-1 H_dc c.
struct PoseInformation {
  Eigen::Matrix<double, 6, 6> pose = Eigen::Matrix<double, 6, 6>::Zero();  ///< H_dd
  Eigen::Matrix<double, 6, Eigen::Dynamic> pose_rig;  ///< H_dc, columns of ParameterPlaces
  double squares = 0.0;                               ///< sum of squared residuals
  int num = 0;                                        ///< residuals

  /// H_dd^-1, times the misfit where that is above 1.
  Eigen::Matrix<double, 6, 6> Covariance() const;
  /// H_dd^-1 H_dc.
  Eigen::Matrix<double, 6, Eigen::Dynamic> ByRig() const;
};
PoseInformation InformationOfPose(const Bundle& bundle);

}  // namespace percuss::calibration
