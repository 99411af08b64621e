// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle_adjustment.h"

namespace percuss::calibration {

/// Start of a bundle adjustment, in place: each camera alone by OpenCV (k3 = 0), board poses from
/// the left camera, and the right_from_left of that view which predicts the right corners of most
/// other views best, so that a few wrong views do no harm.
///
/// Reads board, views[].images and the sizes of the cameras; sets all else. Where a camera alone
/// gives nothing usable (parallel boards), it starts with a field of view of 45 degrees.
void EstimateStart(StereoBundle* bundle, int num_threads);

}  // namespace percuss::calibration
