// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "solver/body/scalar.h"

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

namespace internal {

/// How a torque-free body turns in `duration`: the rotation from the old to the new body axes (unit
/// quaternion w x y z) and the angular velocity in body axes, both with their derivatives by the
/// initial body angular velocity and by the duration.
struct SpinFlow {
  Eigen::Vector4d turn;
  Eigen::Vector3d w_body;
  Eigen::Matrix<double, 4, 4> turn_by_w_and_duration;    ///< columns: w_body (3), duration
  Eigen::Matrix<double, 3, 4> w_body_by_w_and_duration;  ///< likewise
};

/// @param with_derivatives false leaves the two derivative blocks unset, at a quarter of the cost.
SpinFlow PropagateSpin(const Eigen::Vector3d& w_body, const Eigen::Matrix3d& inertia_B,
                       double duration, double max_angle_per_step, bool with_derivatives);

}  // namespace internal

template <typename T>
FlightState<T> PropagateFlight(const FlightState<T>& state, const Eigen::Matrix3d& inertia_B,
                               const Eigen::Matrix<T, 3, 1>& gravity_W, T duration,
                               double max_angle_per_step) {
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  FlightState<T> end;
  end.p_WB = state.p_WB + duration * (state.v + gravity_W * (duration * T(0.5)));
  end.v = state.v + gravity_W * duration;

  const Vector3 w_body = state.q_WB.conjugate() * state.w;
  const internal::SpinFlow flow = internal::PropagateSpin(Value(w_body), inertia_B, Value(duration),
                                                          max_angle_per_step, kIsAutodiff<T>);
  Eigen::Matrix<T, 4, 1> turn = flow.turn.template cast<T>();
  Vector3 w_body_end = flow.w_body.template cast<T>();
  if constexpr (kIsAutodiff<T>) {
    // The spin is integrated once in double together with its derivatives; the chain rule then
    // carries them into T, so the cost of a step does not grow with the number of derivatives.
    Eigen::Matrix<T, 4, 1> shift;  // value zero, derivatives those of (w_body, duration)
    for (int i = 0; i < 3; ++i) shift[i] = w_body[i] - T(Value(w_body[i]));
    shift[3] = duration - T(Value(duration));
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i) turn[i] += shift[j] * flow.turn_by_w_and_duration(i, j);
      for (int i = 0; i < 3; ++i) w_body_end[i] += shift[j] * flow.w_body_by_w_and_duration(i, j);
    }
  }
  end.q_WB = state.q_WB * Eigen::Quaternion<T>(turn[0], turn[1], turn[2], turn[3]);
  end.q_WB.normalize();
  end.w = end.q_WB * w_body_end;
  return end;
}

}  // namespace percuss::solver
