// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_knowledge.h"

#include <cmath>

#include "capture/sound/ball_flight.h"

namespace percuss::pipeline {

Eigen::Vector2d RollOf(const cv::Size& size) {
  return size.width >= size.height ? Eigen::Vector2d::UnitY() : Eigen::Vector2d::UnitX();
}

double RateOf(const std::vector<double>& times) {
  return static_cast<double>(times.size() - 1) / (times.back() - times.front());
}

std::optional<ValueWithSigma> DragOf(const BounceOptions& options) {
  if (!options.mass || !options.scale.diameter) return std::nullopt;
  const ValueWithSigma &mass = *options.mass, &diameter = *options.scale.diameter;
  ValueWithSigma drag = capture::DragOfBall(diameter.value, mass.value);
  drag.sigma = std::hypot(drag.sigma, drag.value * mass.sigma / mass.value,
                          2.0 * drag.value * diameter.sigma / diameter.value);
  return drag;
}

CommonValue MeanOfBounces(const tracking::BounceFit& fit) {
  const auto n = static_cast<Eigen::Index>(fit.bounces.size());
  Eigen::VectorXd e(n), speeds(n);
  Eigen::MatrixXd covariance(n, n);
  const auto place = [](Eigen::Index bounce) {
    return bounce * tracking::kNumBounceNumbers + tracking::kBounceE;
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    e[i] = fit.bounces[i].e;
    speeds[i] = fit.bounces[i].normal_before;
    for (Eigen::Index j = 0; j < n; ++j) covariance(i, j) = fit.covariance(place(i), place(j));
  }
  return FitCommonValue(e, covariance, speeds);
}

}  // namespace percuss::pipeline
