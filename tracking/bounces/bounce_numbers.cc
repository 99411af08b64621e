// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bounces/bounce_numbers.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace percuss::tracking {

BounceEstimate EstimateOf(const BallContact& contact, const Eigen::Vector3d& normal) {
  BounceEstimate bounce;
  bounce.time = contact.time;
  bounce.before = contact.before.norm();
  bounce.after = contact.after.norm();
  bounce.normal_before = -normal.dot(contact.before);
  bounce.normal_after = normal.dot(contact.after);
  bounce.e = bounce.normal_after / bounce.normal_before;
  const Eigen::Vector3d slide = contact.before + bounce.normal_before * normal;
  bounce.tangential_before = slide.norm();
  bounce.tangential_after = slide.norm() > 0.0 ? contact.after.dot(slide.normalized()) : 0.0;
  return bounce;
}

Eigen::Matrix3d BounceAxes(const BallContact& contact, const Eigen::Vector3d& normal) {
  Eigen::Vector3d along = contact.before - normal.dot(contact.before) * normal;
  if (along.norm() < 1e-9 * contact.before.norm()) along = normal.unitOrthogonal();
  along.normalize();
  Eigen::Matrix3d axes;
  axes << along.transpose(), normal.cross(along).transpose(), normal.transpose();
  return axes;
}

Eigen::Matrix<double, kNumBounceNumbers, 1> NumbersOfBounce(const BounceEstimate& b) {
  Eigen::Matrix<double, kNumBounceNumbers, 1> numbers;
  numbers << b.time, b.e, b.before, b.after, b.normal_before, b.normal_after, b.tangential_before,
      b.tangential_after;
  return numbers;
}

double SharedInflation(const Eigen::MatrixXd& residuals) {
  constexpr Eigen::Index kMostLags = 40;
  const Eigen::Index count = residuals.cols();
  const double power = residuals.squaredNorm() / static_cast<double>(count);
  double sum = 1.0;
  for (Eigen::Index lag = 1; lag < std::min(kMostLags, count / 4); ++lag) {
    const Eigen::Index pairs = count - lag;
    const double product = residuals.rightCols(pairs).cwiseProduct(residuals.leftCols(pairs)).sum();
    const double rho = product / static_cast<double>(pairs) / power;
    if (rho < 2.0 / std::sqrt(static_cast<double>(residuals.rows() * pairs))) break;
    sum += 2.0 * rho;
  }
  return sum;
}

Eigen::MatrixXd SharedErrorsOf(const Eigen::MatrixXd& by_unknowns,
                               const Eigen::MatrixXd& covariance,
                               const std::array<int, kNumSharedErrors>& unknowns) {
  Eigen::MatrixXd shared = Eigen::MatrixXd::Zero(by_unknowns.rows(), kNumSharedErrors);
  for (int error = 0; error < kNumSharedErrors; ++error) {
    const int unknown = unknowns[error];
    if (unknown >= 0) shared.col(error) = by_unknowns * covariance.col(unknown);
  }
  return shared;
}

}  // namespace percuss::tracking
