// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Geometry>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text/json_field.h"
#include "solver/body/rigid_body.h"
#include "solver/multi_contact/multi_point_impact.h"
#include "solver/restitution/visco_elastoplastic.h"

namespace percuss::app {

/// Motion of a free body just before an impact; world axes.
struct BodyMotion {
  solver::Body body;
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
  Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();  ///< [m/s], [rad/s]
};

/// An impact at several points at once that `percuss impact` is asked to solve: of a free body, or
/// of a system in generalised speeds (a mechanism, several bodies) with its mass matrix and the
/// rows of its contact velocities.
struct MultiImpactRequest {
  solver::MultiImpactProblem problem;
  solver::MultiImpactOptions options;
  std::optional<solver::Body> body;  ///< none: the speeds are those of a system
  /// Of the contact; asks for the forces over time.
  std::optional<solver::ViscoElastoplasticLaw> material;
};

using solver::kMultiPoint;

/// Of a system or a linkage, and points of an impact: more would take minutes, not seconds.
inline constexpr std::size_t kMostSpeeds = 300, kMostPoints = 100;

/// Keys of a request for it beside those of a body and its motion.
inline constexpr std::array<std::string_view, 7> kMultiImpactKeys = {
    "points", "surfaces", "system", "published", "reference_point", "rest_speed", "material"};

/// Reads `parameters`, `points` or `surfaces`, and the options of a request (docs/file-formats.md).
/// @param motion of its body; none if the request has a `system`
/// @throws InputError with one line that names file, field, value and what is allowed.
MultiImpactRequest ReadMultiImpact(const JsonField& root, const std::optional<BodyMotion>& motion);

}  // namespace percuss::app
