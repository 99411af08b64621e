// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::synthesis {
namespace {

using Eigen::Vector3d;

// Direction k of `count` spread over the sphere on a spiral of the golden angle.
Vector3d Spread(int k, int count) {
  const double z = 1.0 - (2.0 * k + 1.0) / count;
  const double angle = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
  const double r = std::sqrt(1.0 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

}  // namespace

BallPattern::BallPattern(const BallSpec& spec) : texture_(spec.texture), radius_(spec.radius) {
  if (texture_.kind != BallTexture::Kind::kDots) return;
  for (int k = 0; k < texture_.count; ++k) dots_.push_back(Spread(k, texture_.count));
}

double BallPattern::ShareAt(const Vector3d& direction, double width) const {
  double angle = 0.0;  // to the middle of the nearest dot or seam [rad]
  if (texture_.kind == BallTexture::Kind::kSeams) {
    // Two great circles at right angles.
    const double off = std::min(std::abs(direction.x()), std::abs(direction.y()));
    angle = std::asin(std::min(off, 1.0));
  } else if (texture_.kind == BallTexture::Kind::kDots) {
    double nearest = -1.0;
    for (const Vector3d& dot : dots_) nearest = std::max(nearest, direction.dot(dot));
    angle = std::acos(std::min(nearest, 1.0));
  } else {
    return 0.0;
  }
  return std::clamp(0.5 + (0.5 * texture_.diameter - radius_ * angle) / width, 0.0, 1.0);
}

}  // namespace percuss::synthesis
