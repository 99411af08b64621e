// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/face_slip.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace percuss::solver {

FaceSlip::FaceSlip(const ForceDistribution& distribution)
    : num_points_(distribution.NumPoints()),
      num_motions_(static_cast<int>(distribution.face_motion().cols())) {
  if (distribution.NumRows() != 3 || !distribution.Coplanar() || num_points_ > kMaxPoints) return;
  const Eigen::MatrixXd& motions = distribution.face_motion();
  const Eigen::MatrixXd& inverse_mass = distribution.inverse_mass();
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3 * kMaxPoints, 3> pushed =
      inverse_mass.lazyProduct(motions);
  Eigen::Matrix<double, 2 * kMaxPoints, 3> tangents;
  Eigen::Matrix<double, 2 * kMaxPoints, kMaxUnknowns> tangential;
  tangents.setZero();
  tangential.setZero();
  along_1_.setZero();
  along_2_.setZero();
  normal_response_.setZero();
  for (int i = 0; i < num_points_; ++i) {
    if (!(distribution.points()[i].mu > 0.0)) return;
    inverse_mu_[i] = 1.0 / distribution.points()[i].mu;
    tangents.block(2 * i, 0, 2, num_motions_) = motions.middleRows<2>(3 * i);
    along_1_.row(i).head(num_motions_) = motions.row(3 * i);
    along_2_.row(i).head(num_motions_) = motions.row(3 * i + 1);
    tangential.block(2 * i, 0, 2, num_motions_) = -pushed.middleRows<2>(3 * i);
    normal_response_.row(i).head(num_motions_) = -pushed.row(3 * i + 2);
    for (int j = 0; j < num_points_; ++j) {
      tangential.block<2, 1>(2 * i, 3 + j) = inverse_mass.block<2, 1>(3 * i, 3 * j + 2);
      normal_response_(i, 3 + j) = inverse_mass(3 * i + 2, 3 * j + 2);
    }
  }
  // The motion nearest to tangential velocities, by normal equations: the two translations are
  // orthogonal, and of the turn what they leave of it counts.
  Eigen::Matrix3d square = tangents.transpose().lazyProduct(tangents);
  if (num_motions_ == 2) square(2, 2) = 1.0;
  const Eigen::Matrix3d inverse = square.inverse();
  if (!inverse.allFinite() || !(inverse(2, 2) > 0.0)) return;  // all points at one place
  motion_of_ = inverse.lazyProduct(tangents.transpose());
  motion_response_ = motion_of_.lazyProduct(tangential);
  applies_ = true;
}

bool FaceSlip::Expand(const Eigen::VectorXd& velocity, double error) {
  std::array<PerPoint, kOrder> u_1, u_2, speed, normal;
  PerPoint half_over_speed;
  Eigen::Matrix<double, 2 * kMaxPoints, 1> tangential;
  tangential.setZero();
  normal[0].setZero();
  for (int i = 0; i < num_points_; ++i) {
    tangential.segment<2>(2 * i) = velocity.segment<2>(3 * i);
    normal[0][i] = velocity[3 * i + 2];
  }
  Eigen::Vector3d motion = motion_of_ * tangential;
  unknowns_[0].setZero();
  work_[0] = 0.0;
  length_ = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kOrder; ++k) {
    if (k > 0) {
      motion = motion_response_ * unknowns_[k];
      normal[k] = (normal_response_ * unknowns_[k]).array();
    }
    u_1[k] = (along_1_ * motion).array();
    u_2[k] = (along_2_ * motion).array();
    if (k == 0) {
      speed[0] = (u_1[0].square() + u_2[0].square()).sqrt();
      if (!(speed[0].head(num_points_).minCoeff() > 0.0)) return false;
      speed[0].tail(kMaxPoints - num_points_).setOnes();  // of no point; its friction is 0
      half_over_speed = 0.5 / speed[0];
    } else {
      // speed^2 = u_1^2 + u_2^2, solved for the coefficient of this order; products come in pairs.
      PerPoint pairs = u_1[0] * u_1[k] + u_2[0] * u_2[k];
      for (int j = 1; 2 * j < k; ++j) {
        pairs += u_1[j] * u_1[k - j] + u_2[j] * u_2[k - j] - speed[j] * speed[k - j];
      }
      pairs *= 2.0;
      if (k % 2 == 0) {
        pairs += u_1[k / 2].square() + u_2[k / 2].square() - speed[k / 2].square();
      }
      speed[k] = half_over_speed * pairs;
    }
    PerPoint work = PerPoint::Zero();
    for (int j = 0; j <= k; ++j) work += speed[j] * normal[k - j];
    work_rate_[k] = (inverse_mu_ * work).sum();
    work_[k + 1] = work_rate_[k] / (k + 1);
    unknowns_[k + 1].head<3>() = motion / (k + 1);
    unknowns_[k + 1].tail<kMaxPoints>() = (speed[k] * inverse_mu_).matrix() / (k + 1);
    // The last terms of the velocities say how long the series holds.
    if (k < kOrder - 2) continue;
    const double last =
        std::max({u_1[k].abs().maxCoeff(), u_2[k].abs().maxCoeff(), normal[k].abs().maxCoeff()});
    if (last > 0.0) length_ = std::min(length_, std::pow(error / last, 1.0 / k));
  }
  load_ = (speed[0] * inverse_mu_).sum();
  return std::isfinite(length_);
}

internal::Look FaceSlip::WorkRateAt(double tau) const {
  return internal::EvaluatePolynomial(work_rate_, tau);
}

internal::Look FaceSlip::WorkAt(double tau) const {
  return internal::EvaluatePolynomial(work_, tau);
}

internal::Look FaceSlip::NormalImpulseAt(int point, double tau) const {
  std::array<double, kOrder + 1> terms;
  for (int k = 0; k <= kOrder; ++k) terms[k] = unknowns_[k][3 + point];
  return internal::EvaluatePolynomial(terms, tau);
}

Eigen::VectorXd FaceSlip::ImpulseAt(double tau) const {
  Unknowns at = unknowns_[kOrder];
  for (int k = kOrder - 1; k >= 0; --k) at = unknowns_[k] + tau * at;
  const Eigen::Vector3d moved = at.head<3>();
  const Eigen::Vector4d by_1 = along_1_ * moved, by_2 = along_2_ * moved;
  Eigen::VectorXd impulse(3 * num_points_);
  for (int i = 0; i < num_points_; ++i) impulse.segment<3>(3 * i) << -by_1[i], -by_2[i], at[3 + i];
  return impulse;
}

}  // namespace percuss::solver
