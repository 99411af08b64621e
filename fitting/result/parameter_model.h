// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/value_with_sigma.h"

namespace percuss::fitting {

/// What of the contact point's velocity just before the impact a law parameter may depend on: its
/// speed along the normal or along the surface [m/s], or its incidence atan(|u_t| / -u_n) [rad]
/// (chatterjee1997 chapter 12: the ratio of impulses of some pairs grows with it). Or a number that
/// a column of the table has for each impact, less its mean over the impacts of the fit: the place
/// on a plate, whose supports and vibrations take up energy, temperature, the number of the drop.
enum class ModelVariable { kNormal, kTangential, kIncidence, kColumn };

/// A law parameter as a function of u [m/s, or rad, or in the column's unit] with coefficients a,
/// b, c:
///
///     constant   a
///     linear     a + b u
///     quadratic  a + b u + c u^2    of columns only
///     power      a (u / 1)^b
///     loss       1 - a (u / 1)^b      sun2017 (1.21): restitution falling with speed
///
/// u below 0.001 counts as 0.001 in the powers. The value is clamped to the bounds of the law; its
/// derivatives are zero where that changes it.
enum class SpeedDependence { kConstant, kLinear, kQuadratic, kPower, kLoss };

struct ParameterModel {
  SpeedDependence dependence = SpeedDependence::kConstant;
  ModelVariable variable = ModelVariable::kNormal;
  std::string column = {};  ///< of kColumn
  bool operator==(const ParameterModel&) const = default;
};

/// constant; linear, power or loss with -normal, -tangential or -incidence; linear or quadratic
/// with : and the name of a column.
std::string NameOf(const ParameterModel& model);
/// Those that need no column.
std::vector<ParameterModel> ModelsOfMotion();
/// All names, separated by ", ".
std::string ParameterModelNames();
/// @throws std::invalid_argument naming what was found and what is allowed.
ParameterModel FindParameterModel(std::string_view name);

/// Models by law parameter; those that are not named are constant.
using ParameterModels = std::map<std::string, ParameterModel>;

/// Law parameters that were measured elsewhere and are not fitted, by name. Sigmas of 0: exact.
using GivenParameters = std::map<std::string, ValueWithSigma>;

}  // namespace percuss::fitting
