// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: drops at random (simulated_impact.h) before four cameras, each with a clock of its own.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tracking/arcs/simulated_impact.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

// 30 drops of a bar (a cube with its many markers takes longer): the shares of the 95 % intervals
// of all velocities and of the three clocks that hold the truth, within 3 sigmas of a binomial,
// components of one drop counted as one.
TEST(FourCameras, IntervalsAndClocksHoldTheTruthAsOftenAsTheySay) {
  constexpr int kTrials = 30;
  int fitted = 0, held = 0, clocks = 0;
  for (unsigned seed = 2001; seed < 2001 + 2 * kTrials; seed += 2) {
    const SimulatedImpact impact =
        SimulateImpact(seed, {.num_cameras = 4, .clock_sigma_frames = 0.02});
    if (!impact.failure.empty()) continue;
    ++fitted;
    for (int i = kV; i < impacts::kImpactDimension; ++i)
      held += std::abs(impact.error[1 + i]) < 1.95996 * std::sqrt(impact.covariance(1 + i, 1 + i));
    ASSERT_EQ(impact.later.size(), 4u);
    for (std::size_t c = 1; c < 4; ++c) {
      EXPECT_GT(impact.fit.clock_sigma[c], 0.0);
      clocks += std::abs(impact.fit.clock_offset[c] - impact.later[c]) <
                1.95996 * impact.fit.clock_sigma[c];
    }
    EXPECT_EQ(impact.fit.clock_sigma[0], 0.0);
  }
  EXPECT_GE(fitted, 28);
  const double width = 3.0 * std::sqrt(0.95 * 0.05 / fitted);
  EXPECT_NEAR(held / (12.0 * fitted), 0.95, width);
  EXPECT_NEAR(clocks / (3.0 * fitted), 0.95, width);
}

}  // namespace percuss::tracking
