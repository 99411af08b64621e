// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bounces/first_guess.h"

#include <vector>

namespace percuss::tracking {

double MeetingTime(const FreeFlight& one, const FreeFlight& next, const Eigen::Vector3d& up) {
  return -(one.place - next.place).dot(up) / (one.velocity - next.velocity).dot(up);
}

BouncingBall BallThrough(std::span<const FreeFlight> flights, const Eigen::Vector3d& gravity,
                         double origin) {
  BouncingBall ball;
  ball.gravity = gravity;
  ball.normal = -gravity.normalized();
  std::vector<double> times;
  for (std::size_t k = 0; k + 1 < flights.size(); ++k)
    times.push_back(MeetingTime(flights[k], flights[k + 1], ball.normal));
  const double t = times[0];
  ball.first_time = origin + t;
  ball.first_contact = flights[0].place + t * flights[0].velocity + 0.5 * t * t * gravity;
  ball.before = flights[0].velocity + t * gravity;
  for (std::size_t k = 0; k < times.size(); ++k) {
    Eigen::Vector3d after = flights[k + 1].velocity + times[k] * gravity;
    if (k + 1 < times.size()) {
      const double rise = 0.5 * gravity.norm() * (times[k + 1] - times[k]);
      after += ball.normal * (rise - ball.normal.dot(after));
    }
    ball.after.push_back(after);
  }
  return ball;
}

}  // namespace percuss::tracking
