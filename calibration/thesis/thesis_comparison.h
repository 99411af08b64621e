// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle/bundle.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// The thesis' chain (thesis_chain.h: each camera alone, two radial terms, no skew; relative pose
/// as the mean over the views) on the used corners of a bundle, beside the joint adjustment. A
/// reason in place of rows if one of the cameras cannot be calibrated that way, or its lens is a
/// fisheye.
ThesisComparison CompareWithThesis(const Bundle& bundle, const RigCalibration& rig);

}  // namespace percuss::calibration
