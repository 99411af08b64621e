// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/impulse_path.h"

#include <stdexcept>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

bool IsIntegrated(std::string_view law) {
  return law == "newton" || law == "poisson" || law == "stronge";
}

}  // namespace

ImpulsePath FollowImpulse(std::string_view law, const Contact<double>& contact,
                          std::span<const double> parameters, int num_points) {
  if (num_points < 1) {
    throw std::invalid_argument("FollowImpulse: num_points: found " + std::to_string(num_points) +
                                ", allowed positive");
  }
  const Eigen::Vector3d end = SolveImpact(law, contact, parameters).impulse;
  if (!IsIntegrated(law)) return {};
  std::vector<double> inelastic(parameters.begin(), parameters.end());
  inelastic[1] = 0.0;  // e
  const auto end_from = [&](double share) -> Eigen::Vector3d {
    Contact<double> slower = contact;
    slower.velocity.z() *= share;
    return SolveImpact("poisson", slower, inelastic).impulse;
  };
  const double last = -(contact.inverse_mass * end).z() / contact.velocity.z();
  ImpulsePath path{.points = {Eigen::Vector3d::Zero()}, .compression_end = end_from(1.0)};
  for (int k = 1; k <= num_points; ++k) {
    const Eigen::Vector3d point = end_from(last * k / (num_points + 1));
    // Where slip jams, approach speeds up again and the same speed comes twice.
    if (point.z() > path.points.back().z() && point.z() < end.z()) path.points.push_back(point);
  }
  path.points.push_back(end);
  return path;
}

}  // namespace percuss::solver
