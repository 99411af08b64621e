// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "base/text/yaml_field.h"
#include "solver/body/flight.h"
#include "solver/body/rigid_body.h"
#include "solver/simulation/plane_model.h"

namespace percuss::app {

/// One body before planes, as `percuss simulate` reads it (docs/simulate.md).
struct BodyFile {
  solver::Body body;
  solver::FlightState<double> start;
  Eigen::Vector3d gravity{0.0, 0.0, -9.80665};
  solver::PlaneContactModel model;
  solver::PlaneSimulationOptions options;
};

/// @throws InputError with one line that names file, field, value and what is allowed.
BodyFile ReadBodyFile(const YamlField& root);

}  // namespace percuss::app
