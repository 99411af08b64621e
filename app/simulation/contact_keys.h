// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/text/yaml_field.h"
#include "solver/body/flight.h"
#include "solver/multi_contact/multi_impact_problem.h"
#include "solver/simulation/plane_model.h"

// Keys that the file of a body and that of a scene share (docs/simulate.md).

namespace percuss::app {

inline constexpr Range kFriction{.lowest = 0.0, .highest = 100.0};
inline constexpr Range kPlace{.lowest = -1e3, .highest = 1e3};

/// `law`, `parameters`, `sliding_friction`, and `material` or `stiffness`.
struct ContactLaw {
  std::string law{solver::kMultiPoint};
  std::vector<double> parameters;
  solver::MultiImpactOptions impact;
  double mu = 0.0;
  double mu_s = std::numeric_limits<double>::quiet_NaN();  ///< mu if not a number
  solver::ForceOverTime over_time;
};
ContactLaw ReadContactLaw(const YamlField& root);

/// `position`, `orientation`, `velocity`, `angular_velocity`, of which a scene may leave out all.
solver::FlightState<double> ReadStart(const YamlField& field);

/// A plane: t1, t2, n and a point of it, from `normal` and `point`.
solver::ContactPlane ReadPlane(const YamlField& field);

/// `duration`, `frame_rate`, `rest_speed`.
solver::PlaneSimulationOptions ReadSimulationOptions(const YamlField& root);

}  // namespace percuss::app
