// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "fitting/model/impact_model.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// Least error that a law leaves on one impact with any parameters within their bounds,
///
///     min over theta of (P(theta) - P*)^T A (P(theta) - P*)   [J, twice],
///
/// P* the free impulse that leaves the least, A the inverse contact mass: by how much the square of
/// the mass norm of the velocity error is larger than with P*. Levenberg-Marquardt within the
/// bounds, from `start` and, unless that already reaches P*, from the best points of a grid; then a
/// pattern search, since a law has kinks where its mode changes. The result may still be a local
/// minimum, never above that of `start`.
///
/// @param grid SearchGrid of the law.
double CalcLeastExcess(const solver::LawInfo& law, const solver::Contact<double>& contact,
                       const Eigen::Vector3d& free_impulse, const Eigen::VectorXd& start,
                       const std::vector<Eigen::VectorXd>& grid);

/// The least of an error over the parameters of a law, which need not be smooth: by the best of
/// `start` and the grid and a pattern search from there.
double CalcLeastError(const solver::LawInfo& law,
                      const std::function<double(const Eigen::VectorXd&)>& error,
                      const Eigen::VectorXd& start, const std::vector<Eigen::VectorXd>& grid);

}  // namespace percuss::fitting
