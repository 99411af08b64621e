// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"
#include "tracking/pose/bench_parameters.h"

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
  Eigen::Vector3d surface_shift = Eigen::Vector3d::Zero();  ///< as capture::MarkedBody
  /// Of BenchParameters, whose columns the record's calibration_sensitivity has: what is not known
  /// of the body and the cameras counts in the momentum balance. Empty: nothing of the body.
  Eigen::MatrixXd bench_covariance = {};
  BenchParameters parameters = {};
};

/// @param record position, rotation, velocities, covariance and normal are read.
ContactChoice ChooseContact(const impacts::ImpactRecord& record, const solver::Body& body,
                            const ContactOptions& options = {});

/// ImpactRecord::body_sensitivity of a contact at r (W axes).
Eigen::MatrixXd BodySensitivity(const impacts::ImpactRecord& record, const solver::Body& body,
                                const Eigen::Vector3d& r, const ContactOptions& options);

}  // namespace percuss::tracking
