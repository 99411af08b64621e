// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/marker_scale.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::tracking {
namespace {

// Markers of a body whose real lengths are `factor` times the stated ones, with noise.
std::vector<MarkerPoint> Points(const MarkerLayout& layout, double factor, double noise) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0.0, noise);
  std::vector<MarkerPoint> points;
  for (int frame = 0; frame < 40; ++frame) {
    for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
      MarkerPoint point{.frame = frame, .marker = static_cast<int>(m), .point = {}};
      point.point.p_W = Eigen::Vector3d(0.0, 0.1, 0.2 + 0.001 * frame) + factor * layout.p_BM[m] +
                        Eigen::Vector3d{normal(random), normal(random), normal(random)};
      points.push_back(point);
    }
  }
  return points;
}

// Source of truth: the thesis' correction (sun2017 4.4), C = stated over measured length.
TEST(MeasureMarkerScale, IsStatedOverMeasuredLength) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const MarkerLayout layout = LayoutOf(trial.body);
  const MarkerScale exact =
      MeasureMarkerScale(Points(layout, 1.0 / 1.1998, 0.0), layout, trial.calibration);
  EXPECT_NEAR(exact.scale, 1.1998, 1e-12);
  EXPECT_EQ(exact.frames, 40);
  EXPECT_NE(MarkerScaleWarning(exact).find("16.65 % nearer"), std::string::npos)
      << MarkerScaleWarning(exact);
  const MarkerScale noisy =
      MeasureMarkerScale(Points(layout, 1.0, 0.2e-3), layout, trial.calibration);
  EXPECT_NEAR(noisy.scale, 1.0, 4.0 * noisy.sigma);
  EXPECT_GT(noisy.sigma, 1e-5);
  EXPECT_LT(noisy.sigma, 1e-3);  // 0.2 mm on 0.1 m, forty times
  EXPECT_TRUE(MarkerScaleWarning(noisy).empty());
}

// sun2017 4.2.5: a rod of 298.5 mm that measures 248.8 mm, digest 7.3.13: 1.19976. With the length
// of Table 4.1, 304.8 mm, which the thesis does not use here (E45), it would be 1.2251.
TEST(MeasureMarkerScale, IsThatOfTheThesis) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  for (const auto& [length, printed] : {std::pair{0.2985, 1.19976}, {0.3048, 1.22508}}) {
    const MarkerLayout layout{.p_BM = {{0.0, 0.0, 0.0}, {length, 0.0, 0.0}},
                              .normal_B = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitZ()}};
    const MarkerScale scale =
        MeasureMarkerScale(Points(layout, 0.2488 / length, 0.0), layout, trial.calibration);
    EXPECT_NEAR(scale.scale, printed, 5.1e-6);
  }
}

// The calibration's own scale error is part of the sigma: 1 % of the baseline is 1 % of lengths.
TEST(MeasureMarkerScale, HoldsTheCalibration) {
  SyntheticTrial trial = MakeSyntheticTrial();
  const MarkerLayout layout = LayoutOf(trial.body);
  const Eigen::Vector3d t = trial.calibration.cameras[1].from_first.t;
  const int place = trial.calibration.Places().CameraPose(1) + 3;
  trial.calibration.covariance.block<3, 3>(place, place) = 1e-4 * t * t.transpose();
  const MarkerScale scale = MeasureMarkerScale(Points(layout, 1.0, 0.0), layout, trial.calibration);
  EXPECT_NEAR(scale.sigma, 0.01, 2e-3);
}

TEST(MeasureMarkerScale, NeedsTwoMarkers) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const MarkerScale none = MeasureMarkerScale({}, LayoutOf(trial.body), trial.calibration);
  EXPECT_TRUE(std::isnan(none.scale));
  EXPECT_TRUE(MarkerScaleWarning(none).empty());
}

}  // namespace
}  // namespace percuss::tracking
