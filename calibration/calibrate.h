// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/bundle/bundle.h"
#include "calibration/quality/residual_pattern.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

struct CalibrationOptions {
  int num_threads = 2;
  int num_folds = 5;  ///< for the held-out error; 0 skips it and all other tests of quality
  std::function<void(const std::string& step, double fraction)> progress =
      {};  ///< called now and then, from one thread at a time; may be empty
};

/// Calibration of one camera or more from an experiment's board images and surface view: corners,
/// per-camera start, one joint bundle adjustment, world frame from the surface view (origin and
/// axes of docs/calibration-file.md, fixed by colour), covariance of all parameters.
///
/// Views in which too few cameras (of two or more: fewer than two) find the board are reported in
/// `views` and left out, and so are views that do not fit the others; single outlier corners are
/// left out and named in the view's reason. The surface view takes part as one more view, whose
/// board axes are those of W.
/// @param corners gets the used corners of all views, `image` counting the views as listed.
/// @throws InputError for an unreadable image or images of one camera of different size (names
/// file, both sizes).
/// @throws DataError when fewer than three views remain, the board is not seen in the surface view,
/// the board does not match its description (too many or too few corners), all boards are parallel,
/// or a camera shares no view with the others.
RigCalibration CalibrateRig(const capture::Experiment& experiment,
                            const CalibrationOptions& options = {},
                            std::vector<MeasuredResidual>* corners = nullptr);

}  // namespace percuss::calibration
