// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle/bundle.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// Coverage, tilt and counts of a bundle; the held-out error stays open.
CalibrationQuality MeasureQuality(const Bundle& bundle);

/// Largest angle between the normals of two boards [deg].
double TiltRange(const Bundle& bundle);

/// Sets verdict and verdict_reasons from everything else in the calibration. It is "poor", each
/// with a reason that says what to photograph or check, if
///   rms_px > 0.5, the held-out rms > 1.3 rms_px, coverage of a camera < 50 %, tilt range < 25 deg,
///   fewer than 6 views, a focal length or a baseline with sigma > 0.3 %,
///   more than 5 % of the corners rejected,
///   a pattern over the image of more than 0.1 px, halves of the views that differ by more than
///   0.1 px and three times what noise explains,
///   points in the working volume with a median sigma above 0.1 % of the size of the volume.
/// Of cameras that another program calibrated: if rms_px > 0.5, or fx with sigma > 0.3 %.
void Judge(RigCalibration* calibration);

}  // namespace percuss::calibration
