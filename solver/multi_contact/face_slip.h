// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>

#include "solver/integration/event_location.h"
#include "solver/multi_contact/force_distribution.h"

namespace percuss::solver {

/// Slip of all points of a face, or of a single point, over one step. In tau, the sum of the normal
/// impulses dp = dtau sum_i |u_t,i| / mu_i, the motion
///     dP_n,i = |u_t,i| / mu_i dtau,   dP_t,i = -u_t,i dtau
/// is smooth right down to the stop, which lies at infinity; it is expanded in a Taylor series.
class FaceSlip {
 public:
  static constexpr int kMaxPoints = 4;

  explicit FaceSlip(const ForceDistribution& distribution);

  /// Whether the points are a face (or one) in space, not too many, and all have friction.
  bool applies() const { return applies_; }

  /// Expands the motion from a velocity of the points.
  /// @param error of the velocities at the end of the step [m/s]
  /// @returns false if a point is at rest, where the series has no radius.
  bool Expand(const Eigen::VectorXd& velocity, double error);

  double Length() const { return length_; }  ///< of the step, in tau [kg]
  /// d(W_n)/dp at the start.
  double WorkRate() const { return work_rate_[0] / load_; }

  /// d(W_n)/dtau, W_n and the normal impulse of a point since the start, with their slopes.
  internal::Look WorkRateAt(double tau) const;
  internal::Look WorkAt(double tau) const;
  internal::Look NormalImpulseAt(int point, double tau) const;
  /// The impulses (t1, t2, n point by point) since the start.
  Eigen::VectorXd ImpulseAt(double tau) const;

 private:
  static constexpr int kOrder = 16;
  static constexpr int kMaxUnknowns = 3 + kMaxPoints;
  using PerPoint = Eigen::Array<double, kMaxPoints, 1>;
  using Unknowns = Eigen::Matrix<double, kMaxUnknowns, 1>;

  bool applies_ = false;
  int num_points_ = 0, num_motions_ = 0;
  PerPoint inverse_mu_ = PerPoint::Zero();
  /// Tangential velocities by the motions of the face.
  Eigen::Matrix<double, kMaxPoints, 3> along_1_, along_2_;
  Eigen::Matrix<double, 3, 2 * kMaxPoints> motion_of_;  ///< of tangential velocities
  /// Motions of the face and normal velocities by the unknowns: the integral of the motions over
  /// tau, and the normal impulses.
  Eigen::Matrix<double, 3, kMaxUnknowns> motion_response_;
  Eigen::Matrix<double, kMaxPoints, kMaxUnknowns> normal_response_;

  // Taylor coefficients.
  std::array<Unknowns, kOrder + 1> unknowns_;
  std::array<double, kOrder> work_rate_;
  std::array<double, kOrder + 1> work_;
  double length_ = 0.0, load_ = 0.0;
};

}  // namespace percuss::solver
