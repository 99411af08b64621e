// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

namespace percuss::tracking {

/// An even ellipse seen through a Gaussian blur (lens, pixel, motion during the exposure).
///
/// Its share of the light at x is the integral over the ellipse E = {centre + r: r^T shape^-1 r <=
/// 1} of the normal density N of mean x and covariance `blur`. By Green's theorem that is an
/// integral along the outline r(t), which runs once round as t goes from 0 to 2 pi:
///     s(x) = int_E N(y - x) dy = oint P(r + centre - x) dr_y,  P(u, v) = int_-inf^u N(u', v) du'.
/// The outline moves by what the parameters do to it, and blur diffuses; with n = shape^-1 r and
/// D = sqrt(det shape),
///     ds/dcentre = D oint N n dt,  ds/dshape = D/2 oint N n n^T dt,
///     ds/dblur = 1/2 grad grad s = 1/2 blur^-1 D oint N (x - centre - r) n^T dt.
/// The integrands are periodic and analytic, so that the trapezoidal rule converges exponentially
/// (L. N. Trefethen, J. A. C. Weideman, The Exponentially Convergent Trapezoidal Rule, SIAM Review
/// 56, 2014): with steps of at most 1.3 standard deviations of the blur it is right to 1e-4.
struct BlurredEllipse {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();          ///< [px]
  Eigen::Matrix2d shape = Eigen::Matrix2d::Identity();       ///< squared semi-axes [px^2]
  Eigen::Matrix2d blur = 0.5 * Eigen::Matrix2d::Identity();  ///< covariance [px^2]
};

/// Parameters of a BlurredEllipse, in the order of `by`. Those of the matrices are
/// their entries; an off-diagonal one stands for both.
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

/// Pixels (x + i, y), i < count.
struct PixelRun {
  int x = 0, y = 0, count = 0;
};

/// At one pixel.
struct EllipseShare {
  Eigen::Array<float, kNumEllipseParameters, 1> by;  ///< derivatives of the share
  float share = 0.0f;                                ///< 0 to 1
};

/// Share of the ellipse in the middle of the pixels of the runs, in their order.
/// @param runs with y that never falls
void EvaluateEllipse(const BlurredEllipse& ellipse, const std::vector<PixelRun>& runs,
                     std::vector<EllipseShare>* result);

}  // namespace percuss::tracking
