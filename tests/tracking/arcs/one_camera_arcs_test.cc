// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Six unknowns of a pose from one view. Truth: drops at random (simulated_impact.h), pixel noise
// and calibration errors of known size.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/tracking/arcs/simulated_impact.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

// 200 of the drops, a bar and a cube in turns: shares of the 95 % intervals of v and w that hold
// the truth, and of those along the line of sight, which one view knows least.
TEST(OneCamera, IntervalsHoldTheTruthAsOftenAsTheySay) {
  constexpr int kTrials = 200;
  int held = 0, all = 0, away = 0, fitted = 0;
  double median_sigma = 0.0;
  for (unsigned seed = 1000; seed < 1000 + kTrials; ++seed) {
    const SimulatedImpact impact = SimulateImpact(seed, {.num_cameras = 1});
    if (!impact.failure.empty()) continue;
    ++fitted;
    for (int i = kV; i < impacts::kImpactDimension; ++i) {
      const double sigma = std::sqrt(impact.covariance(1 + i, 1 + i));
      held += std::abs(impact.error[1 + i]) < 1.95996 * sigma;
      ++all;
    }
    // The left camera looks along y.
    const double sigma_y = std::sqrt(impact.covariance(1 + kV + 1, 1 + kV + 1));
    away += std::abs(impact.error[1 + kV + 1]) < 1.95996 * sigma_y;
    median_sigma += sigma_y;
  }
  const double share = static_cast<double>(held) / all, of_y = static_cast<double>(away) / fitted;
  RecordProperty("share", std::to_string(share));
  RecordProperty("fitted", fitted);
  std::printf(
      "one camera: %d of %d drops fitted; 95 %% intervals of v and w hold %.1f %%, of v_y "
      "%.1f %%; mean sigma of v_y %.2f mm/s\n",
      fitted, kTrials, 100.0 * share, 100.0 * of_y, 1e3 * median_sigma / fitted);
  EXPECT_GE(fitted, 180);
  EXPECT_GE(share, 0.93);
  EXPECT_LE(share, 0.97);
  // Three sigmas of a binomial.
  EXPECT_NEAR(of_y, 0.95, 3.0 * std::sqrt(0.95 * 0.05 / fitted));
}

}  // namespace percuss::tracking
