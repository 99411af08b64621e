// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/sound/ball_flight.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace percuss::capture {

ValueWithSigma DragOfBall(double diameter, double mass) {
  if (!(diameter > 0.0) || !std::isfinite(diameter))
    throw std::invalid_argument(
        fmt::format("diameter of the ball: found {}, allowed above 0", diameter));
  if (!(mass > 0.0) || !std::isfinite(mass))
    throw std::invalid_argument(fmt::format("mass of the ball: found {}, allowed above 0", mass));
  constexpr double kAir = 1.20, kCoefficient = 0.45;
  const double drag = kAir * kCoefficient * std::numbers::pi * diameter * diameter / (8.0 * mass);
  return {drag, 0.12 * drag};
}

Flight FlightOfTime(double time, double gravity, double drag) {
  double speed = 0.5 * gravity * time;
  if (drag <= 0.0) return {speed, speed};
  const double scale = std::sqrt(drag / gravity);
  const double target = time * std::sqrt(gravity * drag);
  // atan u + asinh u is concave for u > 0 and 2 u at most: Newton's steps come from below.
  double u = 0.5 * target;
  for (int step = 0; step < 50; ++step) {
    const double change = (target - std::atan(u) - std::asinh(u)) /
                          (1.0 / (1.0 + u * u) + 1.0 / std::sqrt(1.0 + u * u));
    u += change;
    if (std::abs(change) <= 1e-14 * u) break;
  }
  speed = u / scale;
  return {speed, speed / std::sqrt(1.0 + u * u)};
}

double TimeOfFlight(double takeoff, double gravity, double drag) {
  if (drag <= 0.0) return 2.0 * takeoff / gravity;
  const double u = takeoff * std::sqrt(drag / gravity);
  return (std::atan(u) + std::asinh(u)) / std::sqrt(gravity * drag);
}

double SpeedOfFall(double height, double gravity, double drag) {
  if (drag <= 0.0) return std::sqrt(2.0 * gravity * height);
  return std::sqrt(-std::expm1(-2.0 * drag * height) * gravity / drag);
}

}  // namespace percuss::capture
