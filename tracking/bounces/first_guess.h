// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>

#include "tracking/bounces/bounce_model.h"

namespace percuss::tracking {

/// One flight in a vacuum, p(t) = place + velocity t + gravity t^2 / 2; t from an origin that all
/// flights have in common.
struct FreeFlight {
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
};

/// When two flights under the same gravity are equally high. @param up unit, against gravity
double MeetingTime(const FreeFlight& one, const FreeFlight& next, const Eigen::Vector3d& up);

/// A ball that bounces where successive flights are equally high, on a level surface; each flight
/// but the last is as fast upwards as it must be to land at the next contact. Without air, contact
/// time, camera and shutter.
/// @param flights at least 2
/// @param origin of their times [s]
BouncingBall BallThrough(std::span<const FreeFlight> flights, const Eigen::Vector3d& gravity,
                         double origin);

}  // namespace percuss::tracking
