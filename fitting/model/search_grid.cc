// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/search_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace percuss::fitting {
namespace {

std::vector<double> GridValues(const solver::ParameterInfo& info, bool coarse) {
  const bool bounded = std::isfinite(info.lower) && std::isfinite(info.upper);
  // Its bounds say nothing of what to expect.
  const bool wide = bounded && info.typical > 0.0 && info.upper - info.lower > 20.0 * info.typical;
  std::vector<double> values;
  if (wide) {
    for (const double factor : coarse ? std::vector<double>{0.25, 1.0, 4.0, 16.0}
                                      : std::vector<double>{0.1, 0.3, 1.0, 3.0, 10.0, 30.0}) {
      values.push_back(std::clamp(factor * info.typical, info.lower, info.upper));
    }
  } else if (bounded) {
    for (const double part : coarse ? std::vector<double>{0.2, 0.5, 0.8}
                                    : std::vector<double>{0.1, 0.3, 0.5, 0.7, 0.9}) {
      values.push_back(info.lower + part * (info.upper - info.lower));
    }
  } else {
    const double origin = std::isfinite(info.lower) ? info.lower : 0.0;
    for (const double factor : coarse ? std::vector<double>{0.25, 0.75, 2.0}
                                      : std::vector<double>{0.1, 0.25, 0.5, 1.0, 2.0, 4.0}) {
      values.push_back(std::min(origin + factor * std::max(info.typical, 0.1), info.upper));
    }
  }
  return values;
}

}  // namespace

Eigen::VectorXd TypicalParameters(const solver::LawInfo& law) {
  Eigen::VectorXd parameters(static_cast<Eigen::Index>(law.parameters.size()));
  for (Eigen::Index i = 0; i < parameters.size(); ++i) {
    parameters[i] = law.parameters[i].typical;
  }
  return parameters;
}

std::vector<Eigen::VectorXd> SearchGrid(const solver::LawInfo& law) {
  constexpr std::size_t kMaxVaried = 5;  // 3^5 points
  std::vector<Eigen::VectorXd> points = {TypicalParameters(law)};
  for (std::size_t i = 0; i < std::min(law.parameters.size(), kMaxVaried); ++i) {
    std::vector<Eigen::VectorXd> next;
    for (const Eigen::VectorXd& point : points) {
      for (const double value : GridValues(law.parameters[i], law.parameters.size() > 2)) {
        next.push_back(point);
        next.back()[static_cast<Eigen::Index>(i)] = value;
      }
    }
    points = std::move(next);
  }
  return points;
}

}  // namespace percuss::fitting
