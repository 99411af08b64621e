// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "calibration/quality/residual_pattern.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// Standard deviation of a projected coordinate that is taken where neither the file nor the
/// experiment states one [px].
inline constexpr double kUnstatedSigmaPx = 0.3;

/// The calibration of an experiment that names the file of another program: its cameras as they
/// are, and W from the pose of the board in the surface pictures, by least squares over its corners
/// in all cameras. The covariance is that of the cameras (their own, where the file is one of ours,
/// else StatedCovariance) and of the pose, which errs by the noise of the corners and with the
/// cameras: d = e - H_dd^-1 H_dc c (InformationOfPose).
///
/// @param progress Called with the share done, from one thread at a time; may be empty.
/// @param corners gets the used corners.
/// @throws InputError for a file that cannot be read, cameras that are not in it, pictures of
/// another size, and lengths in another unit than the board's.
/// @throws DataError where the board is not seen, or does not fit the cameras.
RigCalibration TakeOverRig(const capture::Experiment& experiment, int num_threads,
                           const std::function<void(double)>& progress,
                           std::vector<MeasuredResidual>* corners);

}  // namespace percuss::calibration
