// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

#include "solver/body/flight.h"

namespace percuss::tracking {

/// The error vector of a flight is the first part of that of an impact, see ImpactIndex: position,
/// rotation (small vector d, W axes, with R_WB = exp([d]x) R_estimated), v, w.
inline constexpr int kFlightDimension = 12;
using FlightError = Eigen::Matrix<double, kFlightDimension, 1>;
using FlightCovariance = Eigen::Matrix<double, kFlightDimension, kFlightDimension>;

/// End of a flight with its derivatives, all as error vectors.
struct FlightEnd {
  solver::FlightState<double> state;
  FlightCovariance by_start;
  FlightError by_duration;
  Eigen::Matrix<double, kFlightDimension, 3> by_gravity;
};

/// solver::PropagateFlight with derivatives; a negative duration goes back in time.
FlightEnd FlyWithDerivatives(const solver::FlightState<double>& start,
                             const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity,
                             double duration);

/// Derivative of the end of a flight by solver::InertiaError, by differences; position and v do not
/// depend on it. What all moments of inertia have in common changes nothing.
Eigen::Matrix<double, kFlightDimension, 6> FlightByInertia(const solver::FlightState<double>& start,
                                                           const Eigen::Matrix3d& inertia_B,
                                                           const Eigen::Vector3d& gravity,
                                                           double duration);

/// The state moved by an error vector.
solver::FlightState<double> Moved(const solver::FlightState<double>& state,
                                  const FlightError& step);

}  // namespace percuss::tracking
