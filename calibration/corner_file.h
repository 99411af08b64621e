// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/files/files.h"
#include "calibration/quality/residual_pattern.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// corners.csv (docs/calibration-file.md): each corner that the adjustment used, with what it left
/// of it. `image` of a residual counts the views of the calibration.
void WriteCorners(const std::vector<MeasuredResidual>& corners, const RigCalibration& calibration,
                  const Provenance& provenance, const std::filesystem::path& file);

}  // namespace percuss::calibration
