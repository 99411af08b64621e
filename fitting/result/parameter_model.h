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
/// (chatterjee1997 chapter 12: the ratio of impulses of some pairs grows with it).
enum class ModelVariable { kNormal, kTangential, kIncidence };

/// A law parameter as a function of u [m/s, or rad] with coefficients a, b:
///
///     constant   a
///     linear     a + b u
///     power      a (u / 1)^b
///     loss       1 - a (u / 1)^b      sun2017 (1.21): restitution falling with speed
///
/// u below 0.001 counts as 0.001 in the powers. The value is clamped to the bounds of the law; its
/// derivatives are zero where that changes it.
enum class SpeedDependence { kConstant, kLinear, kPower, kLoss };

struct ParameterModel {
  SpeedDependence dependence = SpeedDependence::kConstant;
  ModelVariable variable = ModelVariable::kNormal;
  bool operator==(const ParameterModel&) const = default;
};

/// constant, or linear, power or loss with -normal, -tangential or -incidence.
std::string NameOf(const ParameterModel& model);
std::vector<ParameterModel> AllValues(ParameterModel);
/// All names, separated by ", ".
std::string ParameterModelNames();
/// @throws std::invalid_argument naming what was found and what is allowed.
ParameterModel FindParameterModel(std::string_view name);

/// Models by law parameter; those that are not named are constant.
using ParameterModels = std::map<std::string, ParameterModel>;

/// Law parameters that were measured elsewhere and are not fitted, by name. Sigmas of 0: exact.
using GivenParameters = std::map<std::string, ValueWithSigma>;

}  // namespace percuss::fitting
