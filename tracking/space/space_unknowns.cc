// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/space/space_unknowns.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace percuss::tracking {
namespace {

constexpr double kPlaceScale = 0.01;  // [m]
constexpr double kTimeScale = 0.01;   // [s]

}  // namespace

int SpaceUnknowns::Add(double mean, double sigma) {
  start_.push_back(mean);
  mean_.push_back(mean);
  sigma_.push_back(sigma);
  return Count() - 1;
}

SpaceUnknowns::SpaceUnknowns(const BouncingBall& guess, const SpaceSetting& setting)
    : setting_(setting), guess_(guess) {
  double strength = 0.0, strength_sigma = 0.0, direction_sigma = 0.0;
  if (setting.gravity) {
    strength = std::log(setting.gravity->value / guess.gravity.norm());
    strength_sigma = setting.gravity->sigma / setting.gravity->value;
  }
  if (setting.up) {
    guess_.normal = setting.up->normalized();
    guess_.gravity = -guess.gravity.norm() * guess_.normal;
    direction_scale_ = setting.up_sigma;
    direction_sigma = 1.0;
  }
  across_ = guess_.normal.unitOrthogonal();
  along_ = guess_.normal.cross(across_);
  speed_scale_ = 0.1 * std::max(guess.before.norm(), 0.1);
  guess_.drag = setting.drag ? setting.drag->value : 0.0;

  gravity_ = Add(strength, strength_sigma);
  start_[gravity_] = 0.0;  // where the motion begins to be fitted
  Add(0.0, direction_sigma);
  Add(0.0, direction_sigma);
  drag_ = Add(0.0, 1.0);
  dwell_ = Add(setting.dwell / setting.dwell_sigma, 1.0);
  start_[dwell_] = 0.0;
  tilt_ = Add(0.0, 1.0);
  Add(0.0, 1.0);
  first_ = Count();
  const int own = 1 + 3 + 3 + 3 * static_cast<int>(guess.after.size());
  for (int i = 0; i < own; ++i) Add(0.0, 0.0);
}

int SpaceUnknowns::Free() const { return static_cast<int>(std::ranges::count(sigma_, 0.0)); }

Eigen::VectorXd SpaceUnknowns::Start() const {
  return Eigen::Map<const Eigen::VectorXd>(start_.data(), Count());
}

BouncingBall SpaceUnknowns::BallOf(const Eigen::VectorXd& x) const {
  BouncingBall ball = guess_;
  const Eigen::Vector3d direction =
      (-guess_.normal + direction_scale_ * (x[gravity_ + 1] * across_ + x[gravity_ + 2] * along_))
          .normalized();
  ball.gravity = guess_.gravity.norm() * std::exp(x[gravity_]) * direction;
  ball.normal = (-direction + setting_.tilt_sigma * (x[tilt_] * across_ + x[tilt_ + 1] * along_))
                    .normalized();
  ball.drag += x[drag_] * DragSigma();
  ball.dwell = x[dwell_] * setting_.dwell_sigma;
  ball.first_time += kTimeScale * x[first_];
  ball.first_contact += kPlaceScale * x.segment<3>(first_ + 1);
  ball.before += speed_scale_ * x.segment<3>(first_ + 4);
  for (std::size_t k = 0; k < ball.after.size(); ++k)
    ball.after[k] += speed_scale_ * x.segment<3>(first_ + 7 + 3 * static_cast<int>(k));
  return ball;
}

std::vector<LeastValue> SpaceUnknowns::Possible() const {
  return {{drag_, -guess_.drag / DragSigma()}, {dwell_, 0.0}};
}

Eigen::VectorXd SpaceUnknowns::PriorResiduals(const Eigen::VectorXd& x) const {
  std::vector<double> residuals;
  for (std::size_t i = 0; i < sigma_.size(); ++i) {
    if (sigma_[i] > 0.0)
      residuals.push_back((x[static_cast<Eigen::Index>(i)] - mean_[i]) / sigma_[i]);
  }
  return Eigen::Map<const Eigen::VectorXd>(residuals.data(),
                                           static_cast<Eigen::Index>(residuals.size()));
}

}  // namespace percuss::tracking
