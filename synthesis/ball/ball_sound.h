// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "capture/sound/sound_track.h"
#include "synthesis/ball/ball_motion.h"

namespace percuss::synthesis {

/// When the file has the click of a bounce: at the touch, later by distance / 343 m/s from the
/// contact to the camera and by the offset of the sound [s].
double SoundTime(const BallSpec& spec, const BounceTruth& bounce);

/// The sound of the clip from time 0 to its end.
/// @throws std::invalid_argument if the spec has no sound.
capture::SoundTrack MakeBallSound(const BallSpec& spec, const BallMotion& motion);

}  // namespace percuss::synthesis
