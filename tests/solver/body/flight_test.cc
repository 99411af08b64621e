// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/body/flight.h"

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

const Vector3d kGravity(0.3, -0.2, -9.7);

// A body without symmetry, turning about no principal axis.
Matrix3d Inertia() {
  Matrix3d inertia = Vector3d(1.0, 2.0, 2.7).asDiagonal();
  inertia(0, 1) = inertia(1, 0) = 0.2;
  return inertia * 1e-3;
}

FlightState<double> Tumbling() {
  return {.p_WB = {0.1, -0.2, 0.9},
          .q_WB = Quaterniond(0.5, 0.2, -0.7, 0.1).normalized(),
          .v = {0.4, 0.1, -1.5},
          .w = {3.0, 9.0, -2.0}};
}

Vector3d AngularMomentum(const FlightState<double>& state, const Matrix3d& inertia_B) {
  const Matrix3d R_WB = state.q_WB.toRotationMatrix();
  return R_WB * inertia_B * R_WB.transpose() * state.w;
}

// Law: torque-free rotation keeps angular momentum and spin energy; the header promises 1e-9 a
// turn.
TEST(PropagateFlight, KeepsAngularMomentumAndEnergyOverATurn) {
  const FlightState<double> start = Tumbling();
  const double turn = 2.0 * std::numbers::pi / start.w.norm();
  const FlightState<double> end = PropagateFlight<double>(start, Inertia(), kGravity, turn);
  const Vector3d L0 = AngularMomentum(start, Inertia());
  const Vector3d L1 = AngularMomentum(end, Inertia());
  EXPECT_LT((L1 - L0).norm(), 1e-9 * L0.norm());
  EXPECT_NEAR(end.w.dot(L1), start.w.dot(L0), 1e-9 * start.w.dot(L0));
  EXPECT_NEAR(end.q_WB.norm(), 1.0, 1e-15);
}

TEST(PropagateFlight, FallsOnAParabola) {
  const FlightState<double> start = Tumbling();
  const double t = 0.37;
  const FlightState<double> end = PropagateFlight<double>(start, Inertia(), kGravity, t);
  EXPECT_LT((end.p_WB - (start.p_WB + start.v * t + 0.5 * kGravity * t * t)).norm(), 1e-15);
  EXPECT_LT((end.v - (start.v + kGravity * t)).norm(), 1e-15);
}

// Closed form: the axis of a symmetric top cones about the angular momentum L at the rate |L| / I_t
// while the body spins about its axis at the rate (1 - I_a / I_t) w_a.
TEST(PropagateFlight, MovesASymmetricTopAsInTheClosedForm) {
  const double transverse = 1.4e-3;
  const double axial = 0.3e-3;
  const Matrix3d inertia = Vector3d(transverse, transverse, axial).asDiagonal();
  const FlightState<double> start = Tumbling();
  const double t = 0.8;
  const FlightState<double> end = PropagateFlight<double>(start, inertia, kGravity, t);
  const Vector3d L = AngularMomentum(start, inertia);
  const double w_axial = (start.q_WB.conjugate() * start.w).z();
  const Quaterniond cone(Eigen::AngleAxisd(L.norm() / transverse * t, L.normalized()));
  const Quaterniond spin(
      Eigen::AngleAxisd((1.0 - axial / transverse) * w_axial * t, Vector3d::UnitZ()));
  const Quaterniond expected = cone * start.q_WB * spin;
  EXPECT_LT(end.q_WB.angularDistance(expected), 2e-8);  // 1.2 turns
  EXPECT_LT((end.w - cone * start.w).norm(), 2e-8 * start.w.norm());
}

TEST(PropagateFlight, ComesBackWhenTimeIsReversed) {
  const FlightState<double> start = Tumbling();
  const FlightState<double> end = PropagateFlight<double>(start, Inertia(), kGravity, 0.5);
  const FlightState<double> back = PropagateFlight<double>(end, Inertia(), kGravity, -0.5);
  EXPECT_LT((back.p_WB - start.p_WB).norm(), 1e-14);
  EXPECT_LT((back.v - start.v).norm(), 1e-14);
  EXPECT_LT(back.q_WB.angularDistance(start.q_WB), 1e-9);
  EXPECT_LT((back.w - start.w).norm(), 1e-8);
}

TEST(PropagateFlight, LeavesABodyAtRestAtRest) {
  FlightState<double> start = Tumbling();
  start.w.setZero();
  const FlightState<double> end = PropagateFlight<double>(start, Inertia(), kGravity, 0.5);
  EXPECT_LT(end.q_WB.angularDistance(start.q_WB), 1e-15);
  EXPECT_EQ(end.w.norm(), 0.0);
}

// Against central differences in all 14 inputs.
TEST(PropagateFlight, CarriesDerivatives) {
  constexpr int kInputs = 14;  // p, q (w x y z), v, w, duration
  using Jet = ceres::Jet<double, kInputs>;
  const auto run = [](const auto& x) {
    using T = std::decay_t<decltype(x[0])>;
    FlightState<T> state;
    for (int i = 0; i < 3; ++i) {
      state.p_WB[i] = x[i];
      state.v[i] = x[7 + i];
      state.w[i] = x[10 + i];
    }
    state.q_WB = Eigen::Quaternion<T>(x[3], x[4], x[5], x[6]).normalized();
    const Eigen::Matrix<T, 3, 1> gravity = kGravity.cast<T>();
    const FlightState<T> end = PropagateFlight<T>(state, Inertia(), gravity, x[13]);
    Eigen::Matrix<T, 13, 1> out;
    out << end.p_WB, end.q_WB.w(), end.q_WB.vec(), end.v, end.w;
    return out;
  };
  const FlightState<double> start = Tumbling();
  Eigen::Matrix<double, kInputs, 1> x;
  x << start.p_WB, start.q_WB.w(), start.q_WB.vec(), start.v, start.w, 0.21;
  Eigen::Matrix<Jet, kInputs, 1> jets;
  for (int k = 0; k < kInputs; ++k) jets[k] = Jet(x[k], k);
  const auto exact = run(jets);
  const auto value = run(x);
  for (int k = 0; k < kInputs; ++k) {
    Eigen::Matrix<double, kInputs, 1> plus = x, minus = x;
    const double h = 1e-5;
    plus[k] += h;
    minus[k] -= h;
    const auto difference = ((run(plus) - run(minus)) / (2.0 * h)).eval();
    for (int i = 0; i < 13; ++i) {
      EXPECT_NEAR(exact[i].v[k], difference[i], 1e-7) << i << " by " << k;
      EXPECT_NEAR(exact[i].a, value[i], 1e-13);
    }
  }
}

}  // namespace
}  // namespace percuss::solver
