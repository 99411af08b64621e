// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "fitting/estimate/estimator.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

/// Kinetic energy [J] and its derivatives with respect to velocities [v; w], a small rotation and
/// the inertia (solver::InertiaError).
struct KineticEnergy {
  double value = kNaN;
  Vector6d by_velocity = Vector6d::Zero();
  Eigen::Vector3d by_rotation = Eigen::Vector3d::Zero();
  Vector6d by_inertia = Vector6d::Zero();
};
KineticEnergy CalcKineticEnergy(const ImpactGeometry& geometry, const Vector6d& velocity);

/// EnergyShares of velocities [v; w] with the derivatives by them, by a small rotation and by the
/// inertia.
struct EnergySharesDerivatives {
  Eigen::Vector4d value;
  Eigen::Matrix<double, 4, 6> by_velocity;
  Eigen::Matrix<double, 4, 3> by_rotation;
  Eigen::Matrix<double, 4, 6> by_inertia;
};
EnergySharesDerivatives CalcEnergyShares(const ImpactGeometry& geometry,
                                         const Eigen::Vector3d& normal, const Vector6d& velocity);

/// Energies of velocities [v; w] that were measured, with first-order sigmas.
/// @param v_place of v in the error vector: impacts::kV or kVPost; w follows.
EnergyShares CalcMeasuredEnergy(const ImpactGeometry& geometry, const Eigen::Vector3d& normal,
                                const Vector6d& velocity, int v_place,
                                const ErrorCovariance& errors);

/// |M^(1/2) x| of a velocity six-vector: the root of twice its kinetic energy.
double MassNorm(const ImpactGeometry& geometry, const Vector6d& velocity);

/// Least |M^(1/2)(v'_meas - v - B P)| / |M^(1/2) v| over all impulses P with P_n >= 0: no law with
/// a single contact point can do better. `energy_bounded` also asks that the kinetic energy does
/// not grow, u . P + P . A P / 2 <= 0.
struct ReachabilityFloor {
  double free = kNaN;
  double energy_bounded = kNaN;
};
ReachabilityFloor CalcReachabilityFloor(const Impact& impact);

/// Measured energy loss as a fraction of the kinetic energy before, with first-order sigma.
ValueWithSigma CalcMeasuredDissipation(const Impact& impact);

/// velocity_error and (dissipation_predicted - dissipation_measured) of one trial; NaN where a
/// velocity after the impact was not measured.
std::pair<double, double> CalcPredictionErrors(const SharedLawProblem& problem, std::size_t trial,
                                               const Eigen::VectorXd& parameters);

/// A fit to be compared with its data.
struct FittedLaw {
  const SharedLawProblem& problem;
  const JointWhitening& whitening;
  const Eigen::VectorXd& parameters;
  const Eigen::MatrixXd& covariance;  ///< of the parameters, without interval_scale
  double interval_scale = 1.0;
  bool assumed_sigmas = false;  ///< then the scale belongs to the data as well
  bool split_error = true;      ///< find TrialComparison::best_of_law
};

/// Covariance of the coefficients, interval_scale included, followed by the given parameters of the
/// law. With C that of the coefficients as the weights have it, S the variances of the given ones,
/// which no misfit scales, and D = dtheta / dgiven,
///     [ scale^2 (C - D S D^T) + D S D^T   D S ]
///     [ S D^T                             S   ].
Eigen::MatrixXd CalcParameterCovariance(const FittedLaw& fitted);

/// Model against experiment for every trial of the fit.
///
/// Sigmas of what is predicted (velocities and energies after the impact, works, dissipation) and
/// of its differences from what was measured: either moves with the errors x_i of its own trial and
/// with the parameters, which themselves moved with the errors of all trials:
///     dy = G_i x_i + H_i dtheta,   dtheta = -A sum_j J_j x_j;
/// the covariance between the two terms is kept. Given parameters bring errors of their own.
std::vector<TrialComparison> CompareTrials(const FittedLaw& fitted);

TrialComparison UnusedTrial(const impacts::ImpactRecord& record, const std::string& reason);

}  // namespace percuss::fitting
