// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "report/facts/run_folder.h"

namespace percuss::report {

/// What the viewer shows of trials with ReadShownFacts, as JSON: the body, the cameras and the
/// boards that calibrated them, and of each impact the two flights as they were fitted, the flights
/// after it that the laws predict (the first named law first), the impulse as it grows, the
/// markers, and small pictures. Metres and seconds, W; quaternions w x y z. Empty where no impact
/// has a body to draw.
///
/// @param first name of the law that is shown at first
std::string ViewerScene(const RunFolder& run, const std::vector<TrialFacts>& trials,
                        const std::string& first);

/// The cameras and the boards that calibrated them, alone.
std::string RigScene(const calibration::RigCalibration& calibration);

}  // namespace percuss::report
