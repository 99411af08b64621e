// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "solver/body/rigid_body.h"
#include "tracking/flights/flight_motion.h"
#include "tracking/layout/marker_configuration.h"

namespace percuss::tracking {

/// How well what the search for a frame rests on is known, one sigma.
struct FrameSigmas {
  double surface = 5e-4;      ///< of a marker from the surface of the shape [m]
  double mass_centre = 3e-3;  ///< of the mass centre from that of the shape, each way [m]
};

/// A frame of the body that explains the markers and the flights.
struct BodyFrame {
  BodyPose X_BM;      ///< from the frame of the markers to that of the body
  double cost = 0.0;  ///< sum of squares, in sigmas
};

/// Frames that explain equally well where the markers are (all on the surface, turned to the
/// cameras that saw them), the point that moves on a parabola (the mass centre, near the centre of
/// the shape) and how the body turns (its angular momentum about the known moments of inertia stays
/// constant in a flight), the best first: those within a chi-square of 25 of it that the shape's
/// symmetry does not make the same. Gauss-Newton steps from rotations spread over all directions.
std::vector<BodyFrame> FindBodyFrames(const solver::Body& body,
                                      std::span<const PlacedMarker> markers,
                                      const FlightMotion& motion, const FrameSigmas& sigmas);

}  // namespace percuss::tracking
