// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "capture/sound/bounce_series.h"
#include "tracking/bounces/bounce_fit.h"

namespace percuss::pipeline {

/// What the sound of a clip says beside its pictures.
struct ClipSound {
  std::string reason;                         ///< why it says nothing; empty if it does
  capture::BounceSeries series;               ///< the ball by ear alone
  std::vector<tracking::HeardContact> heard;  ///< of the bounces that the pictures show
};

/// Which sudden sounds are the contacts that the pictures show: those that agree, within 3 ms and
/// three sigmas, at one delay of at most 0.2 s; at least two, of the delay with the best odds
///
///   log odds = - ln(0.4 s lambda) + sum over the second sound and those after it of
///              ln(N(r; sigma) / lambda) + (bounces without a sound) ln 0.1
///
/// against sounds at random: N is the normal density of what a sound is off their common delay, at
/// least 1 ms wide, and lambda the rate of the other sounds (half a one more than there are, echoes
/// within 80 ms not among them). None below odds of 100: beats and syllables agree by chance. The
/// series by ear alone is kept where two of its sounds are among these.
/// @param options of the ball by ear alone; the air is what the pictures show
/// @param slow the pictures are of slow motion, whose sound is of another time
ClipSound HearContacts(const capture::ContactOnsets& onsets, capture::SeriesOptions options,
                       const tracking::BounceFit& fit, bool slow);

}  // namespace percuss::pipeline
