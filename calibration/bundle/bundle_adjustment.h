// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>

#include "calibration/bundle/bundle.h"

namespace percuss::calibration {

struct AdjustmentOptions {
  double huber_px = 0.0;    ///< distances beyond it count linearly; 0 means least squares
  bool poses_only = false;  ///< cameras and board shape stay: only the poses of the views move
  int max_num_iterations = 100;
};

struct AdjustmentSummary {
  bool converged = false;
  std::string message;
};

/// Minimises, over intrinsics, camera poses, board shape and all board poses at once,
///
///     sum |Project(camera c, X_CF X_FG p_G) - pixel|^2 / PixelSigma^2
///       + (distances and what is known beforehand, each over its sigma)^2.
///
/// One thread, so that equal inputs give equal bits: the solver's threads add up in any order.
///
/// @throws std::invalid_argument if sizes do not agree or a used pixel is not finite.
AdjustmentSummary AdjustBundle(Bundle* bundle, const AdjustmentOptions& options = {});

/// Number of parameters that AdjustBundle moves, without those that only what is known beforehand
/// holds.
int NumFreeParameters(const Bundle& bundle);

/// Inverse covariance of the shared parameters (ParameterPlaces, rows of the surface pose left 0)
/// that one view adds, its own pose unknown.
Eigen::MatrixXd ViewInformation(const Bundle& bundle, const TargetView& view);

/// Covariance of all shared parameters and of the pose of the last view, in the order of
/// ParameterPlaces, all other board poses marginalised out: blocks of the inverse of the normal
/// equations at the current state. Parameters that do not move have zero rows and columns.
/// @returns An empty matrix if the measurements do not determine the parameters.
Eigen::MatrixXd BundleCovariance(const Bundle& bundle);

}  // namespace percuss::calibration
