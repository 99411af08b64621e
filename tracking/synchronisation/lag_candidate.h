// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace percuss::tracking {

/// One lag of the right video against the left one, and how it explains the moving spots.
struct LagCandidate {
  double offset = 0.0;       ///< [s] to be added to right times, to a few hundredths of a frame
  double evidence = 0.0;     ///< log-likelihood ratio against partners by chance
  double share = 0.0;        ///< of the moving left spots that have a partner
  double distance_px = 0.0;  ///< rms of these partners from their epipolar lines
  double doubt = 1.0;        ///< probability that it is right rather than the first; 1 for that
};

}  // namespace percuss::tracking
