// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/reference/place_error.h"

#include <Eigen/Cholesky>
#include <vector>

#include "base/math/statistics.h"

namespace percuss::tracking {

Eigen::Vector3d PlaceError::Relative(double tolerance) const {
  return (error.cwiseAbs().array() + tolerance) / stated.cwiseAbs().array();
}

PlaceError ComparePlaces(const Eigen::Vector3d& stated, const Eigen::Matrix3d& stated_covariance,
                         const Eigen::Vector3d& found, const Eigen::Matrix3d& found_covariance) {
  PlaceError place;
  place.stated = stated;
  place.found = found;
  place.error = found - stated;
  place.covariance = stated_covariance + found_covariance;
  std::vector<int> known;
  for (int i = 0; i < 3; ++i) {
    if (std::isfinite(place.error[i])) known.push_back(i);
  }
  place.dof = static_cast<int>(known.size());
  const Eigen::VectorXd error = place.error(known);
  const Eigen::MatrixXd covariance = place.covariance(known, known);
  place.chi2 = error.dot(covariance.llt().solve(error));
  place.p = ChiSquareSurvival(place.chi2, place.dof);
  return place;
}

}  // namespace percuss::tracking
