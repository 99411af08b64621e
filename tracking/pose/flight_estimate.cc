// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/flight_estimate.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

namespace percuss::tracking {

using enum impacts::ImpactIndex;

using State = solver::FlightState<double>;

FlightError Between(const State& from, const State& to) {
  const Eigen::AngleAxisd turn(to.q_WB * from.q_WB.conjugate());
  FlightError error;
  error << to.p_WB - from.p_WB, turn.angle() * turn.axis(), to.v - from.v, to.w - from.w;
  return error;
}

FlightCovariance ProcessNoise(const FlightNoise& noise_density, double duration) {
  const double dt = std::abs(duration);
  FlightCovariance noise = FlightCovariance::Zero();
  const auto add = [&](int place, int rate, double density) {
    const double q = density * density;
    noise.block<3, 3>(place, place).diagonal().setConstant(q * dt * dt * dt / 3.0);
    noise.block<3, 3>(place, rate).diagonal().setConstant(0.5 * q * dt * duration);
    noise.block<3, 3>(rate, place).diagonal().setConstant(0.5 * q * dt * duration);
    noise.block<3, 3>(rate, rate).diagonal().setConstant(q * dt);
  };
  add(kPosition, kV, noise_density.acceleration);
  add(kRotation, kW, noise_density.angular_acceleration);
  return noise;
}

void HoldInPlane(FlightCovariance* covariance) {
  constexpr std::array<int, 6> kHeld = {kPosition + 1, kRotation, kRotation + 2,
                                        kV + 1,        kW,        kW + 2};
  for (const int held : kHeld) {
    covariance->row(held).setZero();
    covariance->col(held).setZero();
  }
}

Innovations SummariseInnovations(double sum_of_squares, int count) {
  Innovations innovations;
  innovations.count = count;
  if (count == 0) return innovations;
  const double half_width = 1.96 * std::sqrt(2.0 / count);
  innovations.mean_square = sum_of_squares / count;
  innovations.low = 1.0 - half_width;
  innovations.high = 1.0 + half_width;
  return innovations;
}

FlightEstimate Fly(const FlightEstimate& from, double time, const Eigen::Matrix3d& inertia_B,
                   const Eigen::Vector3d& gravity, const FlightNoise& noise) {
  const double duration = time - from.time;
  const FlightEnd flown = FlyWithDerivatives(from.state, inertia_B, gravity, duration);
  const FlightCovariance& F = flown.by_start;
  return {time, flown.state, F * from.covariance * F.transpose() + ProcessNoise(noise, duration)};
}

}  // namespace percuss::tracking
