// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <opencv2/core/mat.hpp>

#include "base/math/evidence.h"
#include "base/value_with_sigma.h"
#include "tracking/outline/ball_shade.h"
#include "tracking/outline/swept_disc.h"
#include "tracking/spots/spot_fit.h"

namespace percuss::tracking {

/// How bright ball and ground are in one picture, as FitDisc models them.
struct DiscLevels {
  Eigen::Matrix<double, 6, 1> inside = Eigen::Matrix<double, 6, 1>::Zero();  ///< t, i0, ..., i4
  /// g_0, then of cos phi, sin phi, ...
  Eigen::Matrix<double, 7, 1> gain = Eigen::Matrix<double, 7, 1>::Unit(0);
};

/// Standard deviations about 0 of what differs from picture to picture.
struct LevelScatter {
  double slope = 0.0;  ///< of i0, ..., i4 beside a shade, else of i1, ..., of full light
  double gain = 0.0;   ///< of g_1, ...
};

/// The outline of a ball in one picture.
struct DiscFit {
  bool found = false;  ///< else it left the place it began at, or knows it to no 5 px
  SweptDisc disc = {};
  /// Of centre x, y and radius [px^2], for the noise that the residuals show.
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Identity();
  /// Without what was known of the radius: independent of that of other pictures [px].
  ValueWithSigma own_radius = {};
  double stretch_sigma = 0.0;  ///< of each component, where it was free
  double visible = 0.0;  ///< share of the outline that pixels of the picture show and that fits
  /// Share of directions in which the ground beside the ball is not as it is without the ball, by
  /// more than a change of the exposure: as where its shadow touches it.
  double shadowed = 0.0;
  DiscLevels levels;
  LevelScatter scatter;                   ///< that the fit took as known at last
  ScatterEvidence slope_says, gain_says;  ///< of it
};

/// What is known before a fit: standard deviations [px], and how the ball is shaded.
struct DiscPrior {
  double sweep = 0.5;                  ///< of each component, about the start
  double blur = 0.5;                   ///< about the start
  double radius_at = 0.0;              ///< the radius that is known
  double radius = 0.0;                 ///< about that; 0: nothing is known
  double stretch = 0.0;                ///< about the start; 0: it is known
  const BallShade* shade = nullptr;    ///< none: an even ball with a slope of the second order
  const DiscLevels* levels = nullptr;  ///< of a fit of the same picture, where that is the start
  LevelScatter scatter = {};           ///< 0: what is usual
  bool learn_scatter = false;          ///< what the picture makes likely of it
};

/// A picture with the ball in it, and what is known of both.
struct DiscPicture {
  cv::Mat luma;    ///< CV_8UC1
  cv::Mat ground;  ///< CV_8UC1, the same size: grey values without the ball
  const ToneTables& tone;
  double grey_noise = 1.0;
  /// Of those near the outline: of more, every second or third counts.
  std::size_t most_pixels = std::numeric_limits<std::size_t>::max();
};

/// Fits the outline of a ball to a picture whose still ground is known (maximum likelihood,
/// Gauss-Newton with robust weights).
///
/// With s the share of SweptDisc, B the light of the ground, T that of the ball's shade,
///     light(x) = (1 - s) B(x) sum_k g_k cos k phi, sin k phi (k <= 3)
///                + s (t T(n) + i0 + i1 x' + i2 y' + i3 (x'^2 - y'^2) + i4 2 x' y'),
/// x', y' = (x - centre) / radius at the angle phi. The ground carries shadows and changes of the
/// exposure as a gain around the ball; the ball may differ from its shade by a slope.
/// Only pixels near the outline count, at most 6 px within it at all times. Grey noise acts after
/// the tone curve. How much slopes and gains scatter may be what the picture makes likely
/// (ScatterEvidence of its linearised model): those of an even ball on even ground cost nothing
/// then, those of a ball in uneven light are as large as they are.
DiscFit FitDisc(const DiscPicture& picture, const SweptDisc& start, const DiscPrior& prior);

/// A likelier scatter (LikelierSigma) than the one that fits took as known, within what is
/// sensible.
LevelScatter LikelierScatter(const LevelScatter& scatter, const ScatterEvidence& slope_says,
                             const ScatterEvidence& gain_says);

/// What outlines say of a better shade: normal * step = right, with the steps of even, lamp and
/// rest of BallShade.
struct ShadeEquations {
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(BallShade::kNumbers, BallShade::kNumbers);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(BallShade::kNumbers);
};

/// The equations of one outline, its own unknowns eliminated (Schur complement): a shade that is
/// wrong by a little moves all outlines, and outlines that are wrong alike bend the shade, so that
/// each for itself comes to rest slowly, or at the wrong place.
/// @param fit, start, prior  as FitDisc had them; with a shade, in whose axes the lamp is
ShadeEquations ShadeEquationsOf(const DiscPicture& picture, const DiscFit& fit,
                                const SweptDisc& start, const DiscPrior& prior);

}  // namespace percuss::tracking
