// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle/bundle.h"

namespace percuss::calibration {

/// Sets the standard deviations of pixels to what the residuals of an adjusted bundle show, so that
/// sharp pictures count for more than blurred ones and the covariance holds for each: the world
/// frame rests on one picture, which may well be worse than the others.
///
///     pixel_sigma_px^2 = sum of all squares / (2 N - free parameters),
///     (relative_sigma pixel_sigma_px)^2 = (a m + S) / (a + f),
///
/// for each picture with n of the N used points: S its sum of squares, f its share of the degrees
/// of freedom (2 N - free parameters) n / N. m is the geometric mean of S / f over the pictures,
/// and a = 2 / (variance of log S / f beyond the 2 / f that chance makes): where pictures do not
/// differ by more than chance, all count the same (G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3,
/// 2004, first terms of its digamma functions).
///
/// @throws DataError if there are no more measurements than parameters.
void WeighPixels(Bundle* bundle);

}  // namespace percuss::calibration
