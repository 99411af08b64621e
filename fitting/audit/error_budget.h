// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "fitting/model/prepared_impacts.h"
#include "fitting/result/findings.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

BudgetValues CalcBudgetValues(const impacts::ImpactRecord& record, const solver::Body& body);

/// Derivatives with respect to the error vector (see kErrorDimension), one column per quantity. The
/// contact arm follows the rotation (ContactArmPerRotation). The impulse ratio has none (NaN) where
/// it is zero.
using BudgetGradient = Eigen::Matrix<double, kErrorDimension, kNumBudgetQuantities>;
BudgetGradient CalcBudgetGradient(const impacts::ImpactRecord& record, const solver::Body& body);

/// Standard deviations of what no residual shows.
struct BodyTolerances {
  double mass = 0.0;       ///< [kg]
  double dimension = 0.0;  ///< of every length that describes the shape, each by itself [m]
  double tilt = 0.0;       ///< of the surface normal, each way, beyond the calibration [rad]
  /// Whether somebody said so; else the rows name them as defaults.
  bool mass_stated = true, dimension_stated = true, tilt_stated = true;
};

/// Budget of one impact. Pixels and calibration come from the covariance of the record
/// (Impact::errors), the rest from the tolerances. An inertia that was computed from the shape
/// changes with mass and dimensions; another one is taken as measured. Where the errors hold the
/// body too (ImpactErrors::of_body) each source of what the trials share has a row, the lengths
/// among them; what the sources leave comes from the pixels of all trials.
///
/// Pixels hold whatever is independent from trial to trial: noise, blur, the instant of the impact.
/// @throws std::invalid_argument quoting field, value and bound if a tolerance is negative or the
/// impact does not approach the surface; or if its errors are unusable.
ErrorBudget CalcErrorBudget(const Impact& impact, const solver::Body& body,
                            const BodyTolerances& tolerances,
                            const std::vector<impacts::SharedSource>& sources_by_k = {});

/// Budget of several impacts: means of the values, root mean squares of sizes and sigmas over the
/// impacts where they are known, shares of those. Of thousands no more is kept than of one.
class MeanErrorBudget {
 public:
  /// One with other rows than the first is left out: where videos and trajectories are mixed only
  /// those of one kind have rows in common.
  void Add(const ErrorBudget& budget);
  /// Nothing if there is none.
  std::optional<ErrorBudget> Mean() const;

 private:
  struct Known {
    double sum = 0.0;
    int count = 0;
  };
  ErrorBudget first_;
  int num_impacts_ = 0;
  std::vector<Known> known_;  ///< of each number of the budget
};

/// The average over the impacts that a fit used, as far as all their velocities were measured;
/// nothing if there is none.
std::optional<ErrorBudget> CalcErrorBudget(const LawFit& fit, const PreparedImpacts& data,
                                           const BodyTolerances& tolerances);

}  // namespace percuss::fitting
