// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/flight_derivatives.h"

#include <ceres/jet.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>

#include "calibration/rig/camera.h"
#include "impacts/impact_record.h"
#include "solver/body/inertia_errors.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using State = solver::FlightState<double>;

/// Angular acceleration in W of a body without torque: I w' + w x (I w) = 0.
Eigen::Vector3d FreeAngularAcceleration(const State& state, const Eigen::Matrix3d& inertia_B) {
  const Eigen::Vector3d w_body = state.q_WB.conjugate() * state.w;
  return state.q_WB * (inertia_B.inverse() * -w_body.cross(inertia_B * w_body));
}

}  // namespace

FlightEnd FlyWithDerivatives(const State& start, const Eigen::Matrix3d& inertia_B,
                             const Eigen::Vector3d& gravity, double duration) {
  // Only rotation and angular velocity at the start need automatic derivatives.
  using Jet = ceres::Jet<double, 6>;
  using Vector3 = Eigen::Matrix<Jet, 3, 1>;
  solver::FlightState<Jet> moved;
  moved.p_WB = start.p_WB.cast<Jet>();
  moved.v = start.v.cast<Jet>();
  const Jet half(0.5);
  moved.q_WB =
      Eigen::Quaternion<Jet>(Jet(1), half * Jet(0, 0), half * Jet(0, 1), half * Jet(0, 2)) *
      start.q_WB.cast<Jet>();
  moved.w = Vector3(Jet(start.w[0], 3), Jet(start.w[1], 4), Jet(start.w[2], 5));
  const solver::FlightState<Jet> end =
      solver::PropagateFlight<Jet>(moved, inertia_B, gravity.cast<Jet>(), Jet(duration));

  FlightEnd out;
  State& state = out.state;
  state.q_WB = Eigen::Quaterniond(end.q_WB.w().a, end.q_WB.x().a, end.q_WB.y().a, end.q_WB.z().a);
  const Vector3 half_turn = (end.q_WB * state.q_WB.conjugate().cast<Jet>()).vec();
  out.by_start.setIdentity();
  out.by_start.block<3, 3>(kPosition, kV).diagonal().setConstant(duration);
  const auto set_row = [&](int row, const Eigen::Matrix<double, 6, 1>& derivative) {
    out.by_start.row(row).segment<3>(kRotation) = derivative.head<3>();
    out.by_start.row(row).segment<3>(kW) = derivative.tail<3>();
  };
  for (int i = 0; i < 3; ++i) {
    state.p_WB[i] = end.p_WB[i].a;
    state.v[i] = end.v[i].a;
    state.w[i] = end.w[i].a;
    set_row(kRotation + i, 2.0 * half_turn[i].v);
    set_row(kW + i, end.w[i].v);
  }
  out.by_duration << state.v, state.w, gravity, FreeAngularAcceleration(state, inertia_B);
  out.by_gravity.setZero();
  out.by_gravity.middleRows<3>(kPosition).diagonal().setConstant(0.5 * duration * duration);
  out.by_gravity.middleRows<3>(kV).diagonal().setConstant(duration);
  return out;
}

Eigen::Matrix<double, kFlightDimension, 6> FlightByInertia(const State& start,
                                                           const Eigen::Matrix3d& inertia_B,
                                                           const Eigen::Vector3d& gravity,
                                                           double duration) {
  Eigen::Matrix<double, kFlightDimension, 6> by_inertia;
  by_inertia.setZero();
  if (duration == 0.0) return by_inertia;
  // A frame's turn depends on the inertia almost linearly: a wide step keeps rounding away.
  constexpr double kStep = 1e-3;
  const std::array<Eigen::Matrix3d, 6> directions = solver::InertiaDirections(inertia_B);
  for (int i = 0; i < 6; ++i) {
    std::array<State, 2> ends;
    for (const int sign : {0, 1}) {
      ends[sign] = solver::PropagateFlight<double>(
          start, inertia_B + (sign ? -kStep : kStep) * directions[i], gravity, duration);
    }
    const Eigen::Quaterniond turn = ends[0].q_WB * ends[1].q_WB.conjugate();
    by_inertia.col(i).segment<3>(kRotation) = turn.vec() / kStep;
    by_inertia.col(i).segment<3>(kW) = (ends[0].w - ends[1].w) / (2.0 * kStep);
  }
  return by_inertia;
}

State Moved(const State& state, const FlightError& step) {
  const Eigen::Quaterniond turn(calibration::RotationFromVector(step.segment<3>(kRotation)));
  return {state.p_WB + step.segment<3>(kPosition), (turn * state.q_WB).normalized(),
          state.v + step.segment<3>(kV), state.w + step.segment<3>(kW)};
}

}  // namespace percuss::tracking
