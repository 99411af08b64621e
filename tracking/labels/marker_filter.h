// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "tracking/labels/body_labels.h"

namespace percuss::tracking {

struct MarkerFilterOptions {
  /// Acceleration of a marker about that of gravity when it is first seen, one sigma [m/s^2]: 0.15
  /// m from the mass centre of a body that turns at 20 rad/s it is w^2 r = 60.
  double acceleration_sigma = 60.0;
  /// How the acceleration changes: spectral density of white jerk [m/s^2.5]. The same marker's
  /// acceleration turns at w, by w^3 r = 1200 m/s^3, for the tenth of a turn.
  double jerk_density = 120.0;
  double gate = 13.8;            ///< squared Mahalanobis distance: 99.9 %, 2 coordinates
  double max_epipolar_px = 1.5;  ///< as in LayoutSearchOptions
  /// A hidden marker is lost when the sigma of its place passes this times its diameter: another
  /// marker may be there.
  double max_sigma_diameters = 0.5;
  int min_samples = 5;  ///< shorter tracks are taken for pairs of spots that are no point
  int max_tracks = 60;  ///< at a time, of which each takes spots of both views
};

/// One instant of a marker that was followed.
struct MarkerSample {
  int instant = 0;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  ///< [m^2]
  std::array<int, 2> blob = {-1, -1};                    ///< in the views; -1: hidden there
};

/// A marker without a name. Samples are those in which one view or both saw it.
struct MarkerTrack {
  std::vector<MarkerSample> samples;
};

struct MarkerTracks {
  std::vector<MarkerTrack> tracks;  ///< by their first instants
  Innovations innovations;          ///< of all sightings but the first of each track
};

/// Follows every marker by itself, where nothing is known of the layout: a Kalman filter of its
/// place, velocity and acceleration (constant but for white jerk, gravity and what a spin adds when
/// it is first seen), corrected by its spots in both views. Each view's spots go one to one to the
/// predicted markers at the least total squared Mahalanobis distance. A marker that is hidden from
/// one view goes on with the other, one hidden from both as long as it is known where it must be.
/// An impact ends a track. What is left of the spots begins new ones, where a spot of each view can
/// be one point that moves.
/// @param views two @param instants of spots that move, RemoveStaticSpots
MarkerTracks FollowMarkers(const Views& views, std::span<const StereoSpots> instants,
                           double marker_diameter, const Eigen::Vector3d& gravity,
                           const MarkerFilterOptions& options = {});

/// Markers that keep their distances from each other.
struct RigidGroup {
  std::vector<int> tracks;    ///< ascending
  Eigen::MatrixXd distances;  ///< mean, of each from each [m]
  int instants = 0;           ///< in which all pairs were seen, the fewest
};

/// The largest set of tracks of which all pairs stay equally far from each other, to 1 % and a
/// millimetre, in at least `min_instants`. Empty if there are not two.
RigidGroup LargestRigidGroup(const MarkerTracks& tracks, int min_instants = 6);

/// One sentence part on what moves as one body, beside the distances of a layout that was not found
/// in it: for a user to see which marker was measured wrongly. Empty where fewer than three markers
/// move together, or more than the layout has.
std::string DescribeRigidGroup(const RigidGroup& group, const MarkerLayout& layout);

}  // namespace percuss::tracking
