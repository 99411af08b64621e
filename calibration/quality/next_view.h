// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "calibration/bundle/bundle.h"
#include "calibration/quality/uncertainty.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// The one more picture of the board that would lower the mean variance of triangulated points in
/// the working volume most, among boards at nine places of the first camera's image, near, at and
/// beyond the working distance, straight and tilted by 35 degrees in four directions:
///
///     minimise  trace(sum_p Jp (Sigma^-1 + I_view)^-1 Jp^T),   Jp = PointByParameters.
///
/// Only boards that two cameras see whole count (one, if there is one camera).
/// @param covariance Of all shared parameters, the board's shape too (ParameterPlaces): a view
/// tells about them together.
NextView FindNextView(const Bundle& bundle, const Eigen::MatrixXd& covariance,
                      const RigCalibration& rig, const WorkingVolume& volume);

}  // namespace percuss::calibration
