// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>

#include "tracking/pose/tracked_frame.h"

namespace percuss::pipeline {

/// How a body falls, whatever gravity and times were typed.
struct FreeFall {
  bool found = false;
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();  ///< of the mass centre, W [m/s^2]
  double sigma = 0.0;                                      ///< of each component
  int first = 0, last = 0;  ///< places of frames between which it was seen
};

/// The constant acceleration that most of the trial shows: parabolas through the mass centres of
/// windows of ten frames, those that fit and do not rest, and of these the largest set that agrees
/// within 4 sigmas and 3 %. A body that is held still does not fall, one that a hand leads seldom
/// keeps one acceleration as long as a flight does.
FreeFall MeasureFreeFall(std::span<const tracking::TrackedFrame> frames);

}  // namespace percuss::pipeline
