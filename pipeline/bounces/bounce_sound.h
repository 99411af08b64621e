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
/// the sigmas of both, at one delay of at most 0.2 s; the delay at which most agree. At least two.
/// @param options of the ball by ear alone; the air is what the pictures show
/// @param slow the pictures are of slow motion, whose sound is of another time
ClipSound HearContacts(const capture::ContactOnsets& onsets, capture::SeriesOptions options,
                       const tracking::BounceFit& fit, bool slow);

}  // namespace percuss::pipeline
