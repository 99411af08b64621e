// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/spots/video_spots.h"
#include "tracking/synchronisation/lag_candidate.h"

namespace percuss::tracking {

struct LagSearchOptions {
  capture::PerCamera<double> line_time = {};  ///< of rolling shutters, as far as known [s]
  std::vector<double> offsets = {};           ///< [s] that are looked at in any case
  /// Lowest and highest offset that come into question [s].
  std::array<double, 2> within = {-std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::infinity()};
  /// A lag is believed if the others together are right less often than this.
  double max_doubt = 1e-4;
};

struct LagEstimate {
  bool found = false;
  std::string reason;  ///< why not; where lags are about equally good, it names them
  std::vector<LagCandidate> candidates;  ///< best first; then those of LagSearchOptions::offsets
                                         ///< and others, by falling evidence
  double doubt = 1.0;                    ///< probability that the first is not the right one
  int spots = 0;                         ///< moving left spots that were asked
};

/// Finds by how much the right video began later than the left one, over all lags at which they
/// overlap, from moving spots without labels: at the right lag a left spot has its image, taken
/// along its parabola to the same instant, on its epipolar line in the right view.
///
/// With lambda the number of moving right spots per pixel that lie about that line by chance, which
/// is counted over the whole right video, and distances d_j of the spots of the right frame, a left
/// spot makes a lag more likely than chance by the factor
///     1 - p + p sum_j N(d_j; 0, sigma^2) / lambda
/// (Y. Bar-Shalom, T. Fortmann, Tracking and Data Association, 1988, 6.3, with p for the
/// probability of detection). The share p of spots that have a partner and sigma are chosen for
/// each lag, so that hidden markers, false spots, a calibration that is a little off and rows read
/// one after the other (some 10 us each) cost evidence and no more. Spots without overlap count
/// nothing, and neither do spots that stand still.
///
/// First every whole lag gets a score of hits within half a frame of motion; then the best of them
/// are refined by that likelihood. Two lags are compared by the difference of their log-likelihoods
/// frame by frame: over its standard error, which counts the correlation of successive frames, it
/// is a normal variable if both are equally near to the truth (Q. Vuong, Econometrica 57, 1989, eq.
/// 5.3; W. Newey, K. West, Econometrica 55, 1987). A motion that repeats itself thus gives two lags
/// that cannot be told apart, and no answer.
/// @throws std::invalid_argument unless there are two views.
LagEstimate FindLag(const Views& views, const std::array<VideoSpots, 2>& spots,
                    const LagSearchOptions& options = {});

}  // namespace percuss::tracking
