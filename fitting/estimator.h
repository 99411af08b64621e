// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <vector>

#include "fitting/error_model.h"
#include "fitting/impact_model.h"
#include "solver/impact_law.h"

namespace percuss::fitting {

/// Impacts that share the parameters of one law. Records and errors must outlive it.
class SharedLawProblem {
 public:
  SharedLawProblem(const solver::LawInfo& law, const solver::Body& body,
                   std::vector<const tracking::ImpactRecord*> records,
                   std::vector<const ImpactErrors*> errors);

  /// Residuals [v'; w']_measured - [v'; w']_model of all trials, stacked, and (if asked for) their
  /// derivatives with respect to the parameters.
  Eigen::VectorXd CalcResiduals(const Eigen::VectorXd& parameters,
                                Eigen::MatrixXd* derivatives = nullptr) const;

  /// Derivative of each trial's residual with respect to its error vector, 6 x 21.
  using ErrorJacobian = Eigen::Matrix<double, 6, kErrorDimension>;
  std::vector<ErrorJacobian> CalcErrorJacobians(const Eigen::VectorXd& parameters) const;

  /// Weights from the errors of the states propagated through the law at these parameters.
  JointWhitening CalcWhitening(const std::vector<ErrorJacobian>& jacobians) const;
  JointWhitening CalcWhitening(const Eigen::VectorXd& parameters) const;

  const solver::LawInfo& law() const { return *law_; }
  const solver::Body& body() const { return *body_; }
  const std::vector<const tracking::ImpactRecord*>& records() const { return records_; }
  const std::vector<const ImpactErrors*>& errors() const { return errors_; }
  const std::vector<ImpactGeometry>& geometry() const { return geometry_; }
  Eigen::Index num_parameters() const { return static_cast<Eigen::Index>(law_->parameters.size()); }

 private:
  const solver::LawInfo* law_;
  const solver::Body* body_;
  std::vector<const tracking::ImpactRecord*> records_;
  std::vector<const ImpactErrors*> errors_;
  std::vector<ImpactGeometry> geometry_;
};

struct Minimum {
  Eigen::VectorXd parameters;
  double cost = std::numeric_limits<double>::infinity();  ///< whitened sum of squares
  bool converged = false;
};

/// Least whitened sum of squares within the bounds of the law, by Ceres from one start.
/// @param fixed index of a parameter to hold at its start, or -1.
Minimum MinimizeFrom(const SharedLawProblem& problem, const JointWhitening& whitening,
                     const Eigen::VectorXd& start, int fixed = -1);

/// The same from the best few points of a grid over the bounds: where an impact changes its mode
/// (slip, stick) the cost has kinks and a local search alone can be trapped.
Minimum MinimizeFromGrid(const SharedLawProblem& problem, const JointWhitening& whitening);

/// Fit with weights that are computed again at the solution until they no longer move it.
struct WeightedMinimum {
  Minimum minimum;
  JointWhitening whitening;
};
WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem,
                                         const Eigen::VectorXd* start = nullptr);

/// Where the profile of one parameter (cost with all others at their best) leaves the minimum by
/// `threshold`.
struct ProfileInterval {
  std::array<double, 2> ends{};              ///< the limit of the search on an open side
  std::array<bool, 2> closed{false, false};  ///< false: the profile stays below the threshold
  Minimum best;                              ///< better than the start if the walk found one
};
/// @param covariance of the parameters as the data see them at the minimum, zero where they do not:
///   it says where the walk begins; the result does not depend on it.
ProfileInterval WalkProfile(const SharedLawProblem& problem, const JointWhitening& whitening,
                            const Minimum& minimum, int parameter,
                            const Eigen::MatrixXd& covariance, double threshold);

}  // namespace percuss::fitting
