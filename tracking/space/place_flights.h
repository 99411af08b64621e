// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "tracking/bounces/bounce_model.h"
#include "tracking/bounces/bounce_setting.h"
#include "tracking/space/ball_place.h"

namespace percuss::tracking {

/// Successive flights in a list of places, a bounce between two.
struct PlaceFlights {
  std::string reason;  ///< why there are none; empty if there are
  std::vector<FlightRange> flights;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< their common acceleration [m/s^2]
};

/// Cuts places into pieces that are cubics of time (drag bends a parabola), of least cost by
/// dynamic programming: a place costs its squared distance in sigmas, a piece as much as chance
/// allows its numbers. The sigma is what third divided differences show, with a floor of 1/500 of
/// the extent. Flights are the longest run of pieces whose accelerations agree within a third and
/// that meet between their ends: a ball that is held or rolls has no such acceleration.
PlaceFlights CutPlaces(std::span<const BallPlace> places);

/// The motion whose flights are parabolas of the common acceleration, in the frame of the places
/// [m]: a first guess. The surface is level; neither drag nor duration of contacts.
BouncingBall GuessBall(std::span<const BallPlace> places, const PlaceFlights& cut);

}  // namespace percuss::tracking
