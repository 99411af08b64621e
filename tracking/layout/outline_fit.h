// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/view.h"
#include "solver/body/rigid_body.h"
#include "tracking/layout/edge_profile.h"
#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// A picture of the body, and where the markers say that it was then.
struct BodyPicture {
  int trial = 0;
  int side = 0;  ///< camera
  PicturePart picture;
  BodyPose pose;                                ///< when the middle row was exposed
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< [m/s], W
  Eigen::Vector3d w = Eigen::Vector3d::Zero();  ///< [rad/s], W
  double line_time = 0.0;                       ///< from row to row [s]
};

/// What else holds the frame against the markers.
struct OutlineKnowledge {
  std::vector<Eigen::Vector3d> p_BM;  ///< markers in the frame that is believed
  double surface_sigma = 5e-4;        ///< of their distance from the surface [m]
  double length_sigma = 5e-4;         ///< of every length of the shape [m]
};

/// Frame of the body by the outline of its shape.
struct OutlineFit {
  std::string reason;  ///< why there is none, or empty
  BodyPose X_OB;       ///< from the frame as found to the one that was believed
  /// Of a small rotation and shift (B axes, of the shape against the markers) [rad^2, rad m, m^2].
  Eigen::Matrix<double, 6, 6> covariance = Eigen::Matrix<double, 6, 6>::Zero();
  int edges = 0;        ///< places of the outline that were measured and count
  double share = 0.0;   ///< of those that were looked for
  double rms_px = 0.0;  ///< of what is left
};

/// Moves the shape against the markers until its outline lies on the steps of light in all pictures
/// together: robust least squares over rotation, shift, lengths of the shape (about those stated)
/// and how far all edges lie outwards (a halo, about 0.3 px), with the distances of the markers
/// from the surface beside. The edges are looked for along the normals of the outline, from round
/// to round in a narrower range.
///
/// The covariance allows for errors that all places of one edge of the body share in all pictures
/// of one camera and trial (S. Liang, K. Zeger, Biometrika 73(1), 1986): a shadow, what compression
/// does to it; and for 0.1 px that they share in all pictures.
OutlineFit FitOutline(const solver::Shape& shape, std::span<const BodyPicture> pictures,
                      const std::vector<View>& views, const std::array<float, 256>& light_of_grey,
                      const OutlineKnowledge& knowledge);

}  // namespace percuss::tracking
