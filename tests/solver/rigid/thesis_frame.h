// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <string>

#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::solver {

/// The thesis (sun2017) has its normal along y. A quarter turn about x takes its (x, y, z) to ours:
/// x, -z, y.
inline Eigen::Matrix3d FromThesis() {
  Eigen::Matrix3d turn;
  turn << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return turn;
}

/// One body at the moment of impact, in the thesis' physical frame (y up, approach v_y < 0).
struct ThesisImpact {
  double mass = 1.0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();
  Eigen::Vector3d r = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(),
                  w = Eigen::Vector3d::Zero();
  double mu = 0.0, e = 0.0;
};

struct ThesisOutcome {
  Eigen::Vector3d v, w, impulse;
  double dissipation = 0.0;  ///< fraction of the kinetic energy
  ImpactResult<double> result;
};

/// @param law Gives the result for a contact in our frame.
template <class Law>
ThesisOutcome SolveBy(const Law& law, const ThesisImpact& impact) {
  const Eigen::Matrix3d turn = FromThesis();
  const Eigen::Matrix3d inertia = turn * impact.inertia * turn.transpose();
  const Eigen::Vector3d r = turn * impact.r;
  Contact<double> contact;
  contact.inverse_mass = InverseContactMass<double>(
      impact.mass, inertia, Eigen::Quaterniond::Identity(), r, Eigen::Matrix3d::Identity());
  contact.velocity =
      ContactVelocity<double>(turn * impact.v, turn * impact.w, r, Eigen::Matrix3d::Identity());
  ThesisOutcome outcome;
  outcome.result = law(contact);
  outcome.impulse = turn.transpose() * outcome.result.impulse;
  outcome.v = impact.v + outcome.impulse / impact.mass;
  outcome.w = impact.w + impact.inertia.inverse() * impact.r.cross(outcome.impulse);
  const auto kinetic = [&](const Eigen::Vector3d& v, const Eigen::Vector3d& w) {
    return 0.5 * (impact.mass * v.squaredNorm() + w.dot(impact.inertia * w));
  };
  outcome.dissipation = 1.0 - kinetic(outcome.v, outcome.w) / kinetic(impact.v, impact.w);
  return outcome;
}

inline ThesisOutcome Solve(const ThesisImpact& impact, std::string_view law = "stronge") {
  return SolveBy(
      [&](const Contact<double>& contact) {
        return SolveImpact(law, contact, std::array{impact.mu, impact.e});
      },
      impact);
}

/// The same with a static friction coefficient.
inline ThesisOutcome Solve(const ThesisImpact& impact, std::string_view law, double mu_static) {
  return SolveBy(
      [&](const Contact<double>& contact) {
        return SolveImpact(law, contact, std::array{impact.mu, impact.e, mu_static});
      },
      impact);
}

/// A slender rod of unit mass and length that touches with the end at r; cap radius 1/30.
inline Eigen::Matrix3d ThesisRodInertia(const Eigen::Vector3d& r) {
  const double cap = 1.0 / 30.0;
  const Eigen::Vector3d axis = r.normalized();
  const double transverse = cap * cap / 4.0 + 1.0 / 12.0;
  return transverse * Eigen::Matrix3d::Identity() +
         (cap * cap / 2.0 - transverse) * axis * axis.transpose();
}

}  // namespace percuss::solver
