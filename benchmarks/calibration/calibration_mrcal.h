// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/bundle/bundle.h"

namespace percuss::benchmarks {

struct MrcalResult {
  double rms_px = 0.0;    ///< of all coordinates that it keeps, as it states it
  double outliers = 0.0;  ///< share of the corners
  double seconds = 0.0;   ///< wall time of the program, on corners that are already found
  std::vector<std::vector<double>> intrinsics;  ///< [camera] fx fy cx cy, then OpenCV's terms
};

/// Whether the program mrcal-calibrate-cameras is in the path.
bool HasMrcal();

/// Runs mrcal-calibrate-cameras on the measured corners of a stereo bundle.
/// @param lens_model Such as LENSMODEL_OPENCV5.
/// @returns Nothing if the program fails or says something unexpected.
std::optional<MrcalResult> RunMrcal(const calibration::Bundle& corners, int columns, int rows,
                                    const std::string& lens_model);

}  // namespace percuss::benchmarks
