// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <span>
#include <vector>

#include "solver/impact_law.h"
#include "solver/law_registry.h"

namespace percuss::solver {

/// chatterjee1997 has its normal along axis 1, axis 2 against the incoming slip, and gives the mass
/// matrix M, not its inverse. Columns: its axes in our contact frame (t1, t2, n), turned about the
/// normal by an arbitrary angle.
inline Eigen::Matrix3d FromChatterjee() {
  const double c = std::cos(0.7), s = std::sin(0.7);
  Eigen::Matrix3d axes;
  axes << 0, c, -s, 0, s, c, 1, 0, 0;
  return axes;
}

inline Contact<double> ContactOf(const Eigen::Matrix3d& mass, const Eigen::Vector3d& velocity) {
  const Eigen::Matrix3d axes = FromChatterjee();
  Contact<double> contact;
  const Eigen::Matrix3d a = axes * mass.inverse() * axes.transpose();
  contact.inverse_mass = 0.5 * (a + a.transpose());
  contact.velocity = axes * velocity;
  return contact;
}

/// A planar set-up: axis 3 is uncoupled.
inline Contact<double> PlanarContactOf(double m11, double m12, double m22, double v1, double v2) {
  Eigen::Matrix3d mass;
  mass << m11, m12, 0, m12, m22, 0, 0, 0, 0.8;
  return ContactOf(mass, {v1, v2, 0.0});
}

/// An impact in the thesis' axes.
struct ChatterjeeOutcome {
  Eigen::Vector3d impulse, velocity;
  double energy_change = 0.0;
};

inline ChatterjeeOutcome OutcomeOf(std::string_view law, const Contact<double>& contact,
                                   const std::vector<double>& parameters) {
  const ImpactResult<double> result = SolveImpact(law, contact, parameters);
  const Eigen::Matrix3d axes = FromChatterjee();
  return {axes.transpose() * result.impulse, axes.transpose() * result.contact_velocity,
          result.energy.normal_work + result.energy.friction_work};
}

}  // namespace percuss::solver
