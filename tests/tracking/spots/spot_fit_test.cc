// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/spot_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "capture/video/tone.h"
#include "tests/tracking/spots/spot_rendering.h"

namespace percuss::tracking {
namespace {

constexpr int kSpotFitSize = 21;
constexpr double kNoise = 0.3;  // [grey]: the model is wrong by far more

struct Spot {
  SpotPixels pixels;
  SpotModel start;
};

/// An ellipse without any blur: each pixel shows what is in its middle. The start is what the
/// pixels inside say.
Spot SharpEllipse(double x, double y, double long_axis, double short_axis) {
  Spot spot;
  spot.pixels.x.resize(kSpotFitSize * kSpotFitSize);
  spot.pixels.y.resize(kSpotFitSize * kSpotFitSize);
  spot.pixels.grey.resize(kSpotFitSize * kSpotFitSize);
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  Eigen::Matrix2d squares = Eigen::Matrix2d::Zero();
  double area = 0.0;
  for (int row = 0; row < kSpotFitSize; ++row) {
    spot.pixels.runs.push_back({0, row, kSpotFitSize});
    for (int column = 0; column < kSpotFitSize; ++column) {
      const Eigen::Vector2d place(column, row);
      const double u = (column - x) / long_axis, v = (row - y) / short_axis;
      const bool inside = u * u + v * v < 1.0;
      const int pixel = row * kSpotFitSize + column;
      spot.pixels.x[pixel] = static_cast<float>(column);
      spot.pixels.y[pixel] = static_cast<float>(row);
      spot.pixels.grey[pixel] = static_cast<float>(std::round(GreyOfLight(inside ? 0.45 : 0.01)));
      if (!inside) continue;
      area += 1.0;
      sum += place;
      squares += place * place.transpose();
    }
  }
  const Eigen::Vector2d centre = sum / area;
  spot.start.ellipse.centre = centre;
  spot.start.ellipse.shape =
      4.0 * (squares / area - centre * centre.transpose() + Eigen::Matrix2d::Identity() / 12.0);
  spot.start.background = 0.01;
  spot.start.contrast = 0.42;
  return spot;
}

// Truth: the drawn centre. Edges are sharper than any that the model knows, so that its blur is
// held at the least. What a centroid would leave: the edge is off by 1/sqrt(12) px in each of its
// pixels, as many as the perimeter is long.
TEST(FitSpot, ComesToRestOnEdgesSharperThanItsModel) {
  const ToneTables tone(capture::LightOfGrey({}));
  double squares = 0.0, of_centroid = 0.0;
  constexpr double kLong = 4.5;
  for (const double short_axis : {4.5, 3.5, 2.7}) {
    const double perimeter = std::numbers::pi * (kLong + short_axis);  // nearly
    const double area = std::numbers::pi * kLong * short_axis;
    const double levers = 0.5 * (kLong * kLong + short_axis * short_axis);
    for (int phase = 0; phase < 36; ++phase) {
      const double x = 10.0 + phase % 6 / 6.0, y = 10.0 + phase / 6 / 6.0;
      const Spot spot = SharpEllipse(x, y, kLong, short_axis);
      const SpotFit fit = FitSpot(spot.pixels, tone, kNoise, spot.start);
      EXPECT_TRUE(fit.converged) << short_axis << " " << x << " " << y;
      squares += (fit.model.ellipse.centre - Eigen::Vector2d(x, y)).squaredNorm();
      of_centroid += perimeter / 12.0 * levers / (area * area);
    }
  }
  EXPECT_LT(squares, of_centroid);
}

// A fit that leaves its spot, here for a brighter one beside it, has no covariance.
TEST(FitSpot, HasNoAnswerWhereItLeavesItsSpot) {
  const ToneTables tone(capture::LightOfGrey({}));
  Spot spot = SharpEllipse(14.0, 10.0, 4.5, 4.5);
  spot.start.ellipse.centre = {9.0, 10.0};
  const SpotFit fit = FitSpot(spot.pixels, tone, kNoise, spot.start);
  EXPECT_FALSE(fit.converged);
  EXPECT_EQ(fit.covariance.trace(), 0.0);
}

}  // namespace
}  // namespace percuss::tracking
