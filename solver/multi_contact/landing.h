// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "solver/law/impact_law.h"
#include "solver/multi_contact/multi_impact_problem.h"
#include "solver/rigid/darboux_keller.h"

namespace percuss::solver {

/// The law of bodies that strike with several points at once. Here for one point, where its event
/// is Stronge's impact; SolveLanding has several.
struct MultiPointLaw {
  static const LawInfo& Info();
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return StrongeLaw{}.template Solve<T>(contact, parameters);
  }
};

/// A free body that lands on one plane with several of its points: a face or an edge.
struct Landing {
  double mass = 0.0;
  Eigen::Matrix3d inertia_W = Eigen::Matrix3d::Zero();
  Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  ///< ContactFrame of the plane
  /// From the mass centre to the points, W axes. What a measured attitude leaves of their heights
  /// above the plane is taken away by the smallest turn of the body that brings them level.
  std::vector<Eigen::Vector3d> arms;
};

struct LandingResult {
  Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();  ///< after
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  ///< of all points together, contact frame
  EnergyLedger<double> energy;
  ModeSequence modes;  ///< slip while any point slips
};

/// Events of one mu and one e over all points that rest or approach (SolveMultiImpact), e that of
/// the work of all normal forces together.
/// @param parameters mu, e and, if given, mu_s. @returns NaN where there is no answer.
LandingResult SolveLanding(const Landing& landing, std::span<const double> parameters);

}  // namespace percuss::solver
