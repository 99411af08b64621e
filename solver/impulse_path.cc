// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/impulse_path.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

bool IsIntegrated(std::string_view law) {
  return law == "newton" || law == "poisson" || law == "stronge";
}

std::vector<double> WithoutRestitution(std::span<const double> parameters) {
  std::vector<double> inelastic(parameters.begin(), parameters.end());
  inelastic[1] = 0.0;  // e
  return inelastic;
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
  const std::vector<double> inelastic = WithoutRestitution(parameters);
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

double CompressionWork(std::string_view law, const Contact<double>& contact,
                       std::span<const double> parameters) {
  const ImpactResult<double> result = SolveImpact(law, contact, parameters);
  if (!IsIntegrated(law)) return std::numeric_limits<double>::quiet_NaN();
  const ImpactResult<double> compression =
      SolveImpact("poisson", contact, WithoutRestitution(parameters));
  const double later = result.compression_impulse - compression.impulse.z();
  return later > 1e-9 * compression.impulse.z() ? std::numeric_limits<double>::quiet_NaN()
                                                : compression.energy.normal_work;
}

}  // namespace percuss::solver
