// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/nan.h"
#include "base/value_with_sigma.h"
#include "fitting/result/parameter_model.h"

namespace percuss::fitting {

inline const Eigen::Vector3d kNaNVector = Eigen::Vector3d::Constant(kNaN);

enum class ParameterStatus {
  kIdentified,
  kLowerBound,
  kUpperBound,
  kUnidentified,
  kGiven  ///< measured elsewhere: not fitted
};
/// identified | lower_bound | upper_bound | unidentified | given
std::string_view NameOf(ParameterStatus status);
std::vector<ParameterStatus> AllValues(ParameterStatus);

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
  std::string reason = {};  ///< why there is no value, where it is not for lack of data; or empty
};

/// Whether less than one digit of an identified parameter is known: its 95 % interval is wider than
/// a third of its value.
bool IsWeaklyIdentified(const ParameterEstimate& estimate);

/// Whether there is a value with a sigma: identified or given.
bool IsKnown(const ParameterEstimate& estimate);

/// Kinetic energy [J] of the motion along the normal, along the surface, of the rotation, and of
/// all together.
using EnergyShares = std::array<ValueWithSigma, 4>;
inline constexpr std::array<std::string_view, 4> kEnergyShareNames = {"normal", "tangential",
                                                                      "rotation", "total"};

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
  /// That struck together, from the mass centre, W [m]; empty where the law takes one.
  std::vector<Eigen::Vector3d> points;
  std::string sun_case;
  double critical_friction = kNaN;  ///< that holds a contact which has stopped
  double velocity_error = kNaN;     ///< |M^(1/2)(v'_pred - v'_meas)| / |M^(1/2) v|
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

/// How much one law parameter differs from impact to impact.
struct ScatterEstimate {
  std::string parameter;
  /// Standard deviation tau [-]; NaN where the impacts do not see the parameter.
  double value = kNaN;
  /// Profile of the restricted likelihood; begins at 0 where tau is compatible with zero.
  std::array<double, 2> ci95 = {kNaN, kNaN};
  bool compatible_with_zero = true;
  double mean = kNaN;  ///< at the mean of the impacts
  /// Of the parameter in the next impact: mean +- 1.96 sqrt(var(mean) + tau^2), within its bounds.
  std::array<double, 2> next95 = {kNaN, kNaN};
};

/// Standard deviations of the velocities after an impact from the same true state as one of the
/// table: by scatter and by the coefficients' own errors, without the errors of this state.
struct NextImpact {
  std::string as_trial;
  Eigen::Vector3d v_sigma = kNaNVector, w_sigma = kNaNVector;
};

struct ScatterReport {
  std::vector<ScatterEstimate> parameters;
  double noise_scale = 1.0;
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd covariance;
  /// Share of the velocity components after the impact (those that were measured), and of whole
  /// impacts, that lie in their predictive 95 % interval or ellipsoid, the impact being left out.
  double held_out_components = kNaN;
  double held_out_impacts = kNaN;
  std::vector<NextImpact> next_impacts;  ///< one for each impact used
};

/// Given parameters against what the impacts say of them where nothing is given.
struct Agreement {
  std::vector<ParameterEstimate> fitted;  ///< all coefficients of that fit
  /// d^T (C + S)^-1 d of the differences d of given parameters that it identifies, with its
  /// covariance C and the variances S of the given ones; as many degrees of freedom as there are.
  double chi_square = kNaN;
  int dof = 0;
  double probability = kNaN;  ///< of at least this chi-square if both are right
};

struct LawFit {
  std::string law;
  std::string same_as;  ///< LawInfo::same_as, where that law is in the same fit; then nothing else
                        ///< but the name differs
  bool converged = false;
  std::string message;
  ParameterModels models;  ///< of the law's parameters; those not named are constant
  /// The coefficients that were estimated: those of the law where its parameters are constant and
  /// shared by all trials, those of their models otherwise (Coefficient::name). Then those that
  /// were given. Last, unidentified and with the reason, those of which only a product counts
  /// (LawInfo::products), which is among the coefficients.
  std::vector<ParameterEstimate> parameters;
  /// Of the parameters but the last kind, at `best`; NaN where unidentified.
  Eigen::MatrixXd covariance;
  int num_used = 0;    ///< trials
  double cost = kNaN;  ///< whitened sum of squares (chi-square)
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
  std::optional<ScatterReport> scatter;
  /// mu_s of a law that has it (EstimateStaticFriction); what else is fitted takes it for mu.
  std::optional<ParameterEstimate> static_friction;
  std::optional<Agreement> agreement;  ///< where parameters were given and a fit is possible
};

/// The converged law of the least AICc; the first where none has one.
/// @param laws at least one
const LawFit& BestLaw(const std::vector<LawFit>& laws);

/// What one law makes of the sightings of all trials.
struct PixelFit {
  std::string law;
  bool converged = false;
  std::string message;  ///< why there is no answer, or what it rests on
  std::vector<ParameterEstimate> parameters;
  Eigen::MatrixXd covariance;  ///< of the parameters, interval_scale included
  int num_trials = 0;
  /// By how much the whitened sum of squares is larger than with the velocities after the impacts
  /// free: chi-square with `dof` degrees of freedom if the law is right.
  double misfit = kNaN;
  int dof = 0;
  double interval_scale = kNaN;  ///< sqrt(max(1, misfit / dof))
  /// Corrections of the calibration that the sightings of all trials ask for, in sigmas of its own
  /// covariance: root mean square over its independent directions.
  double calibration_shift = kNaN;
};

}  // namespace percuss::fitting
