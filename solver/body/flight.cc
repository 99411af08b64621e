// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/body/flight.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace percuss::solver::internal {
namespace {

constexpr double kMaxSteps = 1e5;  // bounds the time spent on an absurd trial value of an optimiser

// Rows: turn (w x y z), w_body. Column 0 is the motion, columns 1..3 its derivatives by the initial
// w_body (only when kCols = 4).
template <int kCols>
using Spin = Eigen::Matrix<double, 7, kCols>;

// Half the Hamilton product of the quaternion q with the pure quaternion w.
Eigen::Vector4d HalfProduct(const Eigen::Vector4d& q, const Eigen::Vector3d& w) {
  const Eigen::Vector3d imaginary = q.tail<3>();
  Eigen::Vector4d product;
  product[0] = -0.5 * imaginary.dot(w);
  product.tail<3>() = 0.5 * (q[0] * w + imaginary.cross(w));
  return product;
}

// turn' = turn o w / 2 and w' = I^-1 ((I w) x w), with their first variations.
template <int kCols>
Spin<kCols> Rate(const Spin<kCols>& y, const Eigen::Matrix3d& inertia,
                 const Eigen::Matrix3d& inverse_inertia) {
  const Eigen::Vector4d turn = y.col(0).template head<4>();
  const Eigen::Vector3d w = y.col(0).template tail<3>();
  const Eigen::Vector3d momentum = inertia * w;
  Spin<kCols> rate;
  rate.col(0).template head<4>() = HalfProduct(turn, w);
  rate.col(0).template tail<3>() = inverse_inertia * momentum.cross(w);
  for (int j = 1; j < kCols; ++j) {
    const Eigen::Vector4d d_turn = y.col(j).template head<4>();
    const Eigen::Vector3d d_w = y.col(j).template tail<3>();
    const Eigen::Vector3d d_momentum = inertia * d_w;
    rate.col(j).template head<4>() = HalfProduct(d_turn, w) + HalfProduct(turn, d_w);
    rate.col(j).template tail<3>() = inverse_inertia * (d_momentum.cross(w) + momentum.cross(d_w));
  }
  return rate;
}

template <int kCols>
Spin<kCols> Integrate(const Eigen::Vector3d& w_body, const Eigen::Matrix3d& inertia,
                      const Eigen::Matrix3d& inverse_inertia, double duration, int steps) {
  Spin<kCols> y = Spin<kCols>::Zero();
  y(0, 0) = 1.0;
  y.col(0).template tail<3>() = w_body;
  for (int j = 1; j < kCols; ++j) y(3 + j, j) = 1.0;
  const double h = duration / steps;
  const auto rate = [&](const Spin<kCols>& at) {
    return Rate<kCols>(at, inertia, inverse_inertia);
  };
  for (int step = 0; step < steps; ++step) {
    const Spin<kCols> k1 = rate(y);
    const Spin<kCols> k2 = rate(y + 0.5 * h * k1);
    const Spin<kCols> k3 = rate(y + 0.5 * h * k2);
    const Spin<kCols> k4 = rate(y + h * k3);
    y += (h / 6.0) * (k1 + 2.0 * (k2 + k3) + k4);
  }
  return y;
}

}  // namespace

SpinFlow PropagateSpin(const Eigen::Vector3d& w_body, const Eigen::Matrix3d& inertia_B,
                       double duration, double max_angle_per_step, bool with_derivatives) {
  const Eigen::Matrix3d inverse_inertia = inertia_B.inverse();
  // A body's |w| never exceeds that of a turn about its smallest axis with the same energy; the
  // initial |w| is close enough to choose the step by. A NaN falls through to one step.
  const double wanted = std::ceil(std::abs(duration) * w_body.norm() / max_angle_per_step);
  const int steps = wanted > 1.0 ? static_cast<int>(std::min(wanted, kMaxSteps)) : 1;

  SpinFlow flow;
  if (!with_derivatives) {
    const Spin<1> y = Integrate<1>(w_body, inertia_B, inverse_inertia, duration, steps);
    flow.turn = y.head<4>();
    flow.w_body = y.tail<3>();
    return flow;
  }
  const Spin<4> y = Integrate<4>(w_body, inertia_B, inverse_inertia, duration, steps);
  flow.turn = y.col(0).head<4>();
  flow.w_body = y.col(0).tail<3>();
  flow.turn_by_w_and_duration.leftCols<3>() = y.topRightCorner<4, 3>();
  flow.w_body_by_w_and_duration.leftCols<3>() = y.bottomRightCorner<3, 3>();
  const Spin<1> rate = Rate<1>(y.col(0), inertia_B, inverse_inertia);
  flow.turn_by_w_and_duration.col(3) = rate.head<4>();
  flow.w_body_by_w_and_duration.col(3) = rate.tail<3>();
  return flow;
}

}  // namespace percuss::solver::internal
