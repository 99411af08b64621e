// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

#include "calibration/rig/rig_calibration.h"

namespace percuss::pipeline {

/// The calibration with all distances in proportion.
calibration::RigCalibration Scaled(calibration::RigCalibration rig, double factor);

/// The world turned and then shifted: p_W' = R p_W + shift.
calibration::RigCalibration WithWorldMoved(calibration::RigCalibration rig,
                                           const Eigen::Matrix3d& R, const Eigen::Vector3d& shift);

/// One of two cameras turned about its centre, the other and the world where they were: rays of
/// that camera become turn times what they were. `sigma` of each of its three angles [rad] is added
/// to the covariance.
calibration::RigCalibration WithCameraTurned(calibration::RigCalibration rig, std::size_t camera,
                                             const Eigen::Matrix3d& turn, double sigma);

}  // namespace percuss::pipeline
