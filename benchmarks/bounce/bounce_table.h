// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Rendered clips of balls, cameras and light drawn at random: the error of e, and how often its
/// interval holds.
/// @param draws per frame rate
/// e of drawn clips against truth, at 30 and at 240 frames/s, and the scale.
std::vector<BoundSection> MeasureBounceClips(int draws);
/// The centre of an outline against the Cramer-Rao bound.
std::vector<BoundSection> MeasureOutlines();
/// Whether the ball is found.
std::vector<BoundSection> MeasureScenes();
/// e from sound alone.
std::vector<BoundSection> MeasureEar();
/// Time against that of decoding.
std::vector<BoundSection> MeasureBounceSpeed();

/// Rendered clips of a ball with 12 dots of 6 mm at 240 frames/s, 1080p, spins of 20 to 200 rad/s
/// about axes drawn at random: errors of spin and friction, and how often their intervals hold.
std::vector<BoundSection> MeasureBounceSpins(int draws);

}  // namespace percuss::benchmarks
