// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// A marker in a frame that moves with the body.
struct PlacedMarker {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();        ///< [m]
  Eigen::Vector3d towards = Eigen::Vector3d::Zero();  ///< mean direction to the cameras that see it
  int sightings = 0;                                  ///< instants
};

/// Markers that keep their distances, in a frame of their own (M), and how this frame moves.
struct Configuration {
  std::string reason;  ///< why there is none, or empty
  std::vector<PlacedMarker> markers;
  std::vector<std::optional<BodyPose>> poses;  ///< of M in W, of each instant
};

/// The largest group of markers that moves as one body (LargestRigidGroup), by generalised
/// Procrustes analysis (J. Gower, Psychometrika 40(1), 1975, without scale): places are the means
/// over all instants of what the instant's pose makes of the points seen in it, the pose is the
/// best one for these places, until both rest. No answer for fewer than four markers, or where
/// they are on one line.
Configuration ConfigurationOf(const Views& views, const UnnamedTrial& trial);

/// Points of tracks that have no labels yet and keep their places in the body's frame: at least
/// six instants, over which the body turns or moves on. Those nearer to each other than
/// `same_place` are one.
/// @param tracked labels and poses of trial.instants @param known places of labelled markers
std::vector<PlacedMarker> MarkersBeside(const Views& views, const UnnamedTrial& trial,
                                        const TrackedTrial& tracked,
                                        std::span<const Eigen::Vector3d> known, double same_place);

/// Adds markers that are in no list yet, one entry for those within `same_place` of each other.
void Merge(std::span<const PlacedMarker> more, double same_place,
           std::vector<PlacedMarker>* markers);

}  // namespace percuss::tracking
