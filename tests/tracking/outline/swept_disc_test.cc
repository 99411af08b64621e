// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: areas by counting points, and differences.

#include "tracking/outline/swept_disc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace percuss::tracking {
namespace {

/// The share and the light of the lamp at x, by sums over the disc and over the exposure.
Eigen::Vector2d Counted(const SweptDisc& disc, const Eigen::Vector2d& x,
                        const Eigen::Vector3d& lamp) {
  constexpr int kInstants = 60;
  constexpr double kStep = 0.05;
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  const double reach = 5.0 * disc.blur;
  for (int i = 0; i < kInstants; ++i) {
    const Eigen::Vector2d centre = disc.centre + ((i + 0.5) / kInstants - 0.5) * disc.sweep;
    for (double dy = -reach; dy <= reach; dy += kStep) {
      for (double dx = -reach; dx <= reach; dx += kStep) {
        const double weight = std::exp(-0.5 * (dx * dx + dy * dy) / (disc.blur * disc.blur)) *
                              kStep * kStep / (2.0 * std::numbers::pi * disc.blur * disc.blur);
        const Eigen::Vector2d n = (x + Eigen::Vector2d(dx, dy) - centre) / disc.radius;
        if (n.squaredNorm() > 1.0) continue;
        const Eigen::Vector3d normal(n.x(), n.y(), std::sqrt(1.0 - n.squaredNorm()));
        sum += weight / kInstants * Eigen::Vector2d(1.0, std::max(0.0, lamp.dot(normal)));
      }
    }
  }
  return sum;
}

SweptDisc MovingDisc() {
  return {.centre = {20.3, 19.8}, .radius = 14.0, .sweep = {2.0, -6.0}, .blur = 0.8};
}

TEST(SweptDisc, HidesWhatCountingSays) {
  const SweptDisc disc = MovingDisc();
  const Eigen::Vector3d lamp(0.2, -0.5, 0.6);
  for (const double radius : {6.0, 11.0, 13.0, 14.0, 15.0, 17.0}) {
    for (int k = 0; k < 6; ++k) {
      const double angle = 0.4 + k * std::numbers::pi / 3.0;
      const Eigen::Vector2d x =
          disc.centre + radius * Eigen::Vector2d(std::cos(angle), std::sin(angle));
      const SweptShare share = ShareAt(disc, x, &lamp);
      const Eigen::Vector2d counted = Counted(disc, x, lamp);
      EXPECT_NEAR(share.share.value, counted[0], 3e-3) << radius << " " << angle;
      EXPECT_NEAR(share.lit.value, counted[1], 8e-3) << radius << " " << angle;
    }
  }
}

TEST(SweptDisc, HasTheDerivativesOfDifferences) {
  constexpr double kDelta = 1e-5;
  const SweptDisc disc = MovingDisc();
  const Eigen::Vector3d lamp(0.2, -0.5, 0.6);
  const Eigen::Vector2d x = disc.centre + Eigen::Vector2d(9.5, -10.0);
  const SweptShare share = ShareAt(disc, x, &lamp);
  const auto expect = [&](const auto& change, double by_share, double by_lit, const char* what) {
    SweptDisc high = disc, low = disc;
    change(&high, kDelta);
    change(&low, -kDelta);
    const SweptShare above = ShareAt(high, x, &lamp), below = ShareAt(low, x, &lamp);
    EXPECT_NEAR(by_share, (above.share.value - below.share.value) / (2.0 * kDelta), 2e-4) << what;
    // The light changes with the normal in the middle of the ball, too, by little near its edge.
    EXPECT_NEAR(by_lit, (above.lit.value - below.lit.value) / (2.0 * kDelta), 6e-3) << what;
  };
  expect([](SweptDisc* d, double by) { d->centre.x() += by; }, share.share.by_centre.x(),
         share.lit.by_centre.x(), "centre x");
  expect([](SweptDisc* d, double by) { d->centre.y() += by; }, share.share.by_centre.y(),
         share.lit.by_centre.y(), "centre y");
  expect([](SweptDisc* d, double by) { d->radius += by; }, share.share.by_radius,
         share.lit.by_radius, "radius");
  expect([](SweptDisc* d, double by) { d->sweep.y() += by; }, share.share.by_sweep.y(),
         share.lit.by_sweep.y(), "sweep y");
  expect([](SweptDisc* d, double by) { d->blur += by; }, share.share.by_blur, share.lit.by_blur,
         "blur");
}

TEST(SweptDisc, SaysHowDeepAPointIs) {
  const SweptDisc disc{.centre = {0.0, 0.0}, .radius = 10.0, .sweep = {8.0, 0.0}};
  const Eigen::Vector2d depths = DepthsAt(disc, {12.0, 0.0});
  EXPECT_NEAR(depths[0], 2.0, 1e-12);   // at the end of the exposure the centre is at 4
  EXPECT_NEAR(depths[1], -6.0, 1e-12);  // at its start at -4
}

}  // namespace
}  // namespace percuss::tracking
