// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/text/yaml_field.h"
#include "capture/experiment/experiment_body.h"
#include "capture/experiment/trial.h"

namespace percuss::capture {

/// A sphere without markers.
bool IsBall(const MarkedBody& body);

/// A trial of a ball: the clip of one camera, its centres, or two videos of a ball without markers.
bool IsBallTrial(const Trial& trial, const MarkedBody& body);

/// Checks that the trials are of a ball, all or none, and that the file states nothing that only
/// markers can use.
/// @param entries of the list `trials`, the one of each trial
/// @throws InputError naming the line to change
void CheckBallTrials(const YamlField& root, std::span<const YamlField> entries,
                     std::span<const Trial> trials, const MarkedBody& body);

}  // namespace percuss::capture
