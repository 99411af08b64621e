// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "capture/sound/sound_track.h"

namespace percuss::capture {

/// A sudden sound whose beginning is known to a part of a millisecond.
struct ContactOnset {
  double time = 0.0;       ///< [s], clock of the video
  double sigma = 0.0;      ///< of the time against the other onsets of the track [s]
  double rise_db = 0.0;    ///< of its loudest millisecond over the noise of the track
  double frequency = 0.0;  ///< of most of its energy [Hz]
};

/// All that a bouncing ball may have caused, in order of time.
struct ContactOnsets {
  std::string reason = {};  ///< why there are none; empty where there are
  double start = 0.0;       ///< of what was listened to [s]
  double end = 0.0;         ///< [s]
  std::vector<ContactOnset> onsets = {};
};

/// Finds sudden sounds, weaker ones than FindOnsets does, and when each of them began.
///
/// First look: the track is made white, y_i = x_i - sum_k a_k x_{i-k}, by the autoregressive model
/// a of its quieter half; an onset is a window of 1 ms (24 samples where that is more) whose energy
/// is 6 dB, and more than noise ever reaches, above the noise and above the 10 ms before. At most
/// the 60 strongest are kept.
///
/// Second look: around each of them y is white noise, and from t0 on also
/// s(t) = (1 - exp(-(t - t0) / r)) sum_m (c_m cos w_m t + d_m sin w_m t), with normal c and d whose
/// variances are the spectrum of the sound. The likelihood of t0, with c and d integrated out and
/// summed over rise times r from 0 to 0.4 ms, gives the mean and the standard deviation of t0, to
/// which 10 us are added in square for rises of another form. Sounds that begin more slowly than
/// that (sigma above 0.3 ms) are dropped: no contact does.
///
/// A delay that all onsets share (the way to the microphone, the filters of the recorder) is no
/// part of sigma: intervals do not see it.
ContactOnsets FindContactOnsets(const SoundTrack& sound);

}  // namespace percuss::capture
