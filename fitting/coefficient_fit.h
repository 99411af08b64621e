// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/impact_law.h"
#include "solver/rigid_body.h"
#include "tracking/impact_files.h"

namespace percuss::fitting {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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
};

struct ValueWithSigma {
  double value = kNaN;
  double sigma = kNaN;
};

/// Model against experiment for one impact. Velocities in W.
struct TrialComparison {
  std::string trial;
  bool used = false;
  std::string reason;                                                ///< why not used
  Eigen::Vector3d v_measured, w_measured, v_predicted, w_predicted;  ///< just after the impact
  Eigen::Vector3d v_sigma, w_sigma;                                  ///< of the measured ones
  Eigen::Vector3d impulse_measured, impulse_predicted;               ///< W [N s]
  std::vector<std::string> modes;
  std::string sun_case;
  double velocity_error = kNaN;  ///< |M^(1/2)(v'_pred - v'_meas)| / |M^(1/2) v|
  double energy_before = kNaN;   ///< kinetic [J]
  ValueWithSigma dissipation_measured, dissipation_predicted;  ///< fraction of energy_before
  double normal_work = kNaN, friction_work = kNaN;             ///< predicted [J]
  double reachability_floor =
      kNaN;  ///< velocity_error of the best free impulse through the contact point
};

struct LawFit {
  std::string law;
  bool converged = false;
  std::string message;
  std::vector<ParameterEstimate> parameters;
  double cost = kNaN;  ///< whitened sum of squares
  int dof = 0;
  double aicc = kNaN;
  double velocity_error_mean = kNaN;
  double energy_error_rms = kNaN;
  double cross_validated_velocity_error_mean = kNaN;
  double cross_validated_energy_error_rms = kNaN;
  std::vector<TrialComparison> trials;
};

struct FitOptions {
  std::vector<std::string> laws = {"stronge"};
  double default_velocity_sigma = 0.01;         ///< [m/s] when the table has none
  double default_angular_velocity_sigma = 0.1;  ///< [rad/s] when the table has none
  bool cross_validate = true;                   ///< leave-one-trial-out
  int num_threads = 2;
};

/// Fits the parameters of each law, shared by all impacts, to the states before and after.
///
/// Residual of an impact: e = [v'_meas - v'_model; w'_meas - w'_model] with the model driven by the
/// measured pre-impact state; its covariance is that of the measured post state plus the pre-impact
/// state, rotation and contact arm propagated through the law (first order, cross-covariances
/// included), and the calibration shared by all trials. Sigmas follow from the joint covariance of
/// all trials; intervals from the profile of the whitened cost.
FitOptions ValidatedFitOptions(const FitOptions& options);
std::vector<LawFit> FitCoefficients(const tracking::ImpactTable& table, const solver::Body& body,
                                    const FitOptions& options = {});

}  // namespace percuss::fitting
