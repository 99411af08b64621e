// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>

namespace percuss::calibration {

/// The plane that bodies hit: z = 0 of W unless a trial has a surface of its own.
struct SurfacePlane {
  std::string name = {};                              ///< capture::TrialSurface::name
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< out of it, W
  Eigen::Vector3d point = Eigen::Vector3d::Zero();    ///< on it, W [m]
  bool placed = true;  ///< `point` is known; not of a slope, whose axis lies anywhere
  /// Of a small rotation d of the plane (true normal = exp([d]x) normal), beyond what the
  /// calibration's parameters explain.
  Eigen::Matrix3d tilt_covariance = Eigen::Matrix3d::Zero();
  Eigen::MatrixXd tilt_by_rig = {};  ///< d by NumRigParameters; or empty
  std::string reason = {};           ///< why it is not known; empty if it is

  double Height(const Eigen::Vector3d& p_W) const { return normal.dot(p_W - point); }
};

/// The plane turned by a small vector, its point staying.
SurfacePlane Turned(SurfacePlane plane, const Eigen::Vector3d& rotation);

}  // namespace percuss::calibration
