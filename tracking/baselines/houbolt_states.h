// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracking/arcs/impact_arcs.h"
#include "tracking/baselines/state_method.h"

namespace percuss::tracking {

/// Derivative at the last of four samples taken `step` apart, oldest first (Houbolt; sun2017 4.9):
///     x' = (11 x3 - 18 x2 + 9 x1 - 2 x0) / (6 step),
/// exact for cubics; the error is -step^3 x'''' / 4 to leading order, and white noise of sigma s
/// gives 3.837 s / step. Samples in the reverse order with a negative step give the mirrored
/// forward difference, the derivative at the earliest sample.
/// @tparam X double, an autodiff scalar, or an Eigen vector of these.
template <typename X>
X HouboltDerivative(const std::array<X, 4>& x, double step) {
  return (11.0 * x[3] - 18.0 * x[2] + 9.0 * x[1] - 2.0 * x[0]) / (6.0 * step);
}

struct HouboltOptions {
  /// Frames nearer to the impact than this fraction of the exposure are passed over; with an
  /// unknown exposure none are, since the thesis has no such rule.
  double impact_exclusion = 0.55;
  std::optional<double> exposure;  ///< [s]
  /// Least height of the triangle of markers over its longest side.
  double min_height_ratio = 0.02;
  /// Least |cos theta2|: 6 degrees from the singularity of the Euler angles.
  double min_cos_theta2 = 0.1;
  double noise_scale = 1.0;  ///< by which the pixel sigmas are multiplied
};

struct HouboltStates {
  bool usable = false;
  std::string reason;        ///< why not
  std::vector<int> markers;  ///< places in the layout: three, two in a plane
  SideStates before, after;
};

/// Velocities at an impact by the chain of a thesis (sun2017 4.2.5), a baseline to compare with:
/// triangulated markers at four times before the impact and four after it, a frame apart ->
/// centroid and triad of three of them -> 2-1-3 Euler angles -> HouboltDerivative of position and
/// angles -> w by (4.22).
///
///   - Reference axes are those of the thesis: x of W, y down (-z of W), z = x cross y.
///   - The four times are those of the frames next to the impact. Where sightings have times of
///     their own (free-running cameras, rolling shutters), they are taken to common times first
///     (SampleMarkers).
///   - The three markers are the same on both sides: of all that both cameras see at each of the
///     eight times, those with the largest triangle.
///   - The thesis takes their centroid for the mass centre. Here their stated places in the body
///     say where the mass centre is; it is that whose position is differenced.
///   - (4.24) adds g step / 2 to v, which is the fall during half a frame: the impact is taken to
///     be half way to the next frame, wherever it is; here, half way to the first sighting beyond
///     it (SideSamples::half_frame). w is not changed. On the other side, of which the thesis says
///     nothing, the same holds backwards: - g step / 2.
///   - The covariance carries that of the pixels alone through all of this to first order. The
///     errors of the difference formula and of the half frame, up to g step / 2, are not in it.
///   - In a plane, where markers may lie on one line, two of them take the place of the three,
///   those
///     farthest apart: the middle between them, the angle of the line, and its rate for w_y. What
///     leaves the plane is 0, with covariance 0.
///
/// Not usable where a frame is missing, too few markers qualify, or the Euler angles are near
/// theta2 = +-pi/2. (The thesis skips such a frame and doubles the step, for which its formula does
/// not hold.)
HouboltStates EstimateHouboltStates(std::span<const TrackedFrame> frames, const ImpactFit& fit,
                                    const MarkerLayout& layout, const Views& views,
                                    const Eigen::Vector3d& gravity,
                                    const HouboltOptions& options = {});

}  // namespace percuss::tracking
