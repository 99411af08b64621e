// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fitting/estimate/coefficient_fit.h"
#include "fitting/model/prepared_impacts.h"

namespace percuss::fitting {

/// What one impact says by itself, without any law, from the velocities before and after it.
/// u is the velocity of the contact point, n the surface normal, dv = v' - v.
enum BudgetQuantity {
  kBudgetRestitution,      ///< e = -u'.n / u.n
  kBudgetImpulseRatio,     ///< |dv_t| / dv_n: mu if the contact slid in one direction, else less
  kBudgetDissipation,      ///< kinetic energy lost [J]
  kBudgetDissipatedShare,  ///< the same over the kinetic energy before the impact
  kNumBudgetQuantities
};
std::string_view BudgetQuantityName(BudgetQuantity quantity);
using BudgetValues = std::array<double, kNumBudgetQuantities>;

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
};

/// One source of error: how large it is, and the standard deviation it makes of each quantity.
struct ErrorBudgetRow {
  std::string source;
  double size = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no single number
  std::string unit;
  BudgetValues sigma{};     ///< NaN where it cannot be carried through
  BudgetValues share{};     ///< of the total variance
  std::string counterpart;  ///< rows of a thesis' list: our source for the same; empty: none
};

struct ErrorBudget {
  int num_impacts = 1;
  BudgetValues value{};
  BudgetValues sigma{};              ///< all rows in quadrature
  std::vector<ErrorBudgetRow> rows;  ///< independent of each other
  /// The sources that sun2017 4.3 lists, in its order, with the sizes it states. Those that can be
  /// carried through this impact have a sigma: sizes are limits +-a there, taken as a / sqrt(3);
  /// errors of a marker in the image act as the pixel noise of the record does, in proportion to
  /// their size. No share: it does not add them up.
  std::vector<ErrorBudgetRow> thesis;
};

/// Budget of one impact. Pixels and calibration come from the covariance of the record
/// (Impact::errors), the rest from the tolerances. An inertia that was computed from the shape
/// changes with mass and dimensions; another one is taken as measured.
///
/// Pixels hold whatever is independent from trial to trial: noise, blur, the instant of the impact.
/// @throws std::invalid_argument quoting field, value and bound if a tolerance is negative or the
/// impact does not approach the surface; or if its errors are unusable.
ErrorBudget CalcErrorBudget(const Impact& impact, const solver::Body& body,
                            const BodyTolerances& tolerances);

/// Budget of several impacts: means of the values, root mean squares of sizes and sigmas over the
/// impacts where they are known, shares of those. All with the same rows, as CalcErrorBudget gives
/// them.
/// @throws std::invalid_argument if there is none.
ErrorBudget AverageErrorBudgets(const std::vector<ErrorBudget>& budgets);

/// The average over the impacts that a fit used, as far as all their velocities were measured;
/// nothing if there is none.
std::optional<ErrorBudget> CalcErrorBudget(const LawFit& fit, const PreparedImpacts& data,
                                           const BodyTolerances& tolerances);

}  // namespace percuss::fitting
