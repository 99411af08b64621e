// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "pipeline/judgement/hypothesis.h"
#include "pipeline/judgement/judgement.h"

namespace percuss::pipeline {

/// Trials in which a camera does not stand as it stood when it was calibrated.
struct MovedCamera {
  Hypothesis hypothesis;  ///< to leave them out
  Judgement judgement;    ///< of these trials with the camera as it stands there
};

/// Where some trials are in order and others are not: what stands still in the pictures of one
/// camera is elsewhere in the others (FindCameraTurn), and with that camera turned by it nothing is
/// left to complain of there, nor of the trials in order by themselves.
std::optional<MovedCamera> FindMovedCamera(const capture::Experiment& typed,
                                           const calibration::RigCalibration& calibration,
                                           const Judgement& as_typed, Recordings* recordings);

}  // namespace percuss::pipeline
