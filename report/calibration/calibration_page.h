// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/facts/run_folder.h"
#include "report/page/document.h"

namespace percuss::report {

/// Name of the page beside calibration.json.
inline constexpr const char* kCalibrationPage = "calibration.html";

/// The page of a calibration: whether it is good, what the boards covered, what would make it
/// better; then what is left of the corners, what to expect of measurements, and the cameras.
/// @param name of the experiment. @param corners [camera] of all views; empty where not known
Document CalibrationDocument(const std::string& name,
                             const calibration::RigCalibration& calibration,
                             const std::vector<std::vector<CornerFacts>>& corners);

/// The same as one file that needs nothing else. @throws InputError if it cannot be written.
void WriteCalibrationPage(const std::filesystem::path& file, const std::string& name,
                          const calibration::RigCalibration& calibration,
                          const std::vector<std::vector<CornerFacts>>& corners);

}  // namespace percuss::report
