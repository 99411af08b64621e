// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle.h"

namespace percuss::calibration {

/// Sets the standard deviations of pixels to what the residuals of an adjusted bundle show, so that
/// sharp pictures count for more than blurred ones and the covariance holds for each: the world
/// frame rests on one picture, which may well be worse than the others.
///
///     pixel_sigma_px^2 = sum of all squares / (2 N - free parameters),
///     relative_sigma^2 = (a + S / pixel_sigma_px^2) / (a + f),
///
/// for each picture with n of the N used points: S its sum of squares, f = 2 n (1 - parameters /
/// 2N) its share of the degrees of freedom, and a = 10 of them as if it were like the others, which
/// keeps pictures of a few points from being taken for exact.
///
/// @throws DataError if there are no more measurements than parameters.
void WeighPixels(Bundle* bundle);

}  // namespace percuss::calibration
