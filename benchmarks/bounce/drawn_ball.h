// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "synthesis/ball/ball_clip.h"
#include "tracking/ball/clip.h"

namespace percuss::benchmarks {

/// Ball, camera, light and shutter as they may be: 1080p, 5 bounces, a tripod.
synthesis::BallSpec DrawnClip(double frame_rate, std::uint32_t seed);

/// A clip as the program reads one, each picture made when it is asked for first and kept.
tracking::ClipFrames FramesOfClip(const synthesis::BallClip& clip);

}  // namespace percuss::benchmarks
