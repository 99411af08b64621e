// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle/bundle.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// Errors of views that took no part in the estimate: the views are dealt into num_folds parts by
/// their number, each is left out in turn, cameras and board shape are estimated from the others,
/// and only its board poses are fitted to it (with a Huber loss, so that a wrong corner does not
/// bend the pose). NaN for num_folds 0 or fewer than four views.
HeldOutError CrossValidate(const Bundle& bundle, int num_folds, double huber_px, int num_threads);

}  // namespace percuss::calibration
