// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/comparison.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/math/geometry.h"
#include "fitting/estimate/best_of_law.h"
#include "fitting/model/search_grid.h"
#include "solver/rigid/sliding_friction.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;
using ErrorGradient = Eigen::Matrix<double, kErrorDimension, 1>;

Vector6d Stack(const Eigen::Vector3d& v, const Eigen::Vector3d& w) {
  Vector6d velocity;
  velocity << v, w;
  return velocity;
}

// The impulse through the contact point that leaves the least error in the mass norm, whatever its
// direction: weighted least squares, for which B^T M B = A and B^T M jump is an impulse's effect on
// the contact point.
struct FreeImpulse {
  Vector6d jump;  // [v'; w'] measured - [v; w]
  Eigen::LLT<Eigen::Matrix3d> inverse_mass;
  Eigen::Vector3d impulse;
};

FreeImpulse CalcFreeImpulse(const Impact& impact) {
  const ImpactGeometry& geometry = impact.geometry;
  FreeImpulse free{Stack(impact.record.v_post, impact.record.w_post) - geometry.before,
                   Eigen::LLT<Eigen::Matrix3d>(geometry.contact.inverse_mass),
                   {}};
  Vector6d momentum;
  momentum << geometry.mass * free.jump.head<3>(), geometry.inertia_W * free.jump.tail<3>();
  free.impulse = free.inverse_mass.solve(geometry.velocity_per_impulse.transpose() * momentum);
  return free;
}

// Impulses at several points, whatever their directions, that leave the least error together.
double CalcFloorOfSeveral(const Impact& impact) {
  const ImpactGeometry& geometry = impact.geometry;
  const Vector6d jump = Stack(impact.record.v_post, impact.record.w_post) - geometry.before;
  const Eigen::Matrix3d root = geometry.inertia_W.llt().matrixU();
  const double root_mass = std::sqrt(geometry.mass);
  Eigen::MatrixXd effects(6, 3 * std::ssize(geometry.touching));  // times the root of the mass
  for (Eigen::Index k = 0; k < std::ssize(geometry.touching); ++k) {
    effects.block<3, 3>(0, 3 * k) = Eigen::Matrix3d::Identity() / root_mass;
    effects.block<3, 3>(3, 3 * k) =
        root * geometry.inverse_inertia_W * Skew(geometry.touching[static_cast<std::size_t>(k)]);
  }
  Vector6d target;
  target << root_mass * jump.head<3>(), root * jump.tail<3>();
  const Eigen::VectorXd impulses = effects.completeOrthogonalDecomposition().solve(target);
  return (target - effects * impulses).norm() / MassNorm(geometry, geometry.before);
}

// velocity_error with the parameters of the law that suit this impact best.
double CalcBestOfLaw(const SharedLawProblem& problem, size_t trial,
                     const Eigen::VectorXd& parameters, const std::vector<Eigen::VectorXd>& grid) {
  const ImpactGeometry& geometry = problem.impact(trial).geometry;
  if (TakesSeveral(problem.law().name, geometry)) {
    const FreeImpulse free = CalcFreeImpulse(problem.impact(trial));
    const auto error = [&](const Eigen::VectorXd& tried) {
      return MassNorm(geometry,
                      SolveLaw(problem.law().name, geometry, AsSpan(tried)).jump - free.jump);
    };
    const Eigen::VectorXd start = problem.CalcLawParameters(parameters, trial);
    return CalcLeastError(problem.law(), error, start.head(std::ssize(problem.law().parameters)),
                          grid) /
           MassNorm(geometry, geometry.before);
  }
  const FreeImpulse free = CalcFreeImpulse(problem.impact(trial));
  const auto num_required = std::ssize(problem.law().parameters);
  const double excess =
      CalcLeastExcess(problem.law(), ContactFor(problem.law().name, geometry), free.impulse,
                      problem.CalcLawParameters(parameters, trial).head(num_required), grid);
  const Vector6d left = free.jump - geometry.velocity_per_impulse * free.impulse;
  return std::hypot(MassNorm(geometry, left), std::sqrt(excess)) /
         MassNorm(geometry, geometry.before);
}

ErrorGradient CalcMeasuredGradient(const KineticEnergy& before, const KineticEnergy& after) {
  const double by_before = after.value / (before.value * before.value);
  ErrorGradient gradient = ErrorGradient::Zero();
  gradient.segment<3>(impacts::kRotation) =
      by_before * before.by_rotation - after.by_rotation / before.value;
  gradient.segment<6>(impacts::kV) = by_before * before.by_velocity;
  gradient.segment<6>(impacts::kVPost) = -after.by_velocity / before.value;
  gradient.segment<6>(kInertia) = by_before * before.by_inertia - after.by_inertia / before.value;
  return gradient;
}

// Rows of what a law predicts of a trial.
constexpr int kAfter = 0;       // [v'; w']
constexpr int kDifference = 6;  // predicted minus measured [v'; w']
constexpr int kDissipation = 12;
constexpr int kDissipationDifference = 13;
constexpr int kNormalWork = 14;
constexpr int kFrictionWork = 15;
constexpr int kEnergyAfter = 16;  // EnergyShares
constexpr int kNumPredicted = 20;

using PredictedVector = Eigen::Matrix<double, kNumPredicted, 1>;

// Derivatives by the coefficients, followed by those by the given parameters of the law.
Eigen::MatrixXd WithGiven(const SharedLawProblem& problem,
                          const Eigen::Ref<const Eigen::MatrixXd>& by_coefficients,
                          const Eigen::Ref<const Eigen::MatrixXd>& by_law_parameters) {
  const std::vector<CoefficientModel::Given>& given = problem.model().given();
  Eigen::MatrixXd derivatives(by_coefficients.rows(), by_coefficients.cols() + std::ssize(given));
  derivatives.leftCols(by_coefficients.cols()) = by_coefficients;
  for (std::size_t k = 0; k < given.size(); ++k) {
    derivatives.col(by_coefficients.cols() + static_cast<Eigen::Index>(k)) =
        by_law_parameters.col(given[k].parameter);
  }
  return derivatives;
}

// Derivatives of the predicted rows, by the errors of the trial and by the parameters: fitted ones,
// then given ones.
struct PredictionJacobian {
  Eigen::Matrix<double, kNumPredicted, kErrorDimension> by_errors;
  Eigen::Matrix<double, kNumPredicted, Eigen::Dynamic> by_parameters;
  Eigen::Vector4d energy_after;  // EnergyShares
};

PredictionJacobian CalcPredictionJacobian(const SharedLawProblem& problem, size_t trial,
                                          const Eigen::VectorXd& parameters,
                                          const Vector6d& predicted,
                                          const SharedLawProblem::ErrorJacobian& residual_by_errors,
                                          const SharedLawProblem::WorkDerivatives& work) {
  const Impact& impact = problem.impact(trial);
  const ImpactRecord& record = impact.record;
  const ImpactGeometry& geometry = impact.geometry;

  // The residual is measured minus predicted, and the prediction knows nothing of the velocities
  // measured after the impact.
  PredictionJacobian jacobian;
  auto& by_errors = jacobian.by_errors;
  by_errors.middleRows<6>(kDifference) = -residual_by_errors;
  by_errors.middleRows<6>(kAfter) = -residual_by_errors;
  by_errors.block<6, 6>(kAfter, impacts::kVPost).setZero();
  auto& by_parameters = jacobian.by_parameters;
  const SharedLawProblem::TrialResidual residual = problem.CalcTrialResidual(parameters, trial);
  const Eigen::MatrixXd by_all =
      WithGiven(problem, residual.by_coefficients, residual.by_law_parameters);
  by_parameters.resize(kNumPredicted, by_all.cols());
  by_parameters.middleRows<6>(kAfter) = -by_all;
  by_parameters.middleRows<6>(kDifference) = by_parameters.middleRows<6>(kAfter);

  const EnergySharesDerivatives after = CalcEnergyShares(geometry, record.normal, predicted);
  jacobian.energy_after = after.value;
  by_errors.middleRows<4>(kEnergyAfter) = after.by_velocity * by_errors.middleRows<6>(kAfter);
  by_errors.block<4, 3>(kEnergyAfter, impacts::kRotation) += after.by_rotation;
  by_errors.block<4, 6>(kEnergyAfter, kInertia) += after.by_inertia;
  by_parameters.middleRows<4>(kEnergyAfter) =
      after.by_velocity * by_parameters.middleRows<6>(kAfter);

  // Both works together are the change of the energy, which before does not depend on parameters.
  constexpr int kTotal = kEnergyAfter + 3;
  const KineticEnergy before = CalcKineticEnergy(geometry, geometry.before);
  Eigen::Matrix<double, 1, kErrorDimension> energy_before =
      Eigen::Matrix<double, 1, kErrorDimension>::Zero();
  energy_before.middleCols<3>(impacts::kRotation) = before.by_rotation.transpose();
  energy_before.middleCols<6>(impacts::kV) = before.by_velocity.transpose();
  energy_before.middleCols<6>(kInertia) = before.by_inertia.transpose();
  by_errors.row(kNormalWork) = work.by_errors;
  by_errors.row(kFrictionWork) = by_errors.row(kTotal) - energy_before - work.by_errors;
  by_parameters.row(kNormalWork) = WithGiven(problem, work.by_coefficients, work.by_law_parameters);
  by_parameters.row(kFrictionWork) = by_parameters.row(kTotal) - by_parameters.row(kNormalWork);

  // D = 1 - E_after / E_before.
  const KineticEnergy measured = CalcKineticEnergy(geometry, Stack(record.v_post, record.w_post));
  by_errors.row(kDissipation) =
      (after.value[3] / before.value * energy_before - by_errors.row(kTotal)) / before.value;
  by_errors.row(kDissipationDifference) =
      by_errors.row(kDissipation) - CalcMeasuredGradient(before, measured).transpose();
  by_parameters.row(kDissipation) = -by_parameters.row(kTotal) / before.value;
  by_parameters.row(kDissipationDifference) = by_parameters.row(kDissipation);
  return jacobian;
}

}  // namespace

KineticEnergy CalcKineticEnergy(const ImpactGeometry& geometry, const Vector6d& velocity) {
  const Eigen::Vector3d v = velocity.head<3>();
  const Eigen::Vector3d w = velocity.tail<3>();
  const Eigen::Vector3d spin = geometry.inertia_W * w;
  KineticEnergy energy;
  energy.value = 0.5 * (geometry.mass * v.squaredNorm() + w.dot(spin));
  energy.by_velocity << geometry.mass * v, spin;
  energy.by_rotation = -w.cross(spin);
  for (int i = 0; i < 6; ++i)
    energy.by_inertia[i] = 0.5 * w.dot(geometry.inertia_directions[i] * w);
  return energy;
}

EnergySharesDerivatives CalcEnergyShares(const ImpactGeometry& geometry,
                                         const Eigen::Vector3d& normal, const Vector6d& velocity) {
  const double mass = geometry.mass;
  const Eigen::Vector3d v = velocity.head<3>(), w = velocity.tail<3>();
  const Eigen::Vector3d v_n = v.dot(normal) * normal, v_t = v - v_n, spin = geometry.inertia_W * w;
  EnergySharesDerivatives shares;
  shares.value << 0.5 * mass * v_n.squaredNorm(), 0.5 * mass * v_t.squaredNorm(), 0.5 * w.dot(spin),
      0.0;
  shares.by_velocity.setZero();
  shares.by_velocity.block<1, 3>(0, 0) = mass * v_n.transpose();
  shares.by_velocity.block<1, 3>(1, 0) = mass * v_t.transpose();
  shares.by_velocity.block<1, 3>(2, 3) = spin.transpose();
  shares.by_rotation.setZero();
  shares.by_rotation.row(2) = -w.cross(spin).transpose();
  shares.value[3] = shares.value.head<3>().sum();
  shares.by_velocity.row(3) = shares.by_velocity.topRows<3>().colwise().sum();
  shares.by_rotation.row(3) = shares.by_rotation.row(2);
  shares.by_inertia.setZero();
  for (int i = 0; i < 6; ++i)
    shares.by_inertia(2, i) = 0.5 * w.dot(geometry.inertia_directions[i] * w);
  shares.by_inertia.row(3) = shares.by_inertia.row(2);
  return shares;
}

EnergyShares CalcMeasuredEnergy(const ImpactGeometry& geometry, const Eigen::Vector3d& normal,
                                const Vector6d& velocity, int v_place,
                                const ErrorCovariance& errors) {
  const EnergySharesDerivatives derivatives = CalcEnergyShares(geometry, normal, velocity);
  Eigen::Matrix<double, 4, kErrorDimension> gradients =
      Eigen::Matrix<double, 4, kErrorDimension>::Zero();
  gradients.middleCols<6>(v_place) = derivatives.by_velocity;
  gradients.middleCols<3>(impacts::kRotation) = derivatives.by_rotation;
  gradients.middleCols<6>(kInertia) = derivatives.by_inertia;
  const Eigen::Vector4d variance = (gradients * errors).cwiseProduct(gradients).rowwise().sum();
  EnergyShares shares;
  for (int k = 0; k < 4; ++k) {
    shares[k] = {derivatives.value[k], std::sqrt(std::max(0.0, variance[k]))};
  }
  return shares;
}

double MassNorm(const ImpactGeometry& geometry, const Vector6d& velocity) {
  return std::sqrt(2.0 * CalcKineticEnergy(geometry, velocity).value);
}

ReachabilityFloor CalcReachabilityFloor(const Impact& impact) {
  const ImpactGeometry& geometry = impact.geometry;
  const FreeImpulse free = CalcFreeImpulse(impact);
  const Eigen::Matrix<double, 6, 3>& B = geometry.velocity_per_impulse;
  const Eigen::Matrix3d& A = geometry.contact.inverse_mass;
  const auto floor_of = [&](const Eigen::Vector3d& impulse) {
    return MassNorm(geometry, free.jump - B * impulse) / MassNorm(geometry, geometry.before);
  };
  // Nearest point of the half space P_n >= 0 in the norm of A.
  const auto push = [&](const Eigen::Vector3d& impulse) -> Eigen::Vector3d {
    if (impulse.z() >= 0.0) return impulse;
    const Eigen::Vector3d column = free.inverse_mass.solve(Eigen::Vector3d::UnitZ());
    return impulse - column * (impulse.z() / column.z());
  };
  const Eigen::Vector3d best = push(free.impulse);

  // Energy does not grow inside the ball |P - c|_A <= |c|_A about c = -A^-1 u. The nearest point of
  // ball and half space together by alternating projections (Dykstra).
  const Eigen::Vector3d centre = -free.inverse_mass.solve(geometry.contact.velocity);
  const double radius = std::sqrt(centre.dot(A * centre));
  Eigen::Vector3d at = free.impulse;
  Eigen::Vector3d by_ball = Eigen::Vector3d::Zero();
  Eigen::Vector3d by_push = Eigen::Vector3d::Zero();
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Eigen::Vector3d before = at;
    const Eigen::Vector3d offset = at + by_ball - centre;
    const double distance = std::sqrt(offset.dot(A * offset));
    const Eigen::Vector3d inside = distance > radius
                                       ? Eigen::Vector3d(centre + offset * (radius / distance))
                                       : Eigen::Vector3d(centre + offset);
    by_ball = centre + offset - inside;
    at = push(inside + by_push);
    by_push = inside + by_push - at;
    if ((at - before).norm() <= 1e-12 * centre.norm()) break;
  }
  return {.free = floor_of(best), .energy_bounded = floor_of(at)};
}

ValueWithSigma CalcMeasuredDissipation(const Impact& impact) {
  const ImpactRecord& record = impact.record;
  const ImpactGeometry& geometry = impact.geometry;
  const KineticEnergy before = CalcKineticEnergy(geometry, geometry.before);
  const KineticEnergy after = CalcKineticEnergy(geometry, Stack(record.v_post, record.w_post));
  const ErrorGradient gradient = CalcMeasuredGradient(before, after);
  const double variance = gradient.dot(impact.errors.Total() * gradient);
  return {1.0 - after.value / before.value, std::sqrt(std::max(0.0, variance))};
}

std::pair<double, double> CalcPredictionErrors(const SharedLawProblem& problem, std::size_t trial,
                                               const Eigen::VectorXd& parameters) {
  const Impact& impact = problem.impact(trial);
  const ImpactRecord& record = impact.record;
  const ImpactGeometry& geometry = impact.geometry;
  if (!impact.errors.fully_measured) return {kNaN, kNaN};
  const Vector6d measured = Stack(record.v_post, record.w_post);
  const Vector6d predicted =
      geometry.before +
      SolveLaw(problem.law().name, geometry, AsSpan(problem.CalcLawParameters(parameters, trial)))
          .jump;
  const double before = MassNorm(geometry, geometry.before);
  const double energy_difference =
      CalcKineticEnergy(geometry, measured).value - CalcKineticEnergy(geometry, predicted).value;
  return {MassNorm(geometry, predicted - measured) / before,
          energy_difference / (0.5 * before * before)};
}

namespace {

// dtheta = -gain * (stacked residual errors).
Eigen::MatrixXd CalcGain(const FittedLaw& fitted) {
  Eigen::MatrixXd derivatives;
  fitted.problem.CalcResiduals(fitted.parameters, &derivatives);
  return fitted.covariance *
         fitted.whitening.ApplyTransposed(fitted.whitening.Apply(derivatives)).transpose();
}

}  // namespace

Eigen::MatrixXd CalcParameterCovariance(const FittedLaw& fitted) {
  const double scale2 = fitted.interval_scale * fitted.interval_scale;
  const std::vector<CoefficientModel::Given>& given = fitted.problem.model().given();
  if (given.empty()) return scale2 * fitted.covariance;
  const Eigen::Index num_fitted = fitted.covariance.rows(), num_given = std::ssize(given);
  const auto num_trials = static_cast<Eigen::Index>(fitted.problem.impacts().size());
  Eigen::MatrixXd by_given(6 * num_trials, num_given);  // of the stacked residuals
  Eigen::VectorXd variance(num_given);
  for (Eigen::Index i = 0; i < num_trials; ++i) {
    const SharedLawProblem::TrialResidual residual =
        fitted.problem.CalcTrialResidual(fitted.parameters, i);
    by_given.middleRows<6>(6 * i) =
        WithGiven(fitted.problem, residual.by_coefficients, residual.by_law_parameters)
            .rightCols(num_given);
  }
  for (Eigen::Index k = 0; k < num_given; ++k) {
    variance[k] = given[k].value.sigma * given[k].value.sigma;
  }
  const Eigen::MatrixXd fitted_by_given = num_fitted == 0
                                              ? Eigen::MatrixXd(0, num_given)
                                              : Eigen::MatrixXd(-CalcGain(fitted) * by_given);
  const Eigen::MatrixXd cross = fitted_by_given * variance.asDiagonal();
  const Eigen::MatrixXd from_given = cross * fitted_by_given.transpose();
  Eigen::MatrixXd covariance(num_fitted + num_given, num_fitted + num_given);
  covariance << scale2 * (fitted.covariance - from_given) + from_given, cross, cross.transpose(),
      Eigen::MatrixXd(variance.asDiagonal());
  return covariance;
}

std::vector<TrialComparison> CompareTrials(const FittedLaw& fitted) {
  const SharedLawProblem& problem = fitted.problem;
  std::vector<SharedLawProblem::WorkDerivatives> works;
  const std::vector<SharedLawProblem::ErrorJacobian> jacobians =
      problem.CalcErrorJacobians(fitted.parameters, &works);
  const Eigen::MatrixXd gain = CalcGain(fitted);
  const Eigen::MatrixXd parameter_covariance = CalcParameterCovariance(fitted);
  const Eigen::Index num_shared = problem.impact(0).errors.shared.cols();
  Eigen::MatrixXd shared_to_parameters = Eigen::MatrixXd::Zero(gain.rows(), num_shared);
  for (size_t i = 0; i < jacobians.size(); ++i) {
    shared_to_parameters += gain.middleCols<6>(6 * static_cast<Eigen::Index>(i)) * jacobians[i] *
                            problem.impact(i).errors.shared;
  }
  const double scale2 = fitted.interval_scale * fitted.interval_scale;
  const std::vector<Eigen::VectorXd> grid = SearchGrid(problem.law());

  std::vector<TrialComparison> trials;
  for (size_t i = 0; i < jacobians.size(); ++i) {
    const Impact& impact = problem.impact(i);
    const ImpactRecord& record = impact.record;
    const ImpactErrors& errors = impact.errors;
    const ImpactGeometry& geometry = impact.geometry;
    const LawAnswer result = SolveLaw(problem.law().name, geometry,
                                      AsSpan(problem.CalcLawParameters(fitted.parameters, i)));
    const Vector6d predicted = geometry.before + result.jump;
    const ErrorCovariance total = errors.Total();

    TrialComparison trial = UnusedTrial(record, "");
    trial.used = true;
    trial.v_predicted = predicted.head<3>();
    trial.w_predicted = predicted.tail<3>();
    trial.v_sigma = total.diagonal().segment<3>(impacts::kVPost).cwiseSqrt();
    trial.w_sigma = total.diagonal().segment<3>(impacts::kWPost).cwiseSqrt();
    trial.impulse_measured = geometry.mass * (record.v_post - record.v);
    trial.impulse_predicted = geometry.frame * result.impulse;
    for (const solver::ContactMode mode : result.modes) {
      trial.modes.emplace_back(solver::ModeName(mode));
    }
    if (TakesSeveral(problem.law().name, geometry)) trial.points = geometry.touching;
    trial.sun_case = result.sun_case;
    trial.critical_friction = solver::CriticalFriction(geometry.contact);
    const auto measured_energy = [&](const Vector6d& velocity, int place) {
      return CalcMeasuredEnergy(geometry, record.normal, velocity, place, total)[3];
    };
    trial.energy_before = measured_energy(geometry.before, impacts::kV);
    const double energy_before = trial.energy_before.value;
    constexpr double kRounding = 1e-9;
    trial.energy_grows =
        result.energy.normal_work + result.energy.friction_work > kRounding * energy_before;
    const auto [velocity_error, energy_error] = CalcPredictionErrors(problem, i, fitted.parameters);
    trial.velocity_error = velocity_error;
    if (errors.fully_measured) {
      trial.energy_after_measured =
          measured_energy(Stack(record.v_post, record.w_post), impacts::kVPost);
      trial.dissipation_measured = CalcMeasuredDissipation(impact);
      trial.reachability_floor = TakesSeveral(problem.law().name, geometry)
                                     ? CalcFloorOfSeveral(impact)
                                     : CalcReachabilityFloor(impact).free;
      if (fitted.split_error) {
        trial.best_of_law = CalcBestOfLaw(problem, i, fitted.parameters, grid);
      }
    }

    const PredictionJacobian jacobian =
        CalcPredictionJacobian(problem, i, fitted.parameters, predicted, jacobians[i], works[i]);
    const auto& G = jacobian.by_errors;
    const auto& H = jacobian.by_parameters;
    const Eigen::MatrixXd errors_with_parameters =
        -errors.own.Full() *
            (gain.middleCols<6>(6 * static_cast<Eigen::Index>(i)) * jacobians[i]).transpose() -
        errors.shared * shared_to_parameters.transpose();
    // The given parameters moved with no error of the trials.
    const auto by_fitted = H.leftCols(gain.rows());
    const PredictedVector own_part =
        (G * total).cwiseProduct(G).rowwise().sum() +
        2.0 * (G * errors_with_parameters).cwiseProduct(by_fitted).rowwise().sum();
    const PredictedVector parameter_part =
        (H * parameter_covariance).cwiseProduct(H).rowwise().sum();
    const PredictedVector sigma =
        ((fitted.assumed_sigmas ? scale2 : 1.0) * own_part + parameter_part)
            .cwiseMax(0.0)
            .cwiseSqrt();
    trial.v_predicted_sigma = sigma.segment<3>(kAfter);
    trial.w_predicted_sigma = sigma.segment<3>(kAfter + 3);
    trial.v_difference_sigma = sigma.segment<3>(kDifference);
    trial.w_difference_sigma = sigma.segment<3>(kDifference + 3);
    for (int k = 0; k < 4; ++k) {
      trial.energy_after_predicted[k] = {jacobian.energy_after[k], sigma[kEnergyAfter + k]};
    }
    trial.dissipation_predicted = {1.0 - jacobian.energy_after[3] / energy_before,
                                   sigma[kDissipation]};
    if (errors.fully_measured) {
      trial.dissipation_difference = {energy_error, sigma[kDissipationDifference]};
    }
    trial.normal_work = {result.energy.normal_work, sigma[kNormalWork]};
    trial.friction_work = {result.energy.friction_work, sigma[kFrictionWork]};
    if (fitted.assumed_sigmas) {
      trial.v_sigma *= fitted.interval_scale;
      trial.w_sigma *= fitted.interval_scale;
      trial.dissipation_measured.sigma *= fitted.interval_scale;
      trial.energy_before.sigma *= fitted.interval_scale;
      trial.energy_after_measured.sigma *= fitted.interval_scale;
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

TrialComparison UnusedTrial(const ImpactRecord& record, const std::string& reason) {
  TrialComparison trial;
  trial.trial = record.trial;
  trial.reason = reason;
  trial.v_measured = record.v_post;
  trial.w_measured = record.w_post;
  return trial;
}

}  // namespace percuss::fitting
