// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace percuss::solver {

/// State of a free rigid body: position of the mass centre [m] and rotation of the body in W,
/// velocity of the mass centre [m/s] and angular velocity [rad/s], both in W.
template <typename T>
struct FlightState {
  Eigen::Matrix<T, 3, 1> p_WB = Eigen::Matrix<T, 3, 1>::Zero();
  Eigen::Quaternion<T> q_WB = Eigen::Quaternion<T>::Identity();
  Eigen::Matrix<T, 3, 1> v = Eigen::Matrix<T, 3, 1>::Zero();
  Eigen::Matrix<T, 3, 1> w = Eigen::Matrix<T, 3, 1>::Zero();
};

/// The state of a freely flying rigid body `duration` seconds later (or earlier, when negative):
/// gravity on the mass centre, Euler's equations I w' + w x (I w) = 0 about it; no air.
///
/// The translation is exact. The rotation is integrated by classical Runge-Kutta steps that turn at
/// most `max_angle_per_step` [rad] each, then the quaternion is normalised; angular momentum and
/// spin energy drift by less than 1e-9 (relative) over a turn at the default (the error goes with
/// the fourth power of the step). T is double or a first-order autodiff scalar such as ceres::Jet:
/// the steps run in double, with the variations of the motion, whatever the number of derivatives.
///
/// @param inertia_B inertia about the mass centre in body axes [kg m^2], symmetric positive
/// definite.
/// @param gravity_W [m/s^2]
template <typename T>
FlightState<T> PropagateFlight(const FlightState<T>& state, const Eigen::Matrix3d& inertia_B,
                               const Eigen::Matrix<T, 3, 1>& gravity_W, T duration,
                               double max_angle_per_step = 0.02);

}  // namespace percuss::solver

#include "solver/body/flight_impl.h"  // IWYU pragma: export
