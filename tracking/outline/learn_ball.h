// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "base/value_with_sigma.h"
#include "tracking/outline/looks.h"

namespace percuss::tracking {

/// How the ball is shaded, how its outlines scatter, for how long the shutter is open, and how
/// perspective and the shutter stretch outlines, from some that were fitted as if the ball were
/// nearly even and round.
void LearnBall(const OutlineBench& bench, std::vector<Look> looks, BallKnowledge* known);

/// The same of a ball that was learned before, where its shutter is another one.
/// @param known      as it was learned before, without radii
/// @param line_time  [s/px] along the roll
void LearnShutter(const OutlineBench& bench, std::vector<Look> looks,
                  const ValueWithSigma& line_time, BallKnowledge* known);

}  // namespace percuss::tracking
