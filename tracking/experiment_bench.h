// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <span>

#include "capture/experiment/experiment.h"
#include "tracking/bench/bench.h"
#include "tracking/trial.h"

namespace percuss::tracking {

/// What the flights of these trials say of the bench (EstimateBench), fitted again with what they
/// say until it rests. Impacts of two cameras count, no slides, at most 200 of them, evenly chosen;
/// without any the stated bench stays. As many trials at a time as options.tracking.num_threads
/// says; `recorded` is called from those threads.
BenchEstimate EstimateBenchOf(const capture::Experiment& experiment, const Bench& stated,
                              std::span<const capture::Trial> trials,
                              const std::function<TrialResult(const capture::Trial&)>& recorded,
                              const TrialOptions& options = {});

}  // namespace percuss::tracking
