// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "fitting/model/coefficient_model.h"
#include "fitting/model/prepared_impacts.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// Impacts of one law that share the coefficients of its parameters ("parameters" below are these
/// coefficients, see CoefficientModel). Law and impacts must outlive it.
class SharedLawProblem {
 public:
  /// All parameters constant and the same in all impacts.
  SharedLawProblem(const solver::LawInfo& law, std::vector<const Impact*> impacts);
  SharedLawProblem(const solver::LawInfo& law, std::vector<const Impact*> impacts,
                   CoefficientModel model);

  /// Threads for the impacts of a law that is integrated; 1 unless set.
  void SetThreads(int num_threads) { num_threads_ = num_threads; }
  int num_threads() const { return num_threads_; }

  /// Residuals [v'; w']_measured - [v'; w']_model of all trials, stacked, and (if asked for) their
  /// derivatives with respect to the parameters.
  Eigen::VectorXd CalcResiduals(const Eigen::VectorXd& parameters,
                                Eigen::MatrixXd* derivatives = nullptr) const;

  /// Residual of one trial, with derivatives by the coefficients and by the trial's own law
  /// parameters.
  struct TrialResidual {
    Vector6d value = Vector6d::Zero();
    Eigen::Matrix<double, 6, Eigen::Dynamic> by_coefficients;
    Eigen::Matrix<double, 6, Eigen::Dynamic> by_law_parameters;
  };
  TrialResidual CalcTrialResidual(const Eigen::VectorXd& parameters, size_t trial) const;

  /// The parameters of the law in one trial.
  Eigen::VectorXd CalcLawParameters(const Eigen::VectorXd& parameters, size_t trial) const;

  /// Derivative of each trial's residual with respect to its error vector, 6 x 21. The speed that
  /// the law parameters depend on is of the same measured state: its errors are in it.
  using ErrorJacobian = Eigen::Matrix<double, 6, kErrorDimension>;

  /// The work of the normal impulse in one trial: derivatives by the trial's error vector, by the
  /// coefficients and by the trial's own law parameters.
  struct WorkDerivatives {
    Eigen::Matrix<double, 1, kErrorDimension> by_errors =
        Eigen::Matrix<double, 1, kErrorDimension>::Zero();
    Eigen::RowVectorXd by_coefficients;
    Eigen::RowVectorXd by_law_parameters;
  };
  /// @param works if given, becomes that of each trial, from the same linearisation.
  std::vector<ErrorJacobian> CalcErrorJacobians(
      const Eigen::VectorXd& parameters, std::vector<WorkDerivatives>* works = nullptr) const;

  /// Derivative of a trial's residual with respect to what all trials have in common, each of unit
  /// variance: the errors of the calibration, then those of the given parameters of the law.
  Eigen::Matrix<double, 6, Eigen::Dynamic> CalcSharedSensitivity(const Eigen::VectorXd& parameters,
                                                                 const ErrorJacobian& jacobian,
                                                                 size_t trial) const;
  Eigen::Index num_shared() const {
    return impact(0).errors.shared.cols() + std::ssize(model_.given());
  }

  /// Weights from the errors of the states, and of given parameters, propagated through the law at
  /// these parameters.
  /// @param jacobians CalcErrorJacobians(parameters)
  /// @param trial_weights divide the trials' own covariances; empty: all 1.
  JointWhitening CalcWhitening(const Eigen::VectorXd& parameters,
                               const std::vector<ErrorJacobian>& jacobians,
                               const Eigen::VectorXd& trial_weights = {}) const;
  JointWhitening CalcWhitening(const Eigen::VectorXd& parameters) const;

  const solver::LawInfo& law() const { return *law_; }
  const std::vector<const Impact*>& impacts() const { return impacts_; }
  const Impact& impact(std::size_t trial) const { return *impacts_[trial]; }
  int group(std::size_t trial) const { return groups_[trial]; }
  /// CoefficientModel::CenteredColumns
  const Eigen::VectorXd& columns(std::size_t trial) const { return columns_[trial]; }
  const CoefficientModel& model() const { return model_; }
  Eigen::Index num_parameters() const { return model_.num_coefficients(); }

 private:
  const solver::LawInfo* law_;
  std::vector<const Impact*> impacts_;
  CoefficientModel model_;
  std::vector<int> groups_;
  std::vector<Eigen::VectorXd> columns_;
  int num_threads_ = 1;
};

}  // namespace percuss::fitting
