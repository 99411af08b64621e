// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <vector>

#include "capture/experiment/experiment.h"
#include "pipeline/bounces/bounce_options.h"
#include "pipeline/progress.h"
#include "pipeline/run_settings.h"

namespace percuss::pipeline {

/// What an experiment file says of a ball and of one of its trials, as percuss bounce is told it:
/// diameter and mass with their sigmas, inertia, times, tone, and how level the surface is (the
/// stated `gravity_sigma` over g; else as usual).
BounceOptions BounceOptionsOf(const capture::Experiment& experiment, const capture::Trial& trial);

/// What TrackStep is for bodies with markers, for a ball without (Experiment::OfBall): measures the
/// bounces of each trial and writes into tracks/TRIAL all that percuss bounce writes, impacts.json
/// with the trial's name and groups, and trial.json. A trial that fails says so in its trial.json;
/// the others go on.
/// @param calibration_file of the cameras, for trials of two videos
/// @throws InputError for settings that need markers
void BallStep(const capture::Experiment& experiment, const std::vector<capture::Trial>& trials,
              const std::filesystem::path& calibration_file, const RunSettings& settings,
              Progress* progress);

}  // namespace percuss::pipeline
