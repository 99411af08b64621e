// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "pipeline/judgement/judgement.h"

namespace percuss::pipeline {

/// What moves as one body in each trial that has no impact, with the lengths of the calibration as
/// it is. Where nothing does among spots of the stated size, spots of other sizes are looked for in
/// the first such trial: from a hundredth to 25 times, as a wrong unit of board or body makes them;
/// then with this size in the others.
std::vector<tracking::MovingBody> FindMovingBodies(const capture::Experiment& typed,
                                                   const calibration::RigCalibration& calibration,
                                                   const Judgement& judgement,
                                                   Recordings* recordings);

}  // namespace percuss::pipeline
