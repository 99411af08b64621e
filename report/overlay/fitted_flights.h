// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "report/facts/run_folder.h"
#include "report/overlay/body_drawing.h"

namespace percuss::report {

/// The two flights of an impact as they were fitted.
struct FittedImpact {
  const ImpactPictures* impact = nullptr;
  double begin = kNaN, end = kNaN;  ///< of the flights [s]
  Flight before, after;             ///< at the impact
  Eigen::Vector3d contact = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();

  Flight At(double time) const {
    return solver::PropagateFlight<double>(time < impact->time ? before : after, inertia,
                                           impact->gravity, time - impact->time);
  }
};

/// Of the impacts of a trial with ReadShownFacts, those with two flights and all velocities.
std::vector<FittedImpact> FittedImpacts(const RunFolder& run, const TrialFacts& trial);

/// Mean time between frames of a trial with poses [s].
double FrameInterval(const std::vector<PoseFacts>& poses);

}  // namespace percuss::report
