// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "fitting/result/fit_result.h"
#include "impacts/impact_record.h"
#include "tracking/arcs/arc_problem.h"

namespace percuss::pipeline {

/// One impact with the sightings that its two flights were fitted to.
struct PixelTrial {
  impacts::ImpactRecord record;  ///< contact arm, normal, gravity; the rest comes from `arcs`
  tracking::FittedArcs arcs;     ///< sightings with their robust weights, and where to start
  /// That struck together, as ImpactGeometry::touching in the pose of the record.
  std::vector<Eigen::Vector3d> touching = {};
};

/// Fits the parameters of a law to all sightings of all frames of all trials at once. Unknowns:
/// per trial the flight before the impact and its instant; the corrections of the calibration, with
/// the calibration's own covariance as their prior; the parameters. The flight after an impact is
/// the one that the law makes of the state before it:
///
///     minimise  sum_i |r_i(x_i, law(x_i, theta), c)|^2 / s_i + c^T C^-1 c,
///
/// r_i the whitened residuals with their robust weights, s_i the variance factor of the trial's own
/// arcs (FittedArcs). What two stages reach to first order (FitCoefficients), this reaches without
/// linearising the flights. Levenberg-Marquardt by Ceres with a Schur complement over the trials.
///
/// The 95 % intervals are 1.96 sigma, cut at the bounds of the parameter; a parameter that the
/// sightings do not move is unidentified. Where a bound or a mode border (stick) makes the profile
/// one-sided, trust the two-stage intervals.
///
/// @param start of the parameters, in the order of the law: the two-stage estimate.
/// @param calibration the one that the arcs were fitted with; without cameras if there are no
/// pixels.
/// @param bench_covariance of tracking::BenchParameters: errors of the body are unknowns too, and
///   move its contact and its inertia.
fitting::PixelFit FitPixels(const std::vector<PixelTrial>& trials, std::string_view law,
                            const Eigen::VectorXd& start, const solver::Body& body,
                            const tracking::MarkerLayout& layout,
                            const calibration::RigCalibration& calibration,
                            const Eigen::MatrixXd* bench_covariance = nullptr);

}  // namespace percuss::pipeline
