// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"

namespace percuss::tracking {

/// Beyond this is what the check of reference points speaks of: once in 1000 times by chance.
inline constexpr double kReferenceChance = 0.001;

/// A reference point that one camera sees.
struct SeenPoint {
  std::size_t point = 0, camera = 0;
  Eigen::Matrix<double, 2, 3> by_point;  ///< derivative of its pixel by its place, W [px/m]
};

/// What pictures show of reference points less what they should show.
struct PictureResiduals {
  std::vector<SeenPoint> seen;
  Eigen::VectorXd residual;    ///< rows 2 k and 2 k + 1 are of seen[k] [px]
  Eigen::MatrixXd covariance;  ///< of `residual` [px^2]
};

/// What explains residuals that chance gives with probability p, in words: each cause by itself
/// that, fitted by least squares with their covariance, leaves no more than chance does. Causes
/// are that one camera turned about its centre (with one point, its picture shifted), or that one
/// point lies elsewhere (in one picture: is seen elsewhere). With none it says so.
std::string ExplainResiduals(std::span<const capture::ReferencePoint> points,
                             const calibration::RigCalibration& rig,
                             const PictureResiduals& pictures, double p);

}  // namespace percuss::tracking
