// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

/// The pattern of the ball's surface.
class BallPattern {
 public:
  explicit BallPattern(const BallSpec& spec);

  bool Any() const { return texture_.kind != BallTexture::Kind::kNone; }
  /// Share of dots or seams (BallTexture) around a place, whose edges are smooth over `width` [m].
  /// @param direction from the centre, ball axes, unit length
  double ShareAt(const Eigen::Vector3d& direction, double width) const;

 private:
  BallTexture texture_;
  double radius_;
  std::vector<Eigen::Vector3d> dots_;  ///< directions
};

}  // namespace percuss::synthesis
