// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>

#include "impacts/impact_record.h"
#include "solver/body/flight.h"
#include "tracking/pose/flight_derivatives.h"

namespace percuss::tracking {

/// State of the body at one instant with its covariance.
struct FlightEstimate {
  double time = 0.0;  ///< [s]
  solver::FlightState<double> state;
  FlightCovariance covariance = FlightCovariance::Zero();
};

/// White noise of the accelerations: the velocity wanders by this times sqrt(seconds).
struct FlightNoise {
  double acceleration = 0.0;          ///< [m/s^1.5]
  double angular_acceleration = 0.0;  ///< [rad/s^1.5]
};

/// Normalised innovations of a filter: nu^T S^-1 nu (nu the pixels less what the earlier frames
/// predict, S its covariance) summed over frames, per pixel coordinate. 1 where motion and noise
/// are as the filter takes them.
struct Innovations {
  double mean_square = std::numeric_limits<double>::quiet_NaN();
  int count = 0;  ///< pixel coordinates
  /// Where the mean lies in 95 of 100 flights: 1 -+ 1.96 sqrt(2 / count).
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};
Innovations SummariseInnovations(double sum_of_squares, int count);

/// The error vector that leads from one state to another.
FlightError Between(const solver::FlightState<double>& from, const solver::FlightState<double>& to);

/// Covariance that white accelerations add over a flight (Y. Bar-Shalom, X. Li, T. Kirubarajan,
/// Estimation with Applications to Tracking and Navigation, 2001, 6.2.2); backwards in time the
/// signs of position and velocity errors differ.
FlightCovariance ProcessNoise(const FlightNoise& noise, double duration);

/// Takes from a covariance what leaves the x-z plane of W.
void HoldInPlane(FlightCovariance* covariance);

/// The inertia with which a flight is calculated. In a plane w is constant, which is how a body
/// turns whose moments of inertia are equal.
inline Eigen::Matrix3d FlightInertia(const Eigen::Matrix3d& inertia_B, bool planar) {
  return planar ? Eigen::Matrix3d::Identity() : inertia_B;
}

/// The state and its covariance at another time, flown there with process noise.
FlightEstimate Fly(const FlightEstimate& from, double time, const Eigen::Matrix3d& inertia_B,
                   const Eigen::Vector3d& gravity, const FlightNoise& noise);

}  // namespace percuss::tracking
