// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/body/flight.h"
#include "solver/body/rigid_body.h"
#include "solver/simulation/plane_model.h"

namespace percuss::solver {

/// A rigid body before the planes of the model (by default above z = 0 of W), through flight,
/// impacts, and sliding, rolling or resting contact, at one plane or several at once: the hybrid
/// simulator of chatterjee2019 3.3.2 with location of events, integrated from sample to sample with
/// the Runge-Kutta pair of orders 5 and 4 of Dormand and Prince. Points that may touch: vertices of
/// boxes and meshes, lowest points of smooth shapes and of each cap of a capsule, three points on
/// each rim of a cylinder.
/// @throws std::invalid_argument quoting field and value: a mass or inertia that is not positive, a
/// body beyond a plane, no plane, axes of a plane that are not orthonormal, times that are not
/// positive, a law or parameters that do not exist.
PlaneSimulation SimulateOnPlane(const Body& body, const FlightState<double>& start,
                                const Eigen::Vector3d& gravity_W, const PlaneContactModel& model,
                                const PlaneSimulationOptions& options = {});

}  // namespace percuss::solver
