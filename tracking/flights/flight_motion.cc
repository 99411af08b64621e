// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/flights/flight_motion.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace percuss::tracking {
namespace {

/// SegmentationOptions::sigma_floor, and for the same reason.
constexpr double kPoseFloor = 1e-4;
constexpr double kMaxMeanSquare = 4.0;
/// Of the mass centre from the origin of the frame before anything is known: no body is as large.
constexpr double kAnywhere = 1.0;

/// Some frames, and what they make of the mass centre c: cost + (c - best)^T information (c -
/// best).
struct Stretch {
  std::size_t trial = 0;
  int first = 0, last = 0;
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Eigen::Vector3d gradient = Eigen::Vector3d::Zero();  ///< information * best
  double constant = 0.0;                               ///< cost at c = 0
  int freedom = 0;

  double Cost(const Eigen::Vector3d& c) const {
    return constant - 2.0 * c.dot(gradient) + c.dot(information * c);
  }
};

/// R c + t - p0 - v0 s - g s^2 / 2 over its sigma; p0 and v0 are eliminated.
Stretch MakeStretch(const PoseSequence& trial, int first, int last) {
  const double middle = 0.5 * (trial.poses[first].time + trial.poses[last].time);
  Eigen::Matrix<double, 9, 9> normal = Eigen::Matrix<double, 9, 9>::Zero();
  Eigen::Matrix<double, 9, 1> right = Eigen::Matrix<double, 9, 1>::Zero();
  double sum = 0.0;
  for (int k = first; k <= last; ++k) {
    const TimedPose& seen = trial.poses[k];
    const double s = seen.time - middle;
    const double weight = 1.0 / (seen.sigma * seen.sigma + kPoseFloor * kPoseFloor);
    Eigen::Matrix<double, 3, 9> J;  // of (p0, v0, c)
    J << Eigen::Matrix3d::Identity(), s * Eigen::Matrix3d::Identity(),
        -seen.pose.q_WB.toRotationMatrix();
    const Eigen::Vector3d y = seen.pose.p_WB - 0.5 * s * s * trial.gravity;
    normal += weight * J.transpose() * J;
    right += weight * J.transpose() * y;
    sum += weight * y.squaredNorm();
  }
  const Eigen::Matrix<double, 6, 6> line = normal.topLeftCorner<6, 6>();
  const Eigen::LDLT<Eigen::Matrix<double, 6, 6>> solver(line);
  const Eigen::Matrix<double, 6, 3> across = normal.topRightCorner<6, 3>();
  Stretch stretch{.first = first, .last = last};
  stretch.information =
      normal.bottomRightCorner<3, 3>() - across.transpose() * solver.solve(across);
  stretch.gradient = right.tail<3>() - across.transpose() * solver.solve(right.head<6>());
  stretch.constant = sum - right.head<6>().dot(solver.solve(right.head<6>()));
  stretch.freedom = 3 * (last - first + 1) - 9;
  return stretch;
}

Eigen::Matrix3d Prior() { return Eigen::Matrix3d::Identity() / (kAnywhere * kAnywhere); }

double OwnCost(const Stretch& stretch) {
  const Eigen::Matrix3d information = stretch.information + Prior();
  return stretch.Cost(information.ldlt().solve(stretch.gradient));
}

bool IsFlight(const Stretch& stretch) {
  return OwnCost(stretch) < kMaxMeanSquare * stretch.freedom;
}

/// Frames that tell an acceleration to a twentieth of gravity: its sigma from n of them, dt apart,
/// is sigma sqrt(720 / n^5) / dt^2.
int FramesNeeded(const PoseSequence& trial) {
  const auto count = static_cast<double>(trial.poses.size());
  const double dt = (trial.poses.back().time - trial.poses.front().time) / (count - 1.0);
  const double sigma = std::hypot(trial.poses[trial.poses.size() / 2].sigma, kPoseFloor);
  const double allowed = 0.05 * trial.gravity.norm();
  return std::max(8, static_cast<int>(
                         std::ceil(std::pow(std::sqrt(720.0) * sigma / (dt * dt * allowed), 0.4))));
}

/// The stretch with the frames after it that fly on: what it says of the mass centre grows with the
/// fifth power of its length.
Stretch Grown(const PoseSequence& trial, Stretch stretch) {
  constexpr double kFrameGate = 30.0;  // SegmentationOptions::frame_gate
  while (stretch.last + 1 < static_cast<int>(trial.poses.size())) {
    Stretch longer = MakeStretch(trial, stretch.first, stretch.last + 1);
    longer.trial = stretch.trial;
    if (!IsFlight(longer) || OwnCost(longer) - OwnCost(stretch) > kFrameGate) break;
    stretch = longer;
  }
  return stretch;
}

std::vector<Stretch> FindStretches(std::span<const PoseSequence> trials) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto count = static_cast<int>(trials[i].poses.size());
    if (count < 8) continue;
    const int frames = FramesNeeded(trials[i]);
    for (int first = 0; first + frames <= count;) {
      Stretch stretch = MakeStretch(trials[i], first, first + frames - 1);
      stretch.trial = i;
      if (!IsFlight(stretch)) {
        ++first;
        continue;
      }
      stretches.push_back(Grown(trials[i], stretch));
      first = stretches.back().last + 1;
    }
  }
  return stretches;
}

std::vector<SpinSample> SpinsOf(const PoseSequence& trial, const Stretch& stretch) {
  std::vector<SpinSample> spins;
  for (int k = stretch.first; k < stretch.last; ++k) {
    const TimedPose &a = trial.poses[k], &b = trial.poses[k + 1];
    const Eigen::AngleAxisd turn(b.pose.q_WB * a.pose.q_WB.conjugate());
    const double dt = b.time - a.time;
    // Half the turn leads to the middle of the two frames.
    const Eigen::AngleAxisd half(0.5 * turn.angle(), turn.axis());
    spins.push_back({.R = (half * a.pose.q_WB).toRotationMatrix(),
                     .w = turn.angle() / dt * turn.axis(),
                     .sigma = std::hypot(a.rotation_sigma, b.rotation_sigma) / dt});
  }
  return spins;
}

}  // namespace

PoseSequence PosesOf(std::span<const TrackedFrame> frames, const Eigen::Vector3d& gravity) {
  PoseSequence sequence{gravity, {}};
  for (const TrackedFrame& frame : frames) {
    if (!frame.pose.found) continue;
    const auto sigma = [&](int first) {
      return std::sqrt(frame.pose.covariance.block<3, 3>(first, first).trace() / 3.0);
    };
    sequence.poses.push_back({frame.time, frame.pose.pose, sigma(0), sigma(3)});
  }
  return sequence;
}

FlightMotion FindFlightMotion(std::span<const PoseSequence> trials) {
  std::vector<Stretch> stretches = FindStretches(trials);
  FlightMotion motion;
  while (!stretches.empty()) {
    motion.information.setZero();
    Eigen::Vector3d gradient = Eigen::Vector3d::Zero();
    for (const Stretch& stretch : stretches) {
      motion.information += stretch.information;
      gradient += stretch.gradient;
    }
    motion.centre = (motion.information + Prior()).ldlt().solve(gradient);
    // The worst one goes first: it may be what makes others look bad.
    const auto excess = [&](const Stretch& s) { return s.Cost(motion.centre) / s.freedom; };
    const auto worst = std::ranges::max_element(stretches, {}, excess);
    if (excess(*worst) < kMaxMeanSquare) break;
    stretches.erase(worst);
  }
  for (const Stretch& stretch : stretches)
    motion.spins.push_back(SpinsOf(trials[stretch.trial], stretch));
  return motion;
}

}  // namespace percuss::tracking
