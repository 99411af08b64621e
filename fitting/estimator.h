// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <vector>

#include "fitting/coefficient_model.h"
#include "fitting/error_model.h"
#include "fitting/impact_model.h"
#include "solver/impact_law.h"

namespace percuss::fitting {

/// Impacts of one law that share the coefficients of its parameters ("parameters" below are these
/// coefficients, see CoefficientModel). Law, body, records and errors must outlive it; a temporary
/// body is refused by the compiler.
class SharedLawProblem {
 public:
  SharedLawProblem(const solver::LawInfo& law, const solver::Body& body,
                   std::vector<const tracking::ImpactRecord*> records,
                   std::vector<const ImpactErrors*> errors);
  SharedLawProblem(const solver::LawInfo& law, const solver::Body& body,
                   std::vector<const tracking::ImpactRecord*> records,
                   std::vector<const ImpactErrors*> errors, CoefficientModel model);
  template <typename... Rest>
  SharedLawProblem(const solver::LawInfo& law, solver::Body&& body, Rest&&... rest) = delete;

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

  /// The work of the normal impulse in one trial: derivatives by the trial's error vector and by
  /// the coefficients.
  struct WorkDerivatives {
    Eigen::Matrix<double, 1, kErrorDimension> by_errors =
        Eigen::Matrix<double, 1, kErrorDimension>::Zero();
    Eigen::RowVectorXd by_coefficients;
  };
  /// @param works if given, becomes that of each trial, from the same linearisation.
  std::vector<ErrorJacobian> CalcErrorJacobians(
      const Eigen::VectorXd& parameters, std::vector<WorkDerivatives>* works = nullptr) const;

  /// Weights from the errors of the states propagated through the law at these parameters.
  /// @param trial_weights divide the trials' own covariances; empty: all 1.
  JointWhitening CalcWhitening(const std::vector<ErrorJacobian>& jacobians,
                               const Eigen::VectorXd& trial_weights = {}) const;
  JointWhitening CalcWhitening(const Eigen::VectorXd& parameters) const;

  const solver::LawInfo& law() const { return *law_; }
  const solver::Body& body() const { return *body_; }
  const std::vector<const tracking::ImpactRecord*>& records() const { return records_; }
  const std::vector<const ImpactErrors*>& errors() const { return errors_; }
  const std::vector<ImpactGeometry>& geometry() const { return geometry_; }
  const CoefficientModel& model() const { return model_; }
  Eigen::Index num_parameters() const { return model_.num_coefficients(); }

 private:
  const solver::LawInfo* law_;
  const solver::Body* body_;
  std::vector<const tracking::ImpactRecord*> records_;
  std::vector<const ImpactErrors*> errors_;
  std::vector<ImpactGeometry> geometry_;
  CoefficientModel model_;
  std::vector<int> groups_;
};

struct Minimum {
  Eigen::VectorXd parameters;
  double cost = std::numeric_limits<double>::infinity();  ///< whitened sum of squares
  bool converged = false;
};

/// Relative change of the cost at which a search rests that is to be exact.
inline constexpr double kTolerance = 1e-9;

/// Least whitened sum of squares within the bounds of the law, by Ceres from one start.
/// @param fixed index of a parameter to hold at its start, or -1.
/// @param tolerance relative change of the cost at which the search rests.
Minimum MinimizeFrom(const SharedLawProblem& problem, const JointWhitening& whitening,
                     const Eigen::VectorXd& start, int fixed = -1, double tolerance = kTolerance);

/// The lowest of `known` and of the minima below the best few points of a grid over the bounds,
/// with one parameter held: where an impact changes its mode (slip, stick) the cost has kinks and a
/// local search alone can be trapped.
/// @param known a minimum with the parameter at its value.
/// @param fixed index of the parameter that is held at `value`.
Minimum MinimizeFromGrid(const SharedLawProblem& problem, const JointWhitening& whitening,
                         const Minimum& known, int fixed, double value);

/// A minimum whose weights, computed at the minimum itself, no longer move it.
struct WeightedMinimum {
  Minimum minimum;
  JointWhitening whitening;
  Eigen::VectorXd trial_weights;  ///< of the robust loss, at most 1; empty without
  /// -2 log likelihood but for a constant, sigmas widened together where the cost exceeds its
  /// number of residuals N: the least over k >= 1 of cost / k^2 + N log k^2 + log det S. Each
  /// minimum has weights of its own: which is the best is told by this, not by the cost.
  double deviance = std::numeric_limits<double>::infinity();
};

/// Whether few impacts that do not fit may decide.
enum class Loss {
  kSquare,
  /// Huber's loss of the squared Mahalanobis length s_i of a whole impact's residual, s_i up to
  /// (c d)^2 and 2 c d sqrt(s_i) - (c d)^2 beyond, by repeated weights min(1, c d / sqrt(s_i)).
  /// c^2 is the 95 % quantile of chi-square; d scales the sigmas so that half of the s_i lie below
  /// the median of chi-square (at least 1 where a table states its sigmas).
  kHuber
};

/// The best of the minima below the best few points of a grid over the bounds.
WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem,
                                         Loss loss = Loss::kSquare);

/// The minimum near a start.
WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem,
                                         const Eigen::VectorXd& start, Loss loss = Loss::kSquare);

/// Where the profile of one parameter (cost with all others at their best) leaves the minimum by
/// `threshold`.
struct ProfileInterval {
  std::array<double, 2> ends{};              ///< the limit of the search on an open side
  std::array<bool, 2> closed{false, false};  ///< false: the profile stays below the threshold
  Minimum best;                              ///< better than the start if the walk found one
  bool stopped = false;                      ///< at a far better minimum, before both ends
};

/// What a walk does at a minimum that is lower than its own by more than the threshold: the
/// interval is then one of another valley.
enum class FarBetter { kStop, kGoOn };

/// @param covariance of the parameters as the data see them at the minimum, zero where they do not:
///   it says where the walk begins; the result does not depend on it.
ProfileInterval WalkProfile(const SharedLawProblem& problem, const JointWhitening& whitening,
                            const Minimum& minimum, int parameter,
                            const Eigen::MatrixXd& covariance, double threshold,
                            FarBetter far_better = FarBetter::kGoOn);

}  // namespace percuss::fitting
