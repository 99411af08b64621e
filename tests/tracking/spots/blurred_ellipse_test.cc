// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/blurred_ellipse.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/tracking/spots/spot_rendering.h"

namespace percuss::tracking {
namespace {

constexpr int kSize = 30;

/// Every pixel of a square picture.
std::vector<EllipseShare> Evaluate(const BlurredEllipse& ellipse) {
  std::vector<PixelRun> runs;
  for (int y = 0; y < kSize; ++y) runs.push_back({0, y, kSize});
  std::vector<EllipseShare> shares;
  EvaluateEllipse(ellipse, runs, &shares);
  return shares;
}

/// Of semi-axes a and b, the long one at `angle`.
BlurredEllipse EllipseOf(double a, double b, double angle, const Eigen::Matrix2d& blur) {
  const Eigen::Matrix2d turn = Eigen::Rotation2Dd(angle).toRotationMatrix();
  BlurredEllipse ellipse;
  ellipse.centre = {14.3, 15.1};
  ellipse.shape = turn * Eigen::Vector2d(a * a, b * b).asDiagonal() * turn.transpose();
  ellipse.blur = blur;
  return ellipse;
}

const Eigen::Matrix2d kLeaningBlur = (Eigen::Matrix2d() << 0.9, 0.3, 0.3, 0.5).finished();

// Truth: discs drawn as chords, each exact over the pixels, where the Gaussian of the lens is wide
// against a pixel. A pixel is no Gaussian: its fourth cumulant of -1/120 px^4 each way changes the
// light at an edge by 1/2880 of its third derivative, at most 1.38 / (sigma^4 sqrt(2 pi)), which
// is 2.5e-4 at 0.9 px; at the tips of the ellipses both ways add.
TEST(EvaluateEllipse, AgreesWithDrawnDiscs) {
  for (const double lens : {0.9, 1.2}) {
    const Eigen::Matrix2d blur = (lens * lens + 1.0 / 12.0) * Eigen::Matrix2d::Identity();
    for (const double squeeze : {1.0, 0.6, 0.35, 0.2}) {
      for (const double diameter : {6.0, 10.0, 16.0}) {
        const BlurredEllipse ellipse =
            EllipseOf(0.5 * diameter, 0.5 * squeeze * diameter, 0.5, blur);
        const DrawnDisc disc{.x = ellipse.centre.x(),
                             .y = ellipse.centre.y(),
                             .long_axis = 0.5 * diameter,
                             .short_axis = 0.5 * squeeze * diameter,
                             .angle = 0.5};
        const Eigen::MatrixXd drawn = ShareOfDisc(disc, kSize, lens);
        const std::vector<EllipseShare> shares = Evaluate(ellipse);
        double worst = 0.0;
        for (std::size_t k = 0; k < shares.size(); ++k) {
          const auto i = static_cast<Eigen::Index>(k);
          worst = std::max(
              worst, std::abs(drawn(i / kSize, i % kSize) - static_cast<double>(shares[k].share)));
        }
        EXPECT_LT(worst, 1.5e-3) << lens << " " << squeeze << " " << diameter;
      }
    }
  }
}

// Truth: all of the light arrives somewhere: the sum over the pixels is the area, for any blur, and
// a shift of the centre moves its first moment by the area.
TEST(EvaluateEllipse, KeepsTheLight) {
  const BlurredEllipse ellipse = EllipseOf(4.0, 1.5, 0.8, kLeaningBlur);
  const double area = M_PI * 4.0 * 1.5;
  double sum = 0.0;
  Eigen::Vector2d moment = Eigen::Vector2d::Zero(), moved = Eigen::Vector2d::Zero();
  const std::vector<EllipseShare> shares = Evaluate(ellipse);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto i = static_cast<int>(k);
    const Eigen::Vector2d place(i % kSize, i / kSize);
    sum += static_cast<double>(shares[k].share);
    moment += static_cast<double>(shares[k].share) * place;
    moved += static_cast<double>(shares[k].by[kCentreX]) * place;
  }
  EXPECT_NEAR(sum, area, 2e-3 * area);
  EXPECT_LT((moment / sum - ellipse.centre).norm(), 2e-3);
  EXPECT_LT((moved - Eigen::Vector2d(area, 0.0)).norm(), 5e-3 * area);
}

double* ParameterOf(BlurredEllipse* ellipse, int k, double** same) {
  *same = nullptr;
  if (k < kShapeXX) return &ellipse->centre[k];
  Eigen::Matrix2d& matrix = k < kBlurXX ? ellipse->shape : ellipse->blur;
  const int entry = (k - kShapeXX) % 3;
  if (entry == 1) *same = &matrix(1, 0);
  return entry == 0 ? &matrix(0, 0) : entry == 1 ? &matrix(0, 1) : &matrix(1, 1);
}

// Truth: central differences of the share over a step h, whose own error is that of the share,
// 3e-4, over h.
TEST(EvaluateEllipse, DerivativesAreThoseOfTheShare) {
  const BlurredEllipse ellipse = EllipseOf(4.0, 1.5, 0.8, kLeaningBlur);
  const std::vector<EllipseShare> shares = Evaluate(ellipse);
  for (int k = 0; k < kNumEllipseParameters; ++k) {
    const double h = 0.03;
    const auto moved = [&](double step) {
      BlurredEllipse other = ellipse;
      double* same = nullptr;
      *ParameterOf(&other, k, &same) += step;
      if (same != nullptr) *same += step;
      return Evaluate(other);
    };
    const std::vector<EllipseShare> up = moved(h), down = moved(-h);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double difference = static_cast<double>(up[i].share - down[i].share) / (2.0 * h);
      ASSERT_NEAR(static_cast<double>(shares[i].by[k]), difference, 0.012) << k << " pixel " << i;
    }
  }
}

}  // namespace
}  // namespace percuss::tracking
