// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "tracking/space/space_fit.h"

namespace percuss::tracking {

/// Three bounces in a world with z up; the ball flies along x and y.
inline BouncingBall BallInSpace(double e, double drag, double dwell) {
  BouncingBall ball;
  ball.gravity = -9.80665 * Eigen::Vector3d::UnitZ();
  ball.normal = Eigen::Vector3d::UnitZ();
  ball.drag = drag;
  ball.dwell = dwell;
  ball.first_time = 0.33;
  ball.first_contact = {-0.25, 0.05, 0.02};
  const Eigen::Vector3d along(0.3, -0.1, 0.0);
  double speed = 2.6;
  ball.before = along - speed * ball.normal;
  for (int k = 0; k < 3; ++k) {
    speed *= e;
    ball.after.push_back(along + speed * ball.normal);
  }
  return ball;
}

/// Places from 0 to the last flight's middle, none during a contact.
inline std::vector<BallPlace> DrawPlaces(const BouncingBall& ball, double rate, double sigma,
                                         std::mt19937* random) {
  std::normal_distribution<double> normal(0.0, sigma);
  const BallMotionModel motion(ball, 0.0, 2.5);
  const double end = motion.Contacts().back().time + 0.25;
  std::vector<BallPlace> places;
  for (int k = 0; k / rate < end; ++k) {
    const double t = k / rate;
    bool touches = false;
    for (const BallContact& contact : motion.Contacts())
      touches |= t > contact.time && t < contact.time + ball.dwell;
    if (touches) continue;
    const Eigen::Vector3d noise(normal(*random), normal(*random), normal(*random));
    places.push_back({t, motion.At(t).place + noise, Eigen::Matrix3d::Identity()});
  }
  return places;
}

/// How many of some z-values lie within 1.96, and their root mean square.
struct ScoreSheet {
  int count = 0, inside = 0;
  double squares = 0.0;
  void Add(double z) {
    ++count;
    inside += std::abs(z) < 1.96;
    squares += z * z;
  }
  double Share() const { return static_cast<double>(inside) / count; }
  double Rms() const { return std::sqrt(squares / count); }
};

}  // namespace percuss::tracking
