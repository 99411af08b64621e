// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Stick or slip of points that have stopped: chatterjee2019 3.2.4, 5.2.4, 5.2.5.

#include <cmath>

#include "solver/multi_contact/impact_event.h"
#include "solver/multi_contact/slip_transition.h"

namespace percuss::solver {
namespace {

constexpr double kOfFriction = 1e-10;
constexpr double kMarginal = 1e-6;  // of the impulse of an event

}  // namespace

std::vector<int> ImpactEventIntegration::PointsAtRest() const {
  std::vector<int> points;
  double fastest = 0.0;
  for (int i = 0; i < num_points_; ++i) {
    const ImpactPoint& point = distribution_.points()[i];
    if (modes_[i] == PointMode::kOff || !(point.mu > 0.0 || point.StaticFriction() > 0.0)) continue;
    const double speed = velocity_.segment(i * num_rows_, num_rows_ - 1).norm();
    fastest = std::max(fastest, speed);
    if (speed <= kRest * speed_scale_) points.push_back(i);
  }
  // The points of a face turn about one that rests; only all together come to rest.
  const bool turns = num_rows_ == 3 && distribution_.Coplanar() && fastest > kRest * speed_scale_;
  return turns ? std::vector<int>{} : points;
}

bool ImpactEventIntegration::ResolveStopped(const std::vector<int>& stopped) {
  if (stopped.empty()) return true;
  return num_rows_ == 2 ? ResolvePlanar(stopped) : ResolveSpatial(stopped);
}

// |mu_bar| <= mu_s for each point that is tried to stick, (3.30), (5.20).
bool ImpactEventIntegration::HoldsAll(const std::vector<int>& stopped, int* worst) const {
  double most = 0.0;
  *worst = -1;
  for (const int i : stopped) {
    if (modes_[i] != PointMode::kStick) continue;
    const double needed = shares_.segment(i * num_rows_, num_rows_ - 1).norm();
    const double excess = needed - distribution_.points()[i].StaticFriction() * shares_[Normal(i)];
    if (excess > kOfFriction && excess > most) {
      most = excess;
      *worst = i;
    }
  }
  return *worst < 0;
}

bool ImpactEventIntegration::ResolvePlanar(const std::vector<int>& stopped) {
  for (const int i : stopped) modes_[i] = PointMode::kStick;
  for (int tries = 0; tries <= num_points_; ++tries) {
    if (!distribution_.Solve(motion_, modes_, shares_)) return false;
    int worst = -1;
    if (HoldsAll(stopped, &worst)) return true;
    // On one face all points move alike.
    for (const int i : stopped) {
      if (i != worst && !distribution_.Coplanar()) continue;
      const double friction = shares_[2 * i];
      modes_[i] = PointMode::kSlip;
      motion_[2 * i] = friction > 0.0 ? -1.0 : 1.0;  // slip against the friction it would need
    }
  }
  return true;
}

double ImpactEventIntegration::NormalImpulse() const {
  double sum = 0.0;
  for (int i = 0; i < num_points_; ++i) sum += impulse_[Normal(i)];
  return sum;
}

// Starts slip from rest; the first step goes straight along it, or all do.
void ImpactEventIntegration::LeaveAlong(const Eigen::VectorXd& slip, bool straight) {
  motion_ = slip;
  leaving_ = true;
  straight_ = straight;
}

bool ImpactEventIntegration::ResumeSinglePoint(int point) {
  // The others follow by their rows: what an impulse at this point does to its slip.
  SlipResponse response;
  const Eigen::MatrixXd& inverse_mass = distribution_.inverse_mass();
  const Eigen::MatrixXd rows = distribution_.Rows(velocity_, modes_, point);
  Eigen::MatrixXd others(rows.rows(), rows.cols() - 3), following(rows.cols() - 3, 3);
  others << rows.leftCols(3 * point), rows.rightCols(rows.cols() - 3 * point - 3);
  if (num_points_ > 1) {
    following = -others.completeOrthogonalDecomposition().solve(rows.middleCols<3>(3 * point));
  }
  Eigen::VectorXd along(impulse_.size());
  for (int k = 0; k < 3; ++k) {
    along.setZero();
    along[3 * point + k] = 1.0;
    for (int i = 0, row = 0; i < num_points_; ++i) {
      if (i == point) continue;
      along.segment<3>(3 * i) = following.block<3, 1>(row, k);
      row += 3;
    }
    response.col(k) = inverse_mass.middleRows<2>(3 * point) * along;
  }
  const auto outgoing = OutgoingIsocline(response, distribution_.points()[point].mu);
  if (!outgoing) return false;
  Eigen::VectorXd slip = velocity_;
  slip.segment<2>(3 * point) << std::cos(outgoing->angle), std::sin(outgoing->angle);
  modes_[point] = PointMode::kSlip;
  LeaveAlong(slip, num_points_ == 1);
  return true;
}

bool ImpactEventIntegration::ResolveSpatial(const std::vector<int>& stopped) {
  for (const int i : stopped) modes_[i] = PointMode::kStick;
  if (!distribution_.Solve(velocity_, modes_, shares_)) return false;
  int worst = -1;
  if (HoldsAll(stopped, &worst)) return true;
  // Between sticking and slipping to rounding: slip that has just resumed is back at rest.
  const double now = NormalImpulse();
  if (now - resumed_at_ <= kMarginal * impulse_scale_) return true;
  resumed_at_ = now;
  bool resumed = false;
  if (distribution_.Coplanar() && num_points_ > 1) {
    if (const auto face_slip = OutgoingSlip(distribution_)) {
      for (const int i : stopped) modes_[i] = PointMode::kSlip;
      LeaveAlong(distribution_.face_motion() * *face_slip, stopped.size() == modes_.size());
      resumed = true;
    }
  } else if (stopped.size() == 1) {
    resumed = ResumeSinglePoint(worst);
  }
  stuck_beyond_friction_ = stuck_beyond_friction_ || !resumed;
  return true;
}

}  // namespace percuss::solver
