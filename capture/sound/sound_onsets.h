// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "capture/sound/sound_track.h"

namespace percuss::capture {

/// A sudden sound.
struct SoundOnset {
  double time = 0.0;     ///< [s], clock of the video
  double rise_db = 0.0;  ///< of its energy over that of what was heard before
};

/// The sudden sounds of a video: impacts, and what else claps.
struct SoundOnsets {
  std::string reason = {};  ///< why there are none; empty where there are
  std::vector<SoundOnset> onsets = {};
};

/// Finds where the energy of a sound, of its differences from sample to sample (a high pass: hum
/// and wind are low) in windows of 1 ms, rises to at least 15 dB above its mean of the 30 ms before
/// and above its median. The first window of a rise is its time; what follows within 60 ms is its
/// echo. At most the 30 strongest, in order of time.
SoundOnsets FindOnsets(const SoundTrack& sound);

/// Standard deviation of a lag by sound [s]: phones put sound beside pictures to some tens of
/// milliseconds, two of one make to less; sound takes 3 ms for a metre.
inline constexpr double kSoundSigma = 0.02;

/// Speed of sound in air of 20 degrees [m/s].
inline constexpr double kSpeedOfSound = 343.0;

/// How much later the right video began, by its sound.
struct SoundLag {
  bool found = false;
  std::string reason;                                        ///< why not
  double offset = std::numeric_limits<double>::quiet_NaN();  ///< [s] to be added to right times
  double sigma = kSoundSigma;                                ///< [s]
};

/// The lag at which most of the sudden sounds of both videos are heard together: a pair that agrees
/// within 5 ms counts with the weaker rise. None where another lag, 20 ms away or more, has more
/// than 0.7 of that: of two impacts one is heard in one video alone.
/// @param distances from both cameras to where the impacts are [m].
SoundLag FindSoundLag(const std::array<SoundOnsets, 2>& sounds,
                      const std::array<double, 2>& distances);

}  // namespace percuss::capture
