// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "capture/sound/sound_track.h"

namespace percuss::testing {

/// A decaying tone that begins at a known time: amplitude gain(t) exp(-t / decay) sin(2 pi f t +
/// phase), where the gain rises from 0 to 1 within `rise` as (1 - cos) / 2.
struct Click {
  double time = 0.0, amplitude = 1.0;
  double frequency = 3000.0, phase = 0.0;  // [Hz], [rad]
  double rise = 0.0, decay = 5e-3;         // [s]
};

/// A track of noise, white or with 1/f power above 50 Hz, of a standard deviation of 1 before
/// `loudness`.
struct MadeSound {
  double rate = 48000.0, start = -0.02, length = 3.0;
  bool pink = false;
  double noise = 1.0;
  std::vector<Click> clicks = {};
  /// Largest sample of all is near 0.5 for loudness 1e-2 and clicks of 50 times the noise.
  double loudness = 1e-2;
};

capture::SoundTrack Make(const MadeSound& made, std::mt19937* random);

/// Adds noise of a band about `frequency` from `time` on that swells and fades within `length`:
/// a syllable.
void AddVoice(double time, double length, double frequency, double swell, double amplitude,
              std::mt19937* random, capture::SoundTrack* sound);

/// Contacts of a ball after a flight of `first` seconds: n intervals shrink by e.
std::vector<double> Contacts(double begin, double first, double e, int count);

}  // namespace percuss::testing
