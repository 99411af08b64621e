// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/yaml_field.h"
#include "solver/contact/contact.h"

namespace percuss::app {

/// One number that a sweep can vary.
struct SweepInput {
  std::string name;
  std::string_view unit = "";
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not given
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_included = true;
  bool moves = false;  ///< changes velocities (or the law's parameters) and nothing else
};

/// One impact to solve, and what turns its answer into the words of the file.
struct SweptImpact {
  solver::Contact<double> contact;
  /// A vector x of the contact frame is frame * x in the axes of the file.
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  double energy = 0.0;  ///< kinetic, before [J]
  // Of a body, in the axes of the file:
  double mass = 0.0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero(), inverse_inertia = Eigen::Matrix3d::Zero();
  Eigen::Vector3d r = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(),
                  w = Eigen::Vector3d::Zero();
};

/// What a sweep moves, read from one of the keys in kSetupKeys.
struct SweepSetup {
  std::vector<SweepInput> inputs;
  bool has_body = true;
  using Values = std::span<const double>;  ///< in the order of `inputs`
  /// Fills all of `impact` but what moves; says why there is none, or nothing. Costs more than most
  /// laws: once for all points that differ by inputs that move.
  std::function<std::string_view(Values, SweptImpact&)> place;
  /// Fills velocities and energy of what was placed.
  std::function<void(Values, SweptImpact&)> move;
};

inline constexpr std::string_view kSetupKeys[] = {"contact", "body", "planar_rod",
                                                  "rod",     "bar",  "ball"};
/// Keys beside `body`.
inline constexpr std::string_view kBodyKeys[] = {"orientation",      "euler_angles",  "velocity",
                                                 "angular_velocity", "contact_point", "normal"};

/// @throws InputError for keys, types or values that are wrong, or not exactly one set-up.
SweepSetup ReadSetup(const YamlField& root);

}  // namespace percuss::app
