// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/files.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

/// What the impulse of one impact was and what a law says it was; W axes, [N s].
struct ImpulseDiagram {
  std::string trial;
  /// Unit vectors: into the body, and along the surface against the slip just before, which is
  /// where friction pushes first (zero where the contact does not slip).
  Eigen::Vector3d normal = kNaNVector, tangent = kNaNVector;
  Eigen::Vector3d measured = kNaNVector;                         ///< m (v' - v)
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Constant(kNaN);  ///< of it
  /// Of the contact point just before [m/s], and what an impulse there changes of it, A [1/kg];
  /// not numbers where several points struck.
  Eigen::Vector3d contact_velocity = kNaNVector;
  Eigen::Matrix3d inverse_contact_mass = Eigen::Matrix3d::Constant(kNaN);
  Eigen::Vector3d predicted = kNaNVector;
  double friction = kNaN;             ///< coefficient mu of the law, where it has one
  std::vector<Eigen::Vector3d> path;  ///< solver::FollowImpulse
  bool has_path = true;               ///< else nobody asked for it
  Eigen::Vector3d compression_end = kNaNVector;
  EnergyShares before{}, after_measured{}, after_predicted{};

  bool HasContact() const {
    return contact_velocity.allFinite() && inverse_contact_mass.allFinite();
  }
};

/// By the name of the law.
using ImpulsesOfLaws = std::vector<std::pair<std::string, std::vector<ImpulseDiagram>>>;

inline constexpr char kImpulsesFormat[] = "percuss impulses 1";
using DiagramsOfLaw = std::function<std::vector<ImpulseDiagram>(const LawFit&)>;

/// impulses.json (docs/file-formats.md). The diagrams of a law are asked for when it is its turn.
void WriteImpulseDiagrams(const std::vector<LawFit>& laws, const DiagramsOfLaw& diagrams_of,
                          const Provenance& provenance, const std::filesystem::path& file);
/// @param with_path by the trial's name, whether its path, which is most of the file, is read; all
///   are without it.
/// @throws InputError naming file, field, what was found and what is allowed.
ImpulsesOfLaws ReadImpulseDiagrams(const std::filesystem::path& file,
                                   const std::function<bool(const std::string&)>& with_path = {});

}  // namespace percuss::fitting
