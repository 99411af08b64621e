// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/shared_law_problem.h"

#include <span>
#include <utility>

#include "base/parallel.h"

namespace percuss::fitting {
SharedLawProblem::SharedLawProblem(const solver::LawInfo& law, std::vector<const Impact*> impacts)
    : SharedLawProblem(law, std::move(impacts), CoefficientModel(law)) {}

SharedLawProblem::SharedLawProblem(const solver::LawInfo& law, std::vector<const Impact*> impacts,
                                   CoefficientModel model)
    : law_(&law), impacts_(std::move(impacts)), model_(std::move(model)) {
  for (const Impact* impact : impacts_) {
    groups_.push_back(model_.GroupOf(impact->record));
    columns_.push_back(model_.CenteredColumns(impact->record));
  }
}

Eigen::VectorXd SharedLawProblem::CalcLawParameters(const Eigen::VectorXd& parameters,
                                                    size_t trial) const {
  return model_.Parameters(parameters, impact(trial).geometry.contact.velocity, groups_[trial],
                           columns_[trial]);
}

SharedLawProblem::TrialResidual SharedLawProblem::CalcTrialResidual(
    const Eigen::VectorXd& parameters, size_t trial) const {
  const ImpactGeometry& geometry = impact(trial).geometry;
  const CoefficientModel::Values law_values =
      model_.is_plain()
          ? CoefficientModel::Values{parameters, {}, {}}
          : model_.Evaluate(parameters, geometry.contact.velocity, groups_[trial], columns_[trial]);
  const JumpDerivatives by_law =
      DifferentiateJump(law_->name, geometry, AsSpan(law_values.parameters));
  TrialResidual residual;
  residual.value << impact(trial).record.v_post, impact(trial).record.w_post;
  residual.value -= geometry.before + by_law.jump;
  residual.by_law_parameters = -by_law.parameters;
  residual.by_coefficients = model_.is_plain()
                                 ? residual.by_law_parameters
                                 : residual.by_law_parameters * law_values.by_coefficients;
  return residual;
}

Eigen::VectorXd SharedLawProblem::CalcResiduals(const Eigen::VectorXd& parameters,
                                                Eigen::MatrixXd* derivatives) const {
  const auto rows = 6 * static_cast<Eigen::Index>(impacts_.size());
  Eigen::VectorXd residuals(rows);
  if (derivatives != nullptr) derivatives->resize(rows, num_parameters());
  const auto solve = [&](int i) {
    const auto row = 6 * static_cast<Eigen::Index>(i);
    if (derivatives != nullptr) {
      const TrialResidual trial = CalcTrialResidual(parameters, i);
      residuals.segment<6>(row) = trial.value;
      derivatives->middleRows<6>(row) = trial.by_coefficients;
      return;
    }
    const ImpactGeometry& geometry = impact(i).geometry;
    Vector6d measured;
    measured << impact(i).record.v_post, impact(i).record.w_post;
    residuals.segment<6>(row) =
        measured - geometry.before -
        SolveLaw(law_->name, geometry, AsSpan(CalcLawParameters(parameters, i))).jump;
  };
  ParallelFor(static_cast<int>(impacts_.size()), law_->integrated ? num_threads_ : 1, solve);
  return residuals;
}

std::vector<SharedLawProblem::ErrorJacobian> SharedLawProblem::CalcErrorJacobians(
    const Eigen::VectorXd& parameters, std::vector<WorkDerivatives>* works) const {
  std::vector<ErrorJacobian> jacobians;
  jacobians.reserve(impacts_.size());
  if (works != nullptr) works->clear();
  for (size_t i = 0; i < impacts_.size(); ++i) {
    const CoefficientModel::Values law_values =
        model_.Evaluate(parameters, impact(i).geometry.contact.velocity, groups_[i], columns_[i]);
    const ImpactLinearization model = LinearizeImpact(
        law_->name, impact(i).record, impact(i).geometry, AsSpan(law_values.parameters),
        model_.is_plain() ? nullptr : &law_values.by_velocity);
    ErrorJacobian jacobian = ErrorJacobian::Zero();
    jacobian.middleCols<3>(impacts::kRotation) = -model.rotation;
    jacobian.middleCols<3>(impacts::kV) = -model.v;
    jacobian.middleCols<3>(impacts::kW) = -model.w;
    jacobian.middleCols<3>(kArm) = -model.arm;
    jacobian.middleCols<6>(kInertia) = -model.inertia;
    jacobian.middleCols<6>(impacts::kVPost).setIdentity();
    jacobians.push_back(jacobian);
    if (works == nullptr) continue;
    WorkDerivatives& work = works->emplace_back();
    work.by_errors.middleCols<3>(impacts::kRotation) = model.normal_work.rotation;
    work.by_errors.middleCols<3>(impacts::kV) = model.normal_work.v;
    work.by_errors.middleCols<3>(impacts::kW) = model.normal_work.w;
    work.by_errors.middleCols<3>(kArm) = model.normal_work.arm;
    work.by_errors.middleCols<6>(kInertia) = model.normal_work.inertia;
    work.by_coefficients = model.normal_work.parameters * law_values.by_coefficients;
    work.by_law_parameters = model.normal_work.parameters;
  }
  return jacobians;
}

Eigen::Matrix<double, 6, Eigen::Dynamic> SharedLawProblem::CalcSharedSensitivity(
    const Eigen::VectorXd& parameters, const ErrorJacobian& jacobian, size_t trial) const {
  const ErrorSensitivity& calibration = impact(trial).errors.shared;
  const std::vector<CoefficientModel::Given>& given = model_.given();
  Eigen::Matrix<double, 6, Eigen::Dynamic> sensitivity(6, num_shared());
  sensitivity.leftCols(calibration.cols()) = jacobian * calibration;
  if (given.empty()) return sensitivity;
  const auto by_law_parameters = CalcTrialResidual(parameters, trial).by_law_parameters;
  for (std::size_t k = 0; k < given.size(); ++k) {
    sensitivity.col(calibration.cols() + static_cast<Eigen::Index>(k)) =
        given[k].value.sigma * by_law_parameters.col(given[k].parameter);
  }
  return sensitivity;
}

JointWhitening SharedLawProblem::CalcWhitening(const Eigen::VectorXd& parameters,
                                               const std::vector<ErrorJacobian>& jacobians,
                                               const Eigen::VectorXd& trial_weights) const {
  return JointWhitening(impacts_.size(), [&](std::size_t i) -> ResidualErrors {
    const double weight =
        trial_weights.size() == 0 ? 1.0 : trial_weights[static_cast<Eigen::Index>(i)];
    return {jacobians[i] * impact(i).errors.own.Full() * jacobians[i].transpose() / weight,
            CalcSharedSensitivity(parameters, jacobians[i], i)};
  });
}

JointWhitening SharedLawProblem::CalcWhitening(const Eigen::VectorXd& parameters) const {
  return CalcWhitening(parameters, CalcErrorJacobians(parameters));
}

}  // namespace percuss::fitting
