// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/yaml_field.h"

namespace percuss::capture {

/// A plate that was turned from where the surface lay in the calibration.
struct Slope {
  double angle = 0.0;                               ///< [rad], right-handed about `axis`
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();  ///< of length 1, z = 0; W
  double sigma = 0.0;                               ///< of the angle [rad]

  /// Of the plate, out of it: z of W, turned.
  Eigen::Vector3d Normal() const;
};

/// What the surface of a trial is, if not that of the calibration; the cameras stay where they are.
/// Trials with surfaces of one name share it, and what is not known of it.
struct TrialSurface {
  std::string name;  ///< as typed: all files, or angle and axis of the slope
  /// Of the board on it, pictures or videos of each camera, empty where one does not see it; or
  std::vector<std::filesystem::path> pictures;
  std::optional<Slope> slope;
};

/// `surface: {left: a.png, right: b.png}` (left alone of one camera; those after right may be
/// missing) or `slope: {angle_deg: 20, axis: y, sigma: 0.3}` of a trial, degrees all; nothing if it
/// has neither.
/// @param cameras names of those that filmed the trial; none: no videos
/// @throws InputError naming field and line. Whether the pictures are there is not asked.
std::optional<TrialSurface> ReadTrialSurface(const YamlField& trial, bool planar,
                                             std::span<const std::string> cameras);

}  // namespace percuss::capture
