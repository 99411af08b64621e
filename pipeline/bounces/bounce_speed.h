// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/nan.h"
#include "base/value_with_sigma.h"
#include "impacts/impact_record.h"
#include "pipeline/bounces/bounce_impacts.h"
#include "solver/body/rigid_body.h"

namespace percuss::pipeline {

struct SpeedCoefficient {
  std::string name;  ///< e, e.slope, e.exponent, e.loss: of percuss fit --model
  ValueWithSigma value;
};

/// e as one function of the normal speed, fitted to the bounces.
struct SpeedModel {
  std::string name;  ///< constant, linear-normal, power-normal, loss-normal
  double aicc = kNaN;
  std::vector<SpeedCoefficient> coefficients;
  std::vector<double> e;  ///< at each bounce
};

/// Whether e changes with speed.
struct SpeedDependenceOfE {
  std::string reason;                     ///< why that is not known; empty if it is
  std::vector<SpeedModel> models;         ///< the best first
  double slowest = kNaN, fastest = kNaN;  ///< normal speeds [m/s]

  const SpeedModel* Find(const std::string& name) const;
};

/// Bounces that tell two coefficients apart from chance by AICc, which needs N - k - 1 > 0.
inline constexpr int kLeastBouncesForSpeed = 4;

/// Fits the speed models of fitting/model to e of the impacts, as `percuss fit --law newton --fix
/// mu=0 --model e=MODEL` does (for a sphere mu does not matter to e), and orders them by its AICc.
/// Models of the tangential speed of the contact point are left out: it depends on the spin.
SpeedDependenceOfE FitSpeedModels(const impacts::ImpactTable& table, const solver::Body& body);

/// The same of one clip; without a scale its speeds are not known.
SpeedDependenceOfE FitSpeedModels(const ClipBounces& bounces, const BallBody& body);

/// One line: whether e changes with speed, by which model, with its coefficients.
std::string SpeedLine(const SpeedDependenceOfE& speed);

}  // namespace percuss::pipeline
