// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fitting/model/prepared_impacts.h"
#include "fitting/result/findings.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

/// The drops that are tried: every combination. Angles in degrees.
struct DropGrid {
  /// Of the body about the y axis of W, from where its axes are those of W.
  std::vector<double> pitch_deg = {5, 15, 25, 35, 45, 55, 65, 75, 85};
  /// Before that about the x axis: a box that is not rolled would land on an edge. Not for planar
  /// bodies.
  std::vector<double> roll_deg = {10, 35};
  /// Between velocity and surface normal, towards x: 0 is a plain drop.
  std::vector<double> incidence_deg = {0, 15, 30, 45, 60};
  std::vector<double> speed = {1, 2, 3, 4};  ///< of the mass centre at the impact [m/s]
};

/// The state of the body just before the impact of a drop without spin; touching with its lowest
/// point.
impacts::ImpactRecord DropImpact(const solver::Body& body, const NextDrop& drop);

/// A law of several points is also asked about pitches of 0 and 90 degrees and no roll: a body that
/// lands on a face or an edge.
///
/// Compares drops by the Fisher information they would add: with C the covariance of the parameters
/// and J the derivatives of an impact's whitened residuals, C becomes (C^-1 + J^T J)^-1.
///
/// The states of the new drop are taken to be measured as the typical impact of the table: its
/// covariance is the mean over the table, interval_scale included. A parameter that is not
/// identified has no covariance yet; it is taken as even over where its interval leaves it (open
/// ends: twice the other end, or the law's own limits) and the information is the mean over that
/// range, since whether an impact slips depends on the very mu that is sought.
///
/// mu_s has no Fisher information: its likelihood has a step at the critical friction of each
/// impact that asks (EstimateStaticFriction). With mu_s even over where it may be, an open end as
/// above, an impact that asks with its step at c tells most, ln 2, where c is in the middle. Of the
/// grid, with pitches every tenth of its steps, it is the one nearest the middle (of one pose,
/// which all have one c, that whose two answers differ most) whose answers differ by 3.92 of their
/// sigmas or more: it is then mistaken in one case of 40.
///
/// Source: D-optimality, V. Fedorov, Theory of Optimal Experiments, 1972, 2.
///
/// @throws std::invalid_argument for an empty grid, or values that are not finite, negative or of
/// no speed.
NextDropAdvice AdviseNextDrop(const LawFit& fit, const PreparedImpacts& data,
                              const DropGrid& grid = {});

}  // namespace percuss::fitting
