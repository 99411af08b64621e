// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "calibration/bundle_adjustment.h"

namespace percuss::calibration {

/// Distances between measured and predicted corners in views that took no part in the estimate.
struct HeldOutError {
  double rms_px = std::numeric_limits<double>::quiet_NaN();     ///< over the used corners
  double median_px = std::numeric_limits<double>::quiet_NaN();  ///< over all measured corners
  double p90_px = std::numeric_limits<double>::quiet_NaN();     ///< over all measured corners
};

/// k-fold cross-validation by view: view v is held out in fold v modulo num_folds. Cameras and
/// right_from_left are estimated from the other views (starting from `bundle`), the board pose of a
/// held-out view is fitted to its own corners with a Huber loss, everything else fixed.
/// @returns NaN if num_folds < 2 or fewer than four views.
HeldOutError CrossValidate(const StereoBundle& bundle, int num_folds, double huber_px,
                           int num_threads);

}  // namespace percuss::calibration
