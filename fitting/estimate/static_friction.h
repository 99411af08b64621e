// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "fitting/estimate/estimator.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

/// A mu_s with which every contact that has stopped holds.
inline constexpr double kHoldsAnyContact = 1e6;

/// The parameters of a law, mu_s after them.
Eigen::VectorXd WithStaticFriction(const Eigen::VectorXd& parameters, double mu_s);

/// Whether the answer to an impact depends on mu_s: its contact stops, and then holds or slips on.
/// @param parameters of the law, without mu_s
bool AsksForStaticFriction(const solver::LawInfo& law, const solver::Contact<double>& contact,
                           const Eigen::VectorXd& parameters);

/// What impacts say of the static friction coefficient mu_s of a law that has one.
///
/// mu_s decides one thing: whether a contact that has stopped holds. Impact i does if mu_s >= c_i,
/// solver::CriticalFriction of its contact, else it slips on. So the likelihood has steps at the
/// c_i of those impacts whose answer changes, and is level between: only drops whose c_i lie on
/// both sides of mu_s close the interval. It is where the deviance (WeightedMinimum), with all
/// other parameters fitted anew on each level, stays within 3.84 of the least.
///
/// An impact with c_i <= mu sticks anyway, one that never stops does not ask: without any that
/// asks, mu_s is unidentified.
/// @param fitted with mu_s = mu
/// @param with the same problem with a given mu_s
/// @returns value: the middle of a closed interval, the end of an open one. best: a value on the
///   best level; mu_s = mu where that is the first.
ParameterEstimate EstimateStaticFriction(const SharedLawProblem& problem,
                                         const WeightedMinimum& fitted, Loss loss,
                                         const std::function<SharedLawProblem(double mu_s)>& with);

}  // namespace percuss::fitting
