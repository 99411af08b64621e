// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/value_with_sigma.h"

namespace percuss::capture {

/// k = air density * 0.45 * (pi d^2 / 4) / (2 m) [1/m], within 12 % (drag coefficient of a smooth
/// sphere at Reynolds numbers of 1e3 to 1e5: 0.4 to 0.5; air: 1.20 kg/m^3 within 4 %).
/// @throws std::invalid_argument unless diameter [m] and mass [kg] are positive.
ValueWithSigma DragOfBall(double diameter, double mass);

/// A flight up and down again through air that decelerates by k v^2.
struct Flight {
  double takeoff = 0.0, landing = 0.0;  ///< speeds [m/s]
};

/// The flight that takes `time` [s] from the ground back to it: with u = takeoff sqrt(k / g),
/// time sqrt(g k) = atan u + asinh u and landing = takeoff / sqrt(1 + u^2); without air (k = 0),
/// both are g time / 2.
Flight FlightOfTime(double time, double gravity, double drag);

/// How long the flight with this speed at take-off lasts [s], by the same equations.
double TimeOfFlight(double takeoff, double gravity, double drag);

/// Speed after a fall from rest: sqrt(g / k (1 - exp(-2 k h))); without air sqrt(2 g h) [m/s].
double SpeedOfFall(double height, double gravity, double drag);

}  // namespace percuss::capture
