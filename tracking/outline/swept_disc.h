// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss::tracking {

/// An even ellipse that moves evenly along `sweep` while the shutter is open, seen through a round
/// Gaussian blur. Of a sphere in perspective the ellipse is nearly a disc; `stretch` says by how
/// much its axes along x', y' differ: the outline is |S^(-1/2) (x - centre)| = radius with
/// S^(1/2) = [[1 + a, b], [b, 1 - a]], stretch = (a, b).
struct SweptDisc {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();  ///< at mid exposure [px]
  double radius = 1.0;                               ///< [px]
  Eigen::Vector2d sweep =
      Eigen::Vector2d::Zero();  ///< from the start of the exposure to its end [px]
  double blur = 0.7;            ///< standard deviation [px]
  Eigen::Vector2d stretch = Eigen::Vector2d::Zero();  ///< of the outline
};

/// A number at a point of the picture, averaged over the exposure, with its derivatives [1/px].
struct DiscValue {
  double value = 0.0;
  Eigen::Vector2d by_centre = Eigen::Vector2d::Zero();
  double by_radius = 0.0;
  Eigen::Vector2d by_sweep = Eigen::Vector2d::Zero();
  double by_blur = 0.0;
  Eigen::Vector2d by_stretch = Eigen::Vector2d::Zero();  ///< [1]
};

/// What is seen of a ball at a point.
struct SweptShare {
  DiscValue share;  ///< of the disc, 0 to 1
  DiscValue lit;    ///< of the light of a lamp, max(0, lamp . n), times the share at each instant
  /// Mean normal of the ball where it covers the point, times the share.
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  /// The part of it of the instants when the lamp shines there: the derivative of `lit` by the
  /// lamp.
  Eigen::Vector3d lit_normal = Eigen::Vector3d::Zero();
};

/// Share of the disc at x:
///     s(x) = int_{-1/2}^{1/2} Phi((R - |x - c - t d|) / b - b / (2 R)) dt
/// by the midpoint rule with steps of at most a standard deviation of the blur. A straight edge
/// under a Gaussian is Phi; the second term is the first order of what the curvature of a round one
/// changes: within the reach of the blur the outline lies b^2 / 2R further in on average.
///
/// With a lamp, `lit` and `normal` as well. A lit ball darkens towards its outline as its normal
/// n = (x / R, y / R, n_z) turns away, n_z = sqrt(1 - r^2 / R^2) = sqrt(h / R) sqrt(2 - h / R) with
/// h = R - r. Blurred, the first root becomes sqrt(b / R) g(h / b),
/// g(z) = int_{-z}^inf sqrt(z + u) phi(u) du. Of a disc of 14 px under a blur of 0.8 px all that is
/// right to 0.003 (share) and 0.008 (lit) of full light.
/// @param lamp direction times strength, x right, y down, z against the line of sight
SweptShare ShareAt(const SweptDisc& disc, const Eigen::Vector2d& x,
                   const Eigen::Vector3d* lamp = nullptr);

/// By how much a point is within (positive) the outline of the disc at the instant when it is
/// farthest within, and at that when it is least [px]: {at some time, at all times}.
Eigen::Vector2d DepthsAt(const SweptDisc& disc, const Eigen::Vector2d& x);

}  // namespace percuss::tracking
