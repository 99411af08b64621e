// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "fitting/estimate/coefficient_fit.h"
#include "impacts/impact_files.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// What the impulse of one impact was and what a law says it was; W axes, [N s].
struct ImpulseDiagram {
  std::string trial;
  /// Unit vectors: into the body, and along the surface against the slip just before, which is
  /// where friction pushes first (zero where the contact does not slip).
  Eigen::Vector3d normal = kNaNVector, tangent = kNaNVector;
  Eigen::Vector3d measured = kNaNVector;                         ///< m (v' - v)
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Constant(kNaN);  ///< of it
  Eigen::Vector3d predicted = kNaNVector;
  double friction = kNaN;             ///< coefficient mu of the law, where it has one
  std::vector<Eigen::Vector3d> path;  ///< solver::FollowImpulse
  Eigen::Vector3d compression_end = kNaNVector;
  EnergyShares before{}, after_measured{}, after_predicted{};
};

/// One diagram for each trial that the fit used. Sigmas are first order in the errors of the state;
/// where the table states none, they are those that the fit found (LawFit::interval_scale). Path
/// and friction need parameters that are the same in all trials.
std::vector<ImpulseDiagram> CalcImpulseDiagrams(const PreparedImpacts& data, const LawFit& fit);

struct LawDiagrams {
  std::string law;
  std::vector<ImpulseDiagram> trials;
};

/// impulses.json (docs/file-formats.md).
void WriteImpulseDiagrams(const std::vector<LawDiagrams>& laws, const Provenance& provenance,
                          const std::filesystem::path& file);

}  // namespace percuss::fitting
