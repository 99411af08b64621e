// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <iostream>

#include "solver/solve_impact.h"

// A particle of 1 kg that falls at 1 m/s rises at e times that; nothing slips, so nothing is lost
// to friction.
int main() {
  percuss::solver::Contact<double> contact;
  contact.inverse_mass = Eigen::Matrix3d::Identity();
  contact.velocity = Eigen::Vector3d(0.0, 0.0, -1.0);
  const auto impact = percuss::solver::SolveImpact("stronge", contact, std::array{0.3, 0.5});
  const Eigen::Vector3d after = contact.velocity + contact.inverse_mass * impact.impulse;
  std::cout << after.z() << ' ' << -impact.energy.normal_work << '\n';
}
