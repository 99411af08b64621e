// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

/// Share of dots or seams (BallTexture) around a place of the ball's surface, whose edges are
/// smooth over `width` [m].
/// @param direction from the centre, ball axes, unit length
double PatternShare(const BallSpec& spec, const Eigen::Vector3d& direction, double width);

}  // namespace percuss::synthesis
