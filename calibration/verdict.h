// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle_adjustment.h"
#include "calibration/stereo_calibration.h"

namespace percuss::calibration {

/// Share of the cells of a 6 x 4 raster of one camera's image in which some view has a used corner.
double Coverage(const StereoBundle& bundle, int camera);

/// Largest angle between the normals of two boards [deg].
double TiltRange(const StereoBundle& bundle);

/// Sets verdict and verdict_reasons from everything else in the calibration. It is "poor", each
/// with a reason that says what to photograph or check, if
///   rms_px > 0.5, rms_px_heldout > 1.3 rms_px, coverage of a camera < 50 %, tilt range < 25 deg,
///   fewer than 6 views, a focal length with sigma > 0.3 % or a baseline with sigma > 0.3 %,
///   more than 5 % of the corners rejected.
void Judge(StereoCalibration* calibration);

/// Sigma of the distance between the cameras [m], from the covariance.
double BaselineSigma(const StereoCalibration& calibration);

}  // namespace percuss::calibration
