// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss::tracking {

/// An even ellipse seen through a Gaussian blur (lens, pixel, motion during the exposure).
///
/// Its share s of the light at x is the probability that a normal deviate of mean x - centre and
/// covariance `blur` falls into the ellipse {y: y^T shape^-1 y <= 1}: the distribution function of
/// a quadratic form, here by the transformation to a normal deviate of D. R. Jensen, H. Solomon, A
/// Gaussian approximation to the distribution of a definite quadratic form, JASA 67, 1972:
///     s = Phi(z),  z = ((1/t1)^h - 1 - t2 h (h - 1) / t1^2) t1 / (h sqrt(2 t2)),
///     h = 1 - 2 t1 t3 / (3 t2^2),  t_k = tr (Q B)^k + k x^T (Q B)^(k-1) Q x,  Q = shape^-1,
/// which is off by less than 0.01 unless the ellipse is hardly wider than its blur (semi-axis up to
/// 1.5 standard deviations), and by 0.04 where both are alike; evenly about the centre.
struct BlurredEllipse {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();          ///< [px]
  Eigen::Matrix2d shape = Eigen::Matrix2d::Identity();       ///< squared semi-axes [px^2]
  Eigen::Matrix2d blur = 0.5 * Eigen::Matrix2d::Identity();  ///< covariance [px^2]
};

/// Parameters of a BlurredEllipse, in the order of the columns of `by`.
enum EllipseParameter {
  kCentreX,
  kCentreY,
  kShapeXX,
  kShapeXY,
  kShapeYY,
  kBlurXX,
  kBlurXY,
  kBlurYY,
  kNumEllipseParameters
};

struct EllipseShare {
  Eigen::ArrayXf share;                                           ///< per point, 0 to 1
  Eigen::Array<float, Eigen::Dynamic, kNumEllipseParameters> by;  ///< derivatives
};

/// Share of the ellipse at the points (x, y) [px].
void EvaluateEllipse(const BlurredEllipse& ellipse, const Eigen::ArrayXf& x,
                     const Eigen::ArrayXf& y, EllipseShare* result);

}  // namespace percuss::tracking
