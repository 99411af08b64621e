// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "base/value_with_sigma.h"
#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"
#include "tracking/bounces/bounce_fit.h"
#include "tracking/spin/ball_spin.h"

// Bounces of a ball as impacts, as fits of coefficients read them.
namespace percuss::pipeline {

/// What a ball is beside what its clip shows. e and mu do not depend on the mass.
struct BallBody {
  ValueWithSigma mass = {1.0, 0.01};  ///< [kg]
  /// I / (m R^2): 2/5 solid, 2/3 hollow, and no sigma that a file of a body may state is wider.
  ValueWithSigma inertia_factor = {0.4, 0.2};
};

/// The bounces of one clip.
struct ClipBounces {
  std::string name;  ///< of the clip; impacts are NAME-1, NAME-2, ...
  const tracking::BounceFit* fit = nullptr;
  ValueWithSigma radius;  ///< of the ball [m]
  bool metric = false;    ///< lengths of the fit are in metres, not in radii: a ball in space
  /// Of each flight, in axes of the fit, where somebody measured them beside the places; else none.
  std::span<const tracking::BallSpin> spins = {};
};

/// One impact per bounce. W of each: origin at the contact, z the normal of the surface, x along it
/// the way of the ball before. Position (0, 0, R), contact arm (0, 0, -R), and
///
///     v = (t, 0, -n),   v' = (t', y', n')
///
/// with t, n and t', n' the tangential and normal speeds before and after. Errors of t, n, n' of
/// all bounces of a clip are correlated: `calibration_sensitivity` K is a root of their joint
/// covariance, of parameters of variance 1, so that K_i K_j^T is the covariance of two bounces.
/// Its first columns are those of BounceFit::shared, which all clips have in common, then comes one
/// for the scale. Each impact has 1e-4 of its variances to itself beyond that,
/// since a fit weights impacts by what they do not share.
///
/// What the pictures of an even ball do not show: the spin before is 0 with a sigma of |v| / R (its
/// rim as fast as the ball), that after is unmeasured, and so is the velocity after along the
/// surface. That is seen; but a fit would take a ball that slips for a measurement of mu, and one
/// that came with another spin sticks at the same t'. e of a sphere needs neither. v_y has the
/// sigma of t. Where the spins of the flights before and after are stated, all are taken, y' with
/// the sigma of t', the contact arm with that of the radius; the spin of a flight is an error that
/// the bounces at both of its ends share.
/// @param one_scale the radii are one number, with one error: the first kNumSharedErrors + 1
///   parameters are common to all clips
/// @throws std::invalid_argument for a radius that is not above 0 and finite
impacts::ImpactTable ImpactsOfBounces(std::span<const ClipBounces> clips, bool one_scale);

/// A sphere with the inertia of `ball`.
solver::Body BodyOfBall(double radius, const BallBody& ball);

/// It as the file of a body, with sigmas.
std::string BodyYaml(const ValueWithSigma& radius, const BallBody& ball);

inline constexpr char kImpactsFile[] = "impacts.json";
inline constexpr char kBodyFile[] = "body.yaml";

}  // namespace percuss::pipeline
