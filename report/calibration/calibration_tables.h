// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "calibration/rig/rig_calibration.h"
#include "report/page/document.h"

namespace percuss::report {

// Tables of a calibration, for the report and for its own page.

Table CameraTable(const calibration::RigCalibration& calibration);
Table DistortionTable(const calibration::RigCalibration& calibration);
Table ResidualTable(const calibration::RigCalibration& calibration);
/// Where the other cameras stand to the first.
Table StereoTable(const calibration::RigCalibration& calibration);
/// What the verdict rests on, beside the residuals.
Table CoverageTable(const calibration::RigCalibration& calibration);
/// One row for each view, in their order.
Table ViewTable(const calibration::RigCalibration& calibration);
/// What random corner errors do to measurements, and what two halves of the views say.
Table PredictedTable(const calibration::RigCalibration& calibration);

}  // namespace percuss::report
