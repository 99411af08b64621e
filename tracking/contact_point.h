// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"

namespace percuss::tracking {

/// A corner (or support point) that may have carried the impulse.
struct ContactCandidate {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();  ///< mass centre to candidate, W axes [m]
  double height = 0.0;  ///< above the lowest candidate, along the normal [m]
  /// Squared Mahalanobis length of I (w' - w) - r x m (v' - v): chi-square with 3 degrees of
  /// freedom at the right one, with 1 in a plane.
  double momentum_chi2 = 0.0;
};

/// Candidates for the contact point of an impact, the chosen one first.
///
/// A single-point impulse obeys I (w' - w) = r x m (v' - v). The pose alone cannot tell corners
/// that are almost equally low apart (half a degree turns a 5 cm edge by 0.4 mm), so every corner
/// within `height_tolerance` of the lowest is tried and the least momentum residual wins. On a tie
/// within `chi2_margin` the lower one is taken and `ambiguous` set.
struct ContactChoice {
  std::vector<ContactCandidate> candidates;
  bool ambiguous = false;
};

struct ContactOptions {
  double height_tolerance =
      0.002;  ///< [m] plus three sigmas of the height from the rotation's covariance
  double chi2_margin = 4.0;
  /// The body moves in the x-z plane of W: its edges along y touch in the middle (r_y = 0), and the
  /// momentum is balanced about y alone.
  bool planar = false;
};

/// @param record position, rotation, velocities, covariance and normal are read.
ContactChoice ChooseContact(const impacts::ImpactRecord& record, const solver::Body& body,
                            const ContactOptions& options = {});

}  // namespace percuss::tracking
