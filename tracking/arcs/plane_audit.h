// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tracking/arcs/arc_problem.h"

namespace percuss::tracking {

/// How fast a motion leaves the plane that a planar fit holds it in.
struct PlaneAudit {
  /// v_y [m/s], w_x, w_z [rad/s] before the impact, then after it: as the sightings show them, with
  /// their covariance (pixels and calibration).
  Eigen::Matrix<double, 6, 1> rates =
      Eigen::Matrix<double, 6, 1>::Constant(std::numeric_limits<double>::quiet_NaN());
  Eigen::Matrix<double, 6, 6> covariance = Eigen::Matrix<double, 6, 6>::Zero();
  /// Of all six against 0.
  double chi2 = std::numeric_limits<double>::quiet_NaN();
};

/// One Gauss-Newton step from a planar fit with all that it holds set free: y, the tilts and their
/// rates. Sizes that the sightings hardly tell (a rod's turn about itself) are kept by a prior of
/// 10 mm, 0.1 rad, 1 m/s, 10 rad/s.
/// @param problem that of the planar fit
/// @param inertia_B with body y a principal axis, or taken so
/// @param residuals of the planar fit; their size and correlation once the step is taken from them
/// are those of the noise
PlaneAudit AuditPlane(const ArcProblem& problem, const Eigen::Matrix3d& inertia_B,
                      std::span<const ArcFrame> frames, const ArcUnknowns& x,
                      std::vector<ArcResidual> residuals,
                      const Eigen::MatrixXd& calibration_covariance);

/// What the motion does beside the plane, if chance does not explain it (once in 10^5 times);
/// otherwise empty.
std::string PlaneWarning(const PlaneAudit& audit);

}  // namespace percuss::tracking
