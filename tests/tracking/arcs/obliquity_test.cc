// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/arcs/arc_obliquity.h"
#include "tracking/arcs/impact_arcs.h"

namespace percuss::tracking {
namespace {

// Truth: the angle between normal and line of sight in the known states, and pixels with the noise
// that they state, whatever the angle: what is left of them is 1 sigma, less the share of the
// unknowns (14 of some thousand).
TEST(CalcObliquity, FindsTheAnglesAndWhatIsLeftOfThePixels) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const MarkerLayout layout = LayoutOf(trial);
  std::mt19937 random(161);
  const auto frames = MakeTrackedFrames(trial, 0.05, &random);
  std::string reason;
  const auto guesses = FindImpacts(frames, FindFlightArcs(frames, trial.gravity),
                                   trial.body.body.shape, trial.gravity, {}, &reason);
  ASSERT_EQ(guesses.size(), 1u) << reason;
  const ImpactFit fit = FitImpactArcs(frames, guesses[0], layout, trial.body.body.inertia,
                                      trial.gravity, trial.calibration);
  ASSERT_TRUE(fit.usable) << fit.reason;
  const auto views = CalcObliquity(fit.arcs_fitted, frames, layout, trial.calibration,
                                   trial.body.body.inertia, trial.gravity);
  ASSERT_EQ(views.size(), 2u);
  for (std::size_t side = 0; side < 2; ++side) {
    const Eigen::Vector3d eye = ViewsOf(trial.calibration)[side].Centre();
    std::vector<double> angles;
    int steep = 0;
    for (const ArcFrame& frame : fit.arcs_fitted.frames) {
      const auto truth = trial.StateAt(frame.time);
      for (const Eigen::Vector3d& p_BM : layout.p_BM) {
        const Eigen::Vector3d way = eye - (truth.q_WB * p_BM + truth.p_WB);
        const Eigen::Vector3d normal = truth.q_WB * Eigen::Vector3d::UnitZ();
        angles.push_back(std::acos(normal.dot(way.normalized())) * 180.0 / M_PI);
        steep += angles.back() > 45.0;
      }
    }
    std::ranges::sort(angles);
    const Obliquity& view = views[side];
    // Poses of single frames are good to a degree.
    EXPECT_NEAR(view.median_deg, angles[angles.size() / 2], 1.0);
    EXPECT_NEAR(view.largest_deg, angles.back(), 3.0);
    EXPECT_NEAR(view.above.sightings, steep, 0.1 * static_cast<double>(angles.size()));
    for (const SightingErrors& errors : {view.below, view.above}) {
      if (errors.sightings < 50) continue;
      const double noise = 4.0 / std::sqrt(4.0 * errors.sightings);
      EXPECT_NEAR(errors.rms_sigmas, 1.0, noise + 0.03);
      EXPECT_NEAR(errors.rms_px, 0.05, 0.05 * (noise + 0.03));
    }
    EXPECT_GE(view.below.sightings + view.above.sightings, 250);
  }
}

}  // namespace
}  // namespace percuss::tracking
