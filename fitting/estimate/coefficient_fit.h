// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fitting/model/coefficient_model.h"
#include "impacts/impact_files.h"
#include "solver/body/rigid_body.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline const Eigen::Vector3d kNaNVector = Eigen::Vector3d::Constant(kNaN);

enum class ParameterStatus { kIdentified, kLowerBound, kUpperBound, kUnidentified };
std::string_view StatusName(
    ParameterStatus status);  ///< identified | lower_bound | upper_bound | unidentified

struct ParameterEstimate {
  std::string name;
  double value = kNaN;  ///< NaN when unidentified; the bound itself for lower_bound and upper_bound
  double sigma = kNaN;
  std::array<double, 2> ci95 = {
      kNaN, kNaN};  ///< one end infinite (or the parameter's own limit) for a bound
  ParameterStatus status = ParameterStatus::kUnidentified;
  /// Where the cost is least and what the predictions use; for a bound or an unidentified parameter
  /// one of many values that serve as well.
  double best = kNaN;
  /// Percentiles of the trial bootstrap, NaN without. It sees how the trials scatter, not what they
  /// share (calibration), and knows no open side.
  std::array<double, 2> bootstrap95 = {kNaN, kNaN};
};

/// Whether less than one digit of an identified parameter is known: its 95 % interval is wider than
/// a third of its value.
bool IsWeaklyIdentified(const ParameterEstimate& estimate);

struct ValueWithSigma {
  double value = kNaN;
  double sigma = kNaN;
};

/// Kinetic energy [J] of the motion along the normal, along the surface, of the rotation, and of
/// all together.
using EnergyShares = std::array<ValueWithSigma, 4>;
/// In files.
inline constexpr std::array<const char*, 4> kEnergyShareNames = {"normal", "tangential", "rotation",
                                                                 "total"};

/// Model against experiment for one impact. Velocities in W.
struct TrialComparison {
  std::string trial;
  bool used = false;
  std::string reason;                                                ///< why not used
  Eigen::Vector3d v_measured = kNaNVector, w_measured = kNaNVector;  ///< just after the impact
  Eigen::Vector3d v_predicted = kNaNVector, w_predicted = kNaNVector;
  Eigen::Vector3d v_sigma = kNaNVector, w_sigma = kNaNVector;  ///< of the measured ones
  Eigen::Vector3d v_predicted_sigma = kNaNVector, w_predicted_sigma = kNaNVector;
  /// Of predicted minus measured, whose errors have the state before in common.
  Eigen::Vector3d v_difference_sigma = kNaNVector, w_difference_sigma = kNaNVector;
  Eigen::Vector3d impulse_measured = kNaNVector;  ///< m (v' - v), W [N s]
  Eigen::Vector3d impulse_predicted = kNaNVector;
  std::vector<std::string> modes;
  std::string sun_case;
  double velocity_error = kNaN;  ///< |M^(1/2)(v'_pred - v'_meas)| / |M^(1/2) v|
  ValueWithSigma energy_before, energy_after_measured;         ///< kinetic [J]
  ValueWithSigma dissipation_measured, dissipation_predicted;  ///< fraction of energy_before
  ValueWithSigma dissipation_difference;      ///< predicted minus measured; NaN: not fully measured
  ValueWithSigma normal_work, friction_work;  ///< of the surface on the body, predicted [J]
  EnergyShares energy_after_predicted{};
  /// velocity_error of the best impulse through the contact point that any law could give: free but
  /// for P_n >= 0.
  double reachability_floor = kNaN;
  /// velocity_error of the law with the parameters that suit this impact alone best.
  double best_of_law = kNaN;
  bool energy_grows = false;  ///< of the prediction: more kinetic energy after than before
};

/// Where the mean velocity error of a law comes from; the parts add up to it. Trials with all
/// velocities measured.
struct ErrorSplit {
  double data = kNaN;  ///< reachability_floor: no impulse through the contact point leaves less
  double law = kNaN;   ///< best_of_law beyond that: no parameters of the law leave less
  double parameters = kNaN;  ///< velocity_error beyond that: that all trials share the parameters
};

struct ScatterReport;

struct LawFit {
  std::string law;
  bool converged = false;
  std::string message;
  ParameterModels models;  ///< of the law's parameters; those not named are constant
  /// The coefficients that were estimated: those of the law where its parameters are constant and
  /// shared by all trials, those of their models otherwise (Coefficient::name).
  std::vector<ParameterEstimate> parameters;
  Eigen::MatrixXd covariance;  ///< of the parameters, at `best`; NaN where unidentified
  int num_used = 0;            ///< trials
  double cost = kNaN;          ///< whitened sum of squares (chi-square)
  int dof = 0;
  double cost_probability = kNaN;  ///< of at least this cost if law and sigmas were right
  /// Factor on all sigmas and intervals: sqrt(max(1, cost / dof)) where the table states sigmas, so
  /// that a misfit widens the intervals; sqrt(cost / dof) where they are only assumed.
  double interval_scale = kNaN;
  /// cost + ln det S + 2 k + 2 k (k + 1) / (N - k - 1) for N residuals and k parameters; its
  /// differences between laws on the same table have a meaning, its value has none.
  double aicc = kNaN;
  double velocity_error_mean = kNaN;
  double energy_error_rms = kNaN;
  double cross_validated_velocity_error_mean = kNaN;
  double cross_validated_energy_error_rms = kNaN;
  ErrorSplit error_split;
  int num_energy_gains = 0;  ///< trials used in which the prediction gains kinetic energy
  std::vector<TrialComparison> trials;
  /// Trial-to-trial scatter of the law's parameters, if asked for.
  std::shared_ptr<const ScatterReport> scatter;
};

/// Most trials for which cross-validation leaves out one at a time.
inline constexpr int kMaxLeaveOneOut = 30;

struct FitOptions {
  std::vector<std::string> laws = {"stronge"};
  double default_velocity_sigma = 0.01;         ///< [m/s] when the table has none
  double default_angular_velocity_sigma = 0.1;  ///< [rad/s] when the table has none
  /// How law parameters depend on the approach speed, and in which groups of trials they differ;
  /// each for the laws that have the parameter.
  ParameterModels models = {};
  Grouping grouping = {};
  bool robust = false;     ///< Loss::kHuber instead of the sum of squares
  bool scatter = false;    ///< random effects: LawFit::scatter
  int num_bootstraps = 0;  ///< replicates of the trial bootstrap
  bool cross_validate = true;
  /// LawFit::error_split and TrialComparison::best_of_law, which cost about as much as the fit.
  bool split_error = true;
  /// Parts of the trials that are left out in turn where there are more than kMaxLeaveOneOut; with
  /// fewer, one trial at a time.
  int num_folds = 10;
  int num_threads = 2;
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
/// Trials that cannot be used (not finite, not approaching, covariance not positive semidefinite)
/// are listed with the reason; without any usable one the fit has converged == false and a message.
/// @throws std::invalid_argument as ValidatedFitOptions, or for a body without positive mass and
/// inertia.
std::vector<LawFit> FitCoefficients(const tracking::ImpactTable& table, const solver::Body& body,
                                    const FitOptions& options = {});

}  // namespace percuss::fitting
