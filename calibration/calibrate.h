// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "calibration/stereo_calibration.h"
#include "capture/experiment.h"

namespace percuss::calibration {

struct CalibrationOptions {
  int num_threads = 2;
  int num_folds = 5;  ///< for rms_px_heldout; 0 skips it
  std::function<void(const std::string& step, double fraction)> progress =
      {};  ///< called now and then, from one thread at a time; may be empty
};

/// Stereo calibration from an experiment's board images and surface pair: corners, per-camera
/// start, one joint bundle adjustment, world frame from the surface pair (origin and axes of
/// DESIGN.md section 2, fixed by colour), covariance of all 30 parameters.
///
/// Pairs in which the board is not found are reported in `views` and left out, and so are pairs
/// that do not fit the others; single outlier corners are left out and named in the view's reason.
/// The surface pair takes part as one more view, whose board axes are those of W.
/// @throws InputError for an unreadable image or images of different size (names file, both sizes).
/// @throws DataError when fewer than three pairs remain, the board is not seen in the surface pair,
/// the board does
///   not match its description (too many or too few corners) or looks the same from both ends
///   (columns + rows even), or all boards are parallel.
StereoCalibration CalibrateStereo(const capture::Experiment& experiment,
                                  const CalibrationOptions& options = {});

}  // namespace percuss::calibration
