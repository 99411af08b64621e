// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tracking/pose/tracked_frame.h"
#include "tracking/slides/slide_model.h"
#include "tracking/slides/sliding_run.h"

namespace percuss::tracking {

/// What the frames show, as Predict says it.
struct Shown {
  PlateAxes axes;
  std::vector<double> times;
  Eigen::VectorXd values;
  std::vector<Eigen::Matrix3d> whitening;  ///< per frame: L^-1, L L^T the covariance
  std::vector<double> sideways;            ///< place along e [m]
  std::vector<double> sideways_sigma;
  double turn_error = 0.0;  ///< of the turn that all frames share [rad]
};

/// @param places of the run
Shown Show(std::span<const TrackedFrame> frames, const SlidingRun& run,
           const std::vector<int>& places, const SlideSetting& setting);

/// What the model leaves of it, in sigmas.
Eigen::VectorXd SlideResiduals(const SlideModel& model, const Eigen::VectorXd& x,
                               const Shown& shown);

}  // namespace percuss::tracking
