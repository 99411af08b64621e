// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_surface.h"

#include <algorithm>
#include <array>
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

double PatternShare(const BallSpec& spec, const Vector3d& direction, double width) {
  const BallTexture& texture = spec.texture;
  double inside = -1.0;  // how far inside the pattern, along the surface [m]
  if (texture.kind == BallTexture::Kind::kSeams) {
    // Two great circles at right angles.
    const double off = std::min(std::abs(direction.x()), std::abs(direction.y()));
    inside = 0.5 * texture.diameter - spec.radius * std::asin(std::min(off, 1.0));
  } else if (texture.kind == BallTexture::Kind::kDots) {
    double nearest = -1.0;
    for (int k = 0; k < texture.count; ++k)
      nearest = std::max(nearest, direction.dot(Spread(k, texture.count)));
    inside = 0.5 * texture.diameter - spec.radius * std::acos(std::clamp(nearest, -1.0, 1.0));
  } else {
    return 0.0;
  }
  return std::clamp(0.5 + inside / width, 0.0, 1.0);
}

}  // namespace percuss::synthesis
