// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// The plane of a surface that has pictures of its own: the pose of the board in them with the
/// cameras as calibrated, by least squares over its corners. With H = d(residuals)^T d(residuals)
/// by pose (d) and calibration (c), the pose has the covariance H_dd^-1 beside -H_dd^-1 H_dc of the
/// calibration's errors, both scaled by the misfit where that is above 1.
///
/// A picture that cannot be read, or without the board, gives the reason.
SurfacePlane MeasureSurface(const capture::Experiment& experiment,
                            const capture::TrialSurface& surface,
                            const RigCalibration& calibration);

}  // namespace percuss::calibration
