// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/text/yaml_field.h"
#include "impacts/impact_record.h"

namespace percuss::impacts {

/// How well the direction about the vertical is known into which something leans: as the row has
/// it, that or the opposite one, or not at all.
enum class Heading { kStated, kEither, kAny };

/// What is known of an orientation that nobody measured. About the row's own orientation R, the one
/// that the release suggests,
///
///     R_WB = H exp([d]x) R T,
///
/// H: the heading, a turn about the z axis of W; d: normal, with the covariance of the rotation in
/// the record (`sigma.rotation`); T: a turn by any angle about an axis of the body.
struct OrientationPrior {
  bool any = false;                                  ///< instead: even over all rotations
  std::optional<Eigen::Vector3d> turned_about = {};  ///< of length 1, axes of the body; none: T = 1
  Heading heading = Heading::kStated;
};

/// The same of the surface normal n, about that of the row: H (n + d) / |n + d|, the two components
/// of d along the surface normal with standard deviation `sigma` [rad].
struct NormalPrior {
  double sigma = 0.0;
  Heading heading = Heading::kStated;
};

/// `prior` of a table description: the pose in which each body met the surface. Nobody measured it,
/// and predictions integrate over what it may have been.
struct PosePriors {
  std::string by = {};  ///< column whose entries name the orientations; empty: the same everywhere
  std::map<std::string, OrientationPrior> orientations = {};  ///< by entry of that column, or ""
  NormalPrior normal = {};

  /// Of one impact, by ImpactRecord::extra; null where its entry is not among them.
  const OrientationPrior* OrientationOf(const ImpactRecord& record) const;
};

/// @throws InputError naming file, field and line.
PosePriors ReadPosePriors(const YamlField& field);

}  // namespace percuss::impacts
