// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>

#include "base/files/files.h"
#include "tracking/trial.h"

namespace percuss::pipeline {

/// What --enhanced asks for: pictures of every so many frames of a trial, and a page that shows
/// them with all that was looked at and why what was rejected.
/// @param result of tracking::RecordTrial with detection.keep_rejected and labels.keep_unlabelled,
///   also where it failed; @param spots what it found
/// @param folder an empty or missing one
/// @return the page
std::filesystem::path WriteTrialPage(const capture::Experiment& experiment,
                                     const capture::Trial& trial,
                                     const calibration::RigCalibration& calibration,
                                     const tracking::TrialResult& result,
                                     const tracking::TrialSpots& spots, int every,
                                     const Provenance& provenance,
                                     const std::filesystem::path& folder);

}  // namespace percuss::pipeline
