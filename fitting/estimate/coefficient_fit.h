// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "fitting/model/coefficient_model.h"
#include "fitting/model/prepared_impacts.h"
#include "fitting/result/fit_result.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

struct FitOptions {
  std::vector<std::string> laws = {"stronge"};
  /// How law parameters depend on the approach speed, and in which groups of trials they differ;
  /// each for the laws that have the parameter.
  ParameterModels models = {};
  Grouping grouping = {};
  /// Values that were measured elsewhere, for the laws that have the parameter. They are not
  /// fitted; their errors, independent, are in the weights and in all that is predicted. What the
  /// impacts would say themselves: LawFit::agreement.
  GivenParameters given = {};
  bool robust = false;     ///< Loss::kHuber instead of the sum of squares
  bool scatter = false;    ///< random effects: LawFit::scatter
  int num_bootstraps = 0;  ///< replicates of the trial bootstrap
  bool cross_validate = true;
  bool static_friction = true;  ///< LawFit::static_friction
  /// LawFit::error_split and TrialComparison::best_of_law, which cost about as much as the fit.
  bool split_error = true;
  /// Parts of the trials that are left out in turn where there are more than kMaxLeaveOneOut; with
  /// fewer, one trial at a time.
  int num_folds = 10;
  int num_threads = 2;
  /// Called with each law as it ends, one call at a time, with how many have ended, and of how
  /// many. A law that is the same as another of them is not called for.
  std::function<void(const LawFit& ended, int done, int all)> on_law = {};
};

/// @throws std::invalid_argument naming the field, its value and its bound, or an unknown law.
FitOptions ValidatedFitOptions(const FitOptions& options);

/// Fits the parameters of each law, shared by all impacts, to the states before and after.
///
/// Residual of an impact: e = [v'_meas - v'_model; w'_meas - w'_model] with the model driven by the
/// measured pre-impact state. With x the errors of the impact (its 18, and 3 of the contact arm),
/// G = de/dx and C the covariance of the calibration,
///
///     cov(e_i, e_j) = delta_ij G_i (Sigma_i - K_i C K_i^T) G_i^T + G_i K_i C K_j^T G_j^T,
///
/// so the state before the impact counts as much as the one after (errors in variables, first
/// order), cross-covariances and the turning contact arm are in it, and trials are correlated
/// through the calibration. The weights depend on the parameters through G: they are computed again
/// at the solution until it rests. A single impulse spans three of the six components of e; the
/// other three still test the data, and a misfit there widens the intervals (interval_scale).
///
/// Each 95 % interval is where the profile of the cost stays within 3.84 interval_scale^2 of the
/// minimum. A profile that never leaves on one side gives a bound, on both sides nothing: status.
/// Impacts that all end sticking, for instance, bound mu from below only.
///
/// With given parameters g the errors of all residuals have J_g dg in common, J_g = de/dg, so that
/// cov(e_i, e_j) gains J_gi S J_gj^T with S their variances. Where a law has no other, nothing is
/// fitted: the cost is the test of a prediction.
///
/// Trials that cannot be used (not finite, not approaching, covariance not positive semidefinite)
/// are listed with the reason; without any usable one the fit has converged == false and a message.
/// @throws std::invalid_argument as ValidatedFitOptions, or for a body without positive mass and
/// inertia.
std::vector<LawFit> FitCoefficients(const PreparedImpacts& data, const FitOptions& options = {});

/// The same of PrepareImpacts(table, body).
std::vector<LawFit> FitCoefficients(const impacts::ImpactTable& table, const solver::Body& body,
                                    const FitOptions& options = {});

}  // namespace percuss::fitting
