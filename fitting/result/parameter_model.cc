// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/result/parameter_model.h"

#include <fmt/core.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace percuss::fitting {
namespace {

constexpr std::array<std::pair<SpeedDependence, std::string_view>, 3> kDependences = {
    {{SpeedDependence::kLinear, "linear"},
     {SpeedDependence::kPower, "power"},
     {SpeedDependence::kLoss, "loss"}}};
constexpr std::array<std::pair<ModelVariable, std::string_view>, 3> kVariables = {
    {{ModelVariable::kNormal, "normal"},
     {ModelVariable::kTangential, "tangential"},
     {ModelVariable::kIncidence, "incidence"}}};

constexpr std::array<std::pair<SpeedDependence, std::string_view>, 2> kOfColumns = {
    {{SpeedDependence::kLinear, "linear:"}, {SpeedDependence::kQuadratic, "quadratic:"}}};

}  // namespace

std::vector<ParameterModel> ModelsOfMotion() {
  std::vector<ParameterModel> models = {{}};
  for (const auto& [dependence, text] : kDependences) {
    for (const auto& [variable, name] : kVariables) models.push_back({dependence, variable});
  }
  return models;
}

std::string NameOf(const ParameterModel& model) {
  for (const auto& [dependence, text] : kOfColumns) {
    if (model.variable == ModelVariable::kColumn && dependence == model.dependence)
      return std::string(text) + model.column;
  }
  for (const auto& [dependence, text] : kDependences) {
    if (dependence != model.dependence) continue;
    for (const auto& [variable, name] : kVariables) {
      if (variable == model.variable) return fmt::format("{}-{}", text, name);
    }
  }
  return "constant";
}

std::string ParameterModelNames() {
  std::string names;
  for (const ParameterModel& model : ModelsOfMotion()) names += NameOf(model) + ", ";
  return names + "linear:COLUMN, quadratic:COLUMN";
}

ParameterModel FindParameterModel(std::string_view name) {
  for (const auto& [dependence, text] : kOfColumns) {
    if (name.starts_with(text) && name.size() > text.size())
      return {dependence, ModelVariable::kColumn, std::string(name.substr(text.size()))};
  }
  for (const ParameterModel& model : ModelsOfMotion()) {
    if (NameOf(model) == name) return model;
  }
  throw std::invalid_argument(
      fmt::format("coefficient model: found {}, allowed one of {}", name, ParameterModelNames()));
}

}  // namespace percuss::fitting
