// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/coefficient_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

constexpr double kLeastVariable = 1e-3;  // [m/s, rad], of the powers
constexpr double kMostExponent = 3.0;    // beyond it a power is a step

struct Variable {
  double value = 0.0;
  Eigen::RowVector3d by_velocity = Eigen::RowVector3d::Zero();
};

Variable CalcVariable(ModelVariable kind, const Eigen::Vector3d& velocity) {
  if (kind == ModelVariable::kNormal) {
    return {std::abs(velocity.z()), {0.0, 0.0, velocity.z() < 0.0 ? -1.0 : 1.0}};
  }
  Variable slip{velocity.head<2>().norm()};
  if (slip.value > 0.0) slip.by_velocity.head<2>() = velocity.head<2>() / slip.value;
  if (kind == ModelVariable::kTangential) return slip;
  const double approach = -velocity.z(), squares = velocity.squaredNorm();
  Variable incidence{std::atan2(slip.value, approach)};
  if (squares > 0.0) {
    incidence.by_velocity = approach / squares * slip.by_velocity;
    incidence.by_velocity.z() = slip.value / squares;
  }
  return incidence;
}

struct FunctionValue {
  double value = 0.0;
  std::array<double, 3> by_coefficient{};
  double by_variable = 0.0;
};

FunctionValue CalcFunction(SpeedDependence dependence, const double* coefficients, double u) {
  const double a = coefficients[0], b = coefficients[1];
  if (dependence == SpeedDependence::kLinear) return {a + b * u, {1.0, u}, b};
  if (dependence == SpeedDependence::kQuadratic) {
    const double c = coefficients[2];
    return {a + (b + c * u) * u, {1.0, u, u * u}, b + 2.0 * c * u};
  }
  const bool floored = u < kLeastVariable;
  const double base = floored ? kLeastVariable : u;
  const double power = std::pow(base, b);
  const double sign = dependence == SpeedDependence::kLoss ? -1.0 : 1.0;
  return {(sign < 0.0 ? 1.0 : 0.0) + sign * a * power,
          {sign * power, sign * a * power * std::log(base)},
          floored ? 0.0 : sign * a * b * power / base};
}

}  // namespace

int CoefficientModel::Entry::NumCoefficients() const {
  if (given) return 0;
  if (model.dependence == SpeedDependence::kQuadratic) return 3;
  return model.dependence == SpeedDependence::kConstant ? 1 : 2;
}

double CoefficientModel::Entry::FromProduct(double c) const {
  return std::pow(c / factor, 1.0 / exponent);
}

double CoefficientModel::Entry::SlopeOfProduct(double c) const {
  return std::pow(c / factor, 1.0 / exponent - 1.0) / (exponent * factor);
}

double CoefficientModel::Entry::ToProduct(double p) const { return factor * std::pow(p, exponent); }

bool HasParameter(const solver::LawInfo& law, const std::string& name) {
  return std::ranges::any_of(law.parameters, [&](const auto& info) { return info.name == name; });
}

bool TakesParameter(const solver::LawInfo& law, const std::string& name) {
  return HasParameter(law, name) ||
         std::ranges::any_of(law.optional_parameters,
                             [&](const auto& info) { return info.name == name; });
}

ParameterModels ModelsOfLaw(const solver::LawInfo& law, const ParameterModels& all) {
  ParameterModels models;
  for (const auto& [name, model] : all) {
    if (HasParameter(law, name)) models[name] = model;
  }
  return models;
}

GivenParameters GivenOfLaw(const solver::LawInfo& law, const GivenParameters& all) {
  GivenParameters given;
  for (const auto& [name, value] : all) {
    if (TakesParameter(law, name)) given[name] = value;
  }
  return given;
}

Grouping GroupingOfLaw(const solver::LawInfo& law, const Grouping& all) {
  Grouping grouping{.column = all.column};
  for (const std::string& name : all.parameters) {
    if (HasParameter(law, name)) grouping.parameters.push_back(name);
  }
  if (!all.parameters.empty() && grouping.parameters.empty()) return {};
  return grouping;
}

std::vector<std::string> ColumnsOf(const ParameterModels& models) {
  std::set<std::string> columns;
  for (const auto& [name, model] : models) {
    if (model.variable == ModelVariable::kColumn) columns.insert(model.column);
  }
  return {columns.begin(), columns.end()};
}

double NumberIn(const ImpactRecord& record, const std::string& column) {
  const auto found = record.extra.find(column);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (found == record.extra.end()) return kNone;
  const std::string& text = found->second;
  double number = kNone;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole && std::isfinite(number) ? number : kNone;
}

CoefficientModel::CoefficientModel(const solver::LawInfo& law) { AddEntries(law, {}, {}, {}); }

CoefficientModel::CoefficientModel(const solver::LawInfo& law, const ParameterModels& models,
                                   const GivenParameters& given, const Grouping& grouping,
                                   const std::vector<const ImpactRecord*>& records)
    : model_columns_(ColumnsOf(models)), column_(grouping.column) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(std::ssize(model_columns_));
  column_means_ = zero;
  Eigen::VectorXd sum = zero, squares = zero;
  const double share = 1.0 / std::max(1.0, static_cast<double>(records.size()));
  for (const ImpactRecord* record : records) sum += share * CenteredColumns(*record);
  column_means_ = sum;
  for (const ImpactRecord* record : records)
    squares += share * CenteredColumns(*record).cwiseAbs2();
  column_spreads_ = squares.cwiseSqrt();
  if (!column_.empty()) {
    std::set<std::string> names;
    for (const ImpactRecord* record : records) {
      const auto found = record->extra.find(column_);
      if (found != record->extra.end()) names.insert(found->second);
    }
    groups_.assign(names.begin(), names.end());
  }
  AddEntries(law, models, given, grouping);
}

void CoefficientModel::AddEntries(const solver::LawInfo& law, const ParameterModels& models,
                                  const GivenParameters& given, const Grouping& grouping) {
  const auto require_known = [&](const std::string& name, bool optional = false) {
    if (HasParameter(law, name) || (optional && TakesParameter(law, name))) return;
    std::string allowed;
    for (const auto& info : law.parameters) {
      allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", info.name);
    }
    throw std::invalid_argument(
        fmt::format("parameter of the law {}: found {}, allowed {}", law.name, name, allowed));
  };
  for (const auto& [name, model] : models) require_known(name);
  for (const auto& [name, value] : given) require_known(name, true);
  for (const std::string& name : grouping.parameters) require_known(name);

  AddProducts(law, models, given);

  for (const solver::ParameterInfo& info : law.parameters) {
    std::string name(info.name);
    if (AddGiven(info, given)) continue;
    Entry entry{.info = info, .first = num_coefficients()};
    double lower = info.lower, upper = info.upper;
    if (const std::optional<Entry> of_product = ProductEntryOf(info, law, given)) {
      entry = *of_product;
      if (entry.held) {
        entries_.push_back(entry);
        continue;
      }
      name = entry.product->name;
      lower = entry.ToProduct(info.lower);
      upper = entry.ToProduct(info.upper);
    }
    if (const auto found = models.find(name); found != models.end()) entry.model = found->second;
    const auto has_groups = [&](std::string_view parameter) {
      return grouping.parameters.empty() ||
             std::ranges::find(grouping.parameters, parameter) != grouping.parameters.end();
    };
    entry.grouped =
        !column_.empty() &&
        (entry.product ? std::ranges::any_of(entry.product->powers, has_groups,
                                             &solver::ParameterProduct::Power::parameter)
                       : has_groups(name));
    plain_ = plain_ && !entry.grouped && entry.NumCoefficients() == 1;
    const double size =
        std::max(std::abs(entry.product ? entry.ToProduct(info.typical) : info.typical), 1e-3);
    for (size_t group = 0; group < (entry.grouped ? groups_.size() : 1); ++group) {
      const std::string place = entry.grouped ? fmt::format("[{}]", groups_[group]) : "";
      const bool of_column = entry.model.variable == ModelVariable::kColumn;
      if (of_column) {
        entry.column =
            std::ranges::find(model_columns_, entry.model.column) - model_columns_.begin();
      }
      const double spread = of_column ? std::max(column_spreads_[entry.column], 1e-300) : 1.0;
      switch (entry.model.dependence) {
        case SpeedDependence::kConstant:
          coefficients_.push_back({name + place, lower, upper, size});
          break;
        case SpeedDependence::kLinear:
          coefficients_.push_back({name + place, info.lower, info.upper, size});
          coefficients_.push_back({.name = name + ".slope" + place, .scale = size / spread});
          break;
        case SpeedDependence::kQuadratic:
          coefficients_.push_back({name + place, info.lower, info.upper, size});
          coefficients_.push_back({.name = name + ".slope" + place, .scale = size / spread});
          coefficients_.push_back(
              {.name = name + ".curvature" + place, .scale = size / (spread * spread)});
          break;
        case SpeedDependence::kPower:
          coefficients_.push_back({name + place, info.lower, info.upper, size});
          coefficients_.push_back({name + ".exponent" + place, -kMostExponent, kMostExponent, 1.0});
          break;
        case SpeedDependence::kLoss:
          coefficients_.push_back({.name = name + ".loss" + place, .lower = 0.0, .scale = 0.5});
          coefficients_.push_back({name + ".exponent" + place, 0.0, kMostExponent, 1.0});
          break;
      }
    }
    entries_.push_back(entry);
  }
  for (const solver::ParameterInfo& info : law.optional_parameters) {
    if (!AddGiven(info, given)) break;  // left out from the back
  }
}

void CoefficientModel::AddProducts(const solver::LawInfo& law, const ParameterModels& models,
                                   const GivenParameters& given) {
  for (const solver::ParameterProduct& info : law.products) {
    Product product{.info = &info};
    for (const auto& [parameter, exponent] : info.powers) {
      if (!given.contains(std::string(parameter))) product.parameters.emplace_back(parameter);
    }
    if (product.parameters.size() < 2) continue;
    plain_ = false;
    for (const std::string& name : product.parameters) {
      if (!models.contains(name)) continue;
      throw std::invalid_argument(
          fmt::format("model of {}: found one, allowed none: the law {} depends on {} alone "
                      "unless all but one of its parameters are given",
                      name, law.name, info.name));
    }
    products_.push_back(std::move(product));
  }
}

std::optional<CoefficientModel::Entry> CoefficientModel::ProductEntryOf(
    const solver::ParameterInfo& info, const solver::LawInfo& law,
    const GivenParameters& given) const {
  for (const Product& product : products_) {
    if (std::ranges::find(product.parameters, info.name) == product.parameters.end()) continue;
    Entry entry{.info = info, .first = num_coefficients()};
    if (product.parameters.front() != info.name) {
      entry.held = true;
      entry.given = info.typical;
      return entry;
    }
    entry.product = product.info;
    for (const auto& [parameter, exponent] : product.info->powers) {
      if (parameter == info.name) {
        entry.exponent = exponent;
        continue;
      }
      const auto known = given.find(std::string(parameter));
      const auto other = std::ranges::find(law.parameters, parameter, &solver::ParameterInfo::name);
      entry.factor *=
          std::pow(known != given.end() ? known->second.value : other->typical, exponent);
    }
    return entry;
  }
  return {};
}

bool CoefficientModel::AddGiven(const solver::ParameterInfo& info, const GivenParameters& given) {
  const auto found = given.find(std::string(info.name));
  if (found == given.end()) return false;
  plain_ = false;
  given_.push_back({found->first, std::ssize(entries_), found->second});
  entries_.push_back({.info = info, .first = num_coefficients(), .given = found->second.value});
  return true;
}

CoefficientModel::Values CoefficientModel::Evaluate(const Eigen::VectorXd& coefficients,
                                                    const Eigen::Vector3d& velocity, int group,
                                                    const Eigen::VectorXd& columns) const {
  const auto size = std::ssize(entries_);
  Values values;
  values.parameters.resize(size);
  values.by_coefficients.setZero(size, num_coefficients());
  values.by_velocity.setZero(size, 3);
  for (Eigen::Index p = 0; p < size; ++p) {
    const Entry& entry = entries_[p];
    const Eigen::Index first = entry.first + (entry.grouped ? group * entry.NumCoefficients() : 0);
    if (entry.given) {
      values.parameters[p] = *entry.given;
      continue;
    }
    if (entry.product != nullptr) {
      values.parameters[p] = entry.FromProduct(coefficients[first]);
      values.by_coefficients(p, first) = entry.SlopeOfProduct(coefficients[first]);
      continue;
    }
    if (entry.model.dependence == SpeedDependence::kConstant) {
      values.parameters[p] = coefficients[first];
      values.by_coefficients(p, first) = 1.0;
      continue;
    }
    Variable variable;
    if (entry.model.variable != ModelVariable::kColumn) {
      variable = CalcVariable(entry.model.variable, velocity);
    } else if (columns.size() > 0) {
      variable.value = columns[entry.column];
    }
    const FunctionValue function =
        CalcFunction(entry.model.dependence, coefficients.data() + first, variable.value);
    values.parameters[p] = std::clamp(function.value, entry.info.lower, entry.info.upper);
    if (values.parameters[p] != function.value) continue;
    for (int k = 0; k < entry.NumCoefficients(); ++k)
      values.by_coefficients(p, first + k) = function.by_coefficient[k];
    values.by_velocity.row(p) = function.by_variable * variable.by_velocity;
  }
  for (Eigen::Index p = 0; p < size; ++p) {
    if (entries_[p].info.name != "mu_s") continue;
    values.parameters[p] = std::max(
        values.parameters[p],
        values.parameters[std::ranges::find(entries_, "mu",
                                            [](const Entry& entry) { return entry.info.name; }) -
                          entries_.begin()]);
  }
  return values;
}

Eigen::VectorXd CoefficientModel::Parameters(const Eigen::VectorXd& coefficients,
                                             const Eigen::Vector3d& velocity, int group,
                                             const Eigen::VectorXd& columns) const {
  return plain_ ? coefficients : Evaluate(coefficients, velocity, group, columns).parameters;
}

Eigen::VectorXd CoefficientModel::CenteredColumns(const ImpactRecord& record) const {
  Eigen::VectorXd numbers(std::ssize(model_columns_));
  for (Eigen::Index k = 0; k < numbers.size(); ++k)
    numbers[k] = NumberIn(record, model_columns_[k]) - column_means_[k];
  return numbers;
}

double CoefficientModel::ProductOf(const Entry& entry, const Eigen::VectorXd& parameters) const {
  double product = 1.0;
  for (const auto& [parameter, exponent] : entry.product->powers) {
    const auto place =
        std::ranges::find(entries_, parameter, [](const Entry& other) { return other.info.name; });
    product *= std::pow(parameters[place - entries_.begin()], exponent);
  }
  return product;
}

Eigen::VectorXd CoefficientModel::CoefficientsOf(const Eigen::VectorXd& parameters) const {
  constexpr double kUsualExponent = 0.25;  // of restitution under plastic flow
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(num_coefficients());
  for (Eigen::Index p = 0; p < std::ssize(entries_); ++p) {
    const Entry& entry = entries_[p];
    const int step = entry.NumCoefficients();
    if (step == 0) continue;
    const bool loss = entry.model.dependence == SpeedDependence::kLoss;
    const double value = entry.product ? ProductOf(entry, parameters) : parameters[p];
    for (size_t group = 0; group < (entry.grouped ? groups_.size() : 1); ++group) {
      const Eigen::Index at = entry.first + static_cast<Eigen::Index>(group) * step;
      coefficients[at] = loss ? std::max(0.0, 1.0 - value) : value;
      if (loss) coefficients[at + 1] = kUsualExponent;
    }
  }
  return coefficients;
}

int CoefficientModel::GroupOf(const ImpactRecord& record) const {
  if (column_.empty()) return 0;
  const auto found = record.extra.find(column_);
  const auto place =
      found == record.extra.end() ? groups_.end() : std::ranges::find(groups_, found->second);
  if (place == groups_.end()) {
    throw std::invalid_argument(fmt::format("group {} of {}: found {}, allowed a group of the fit",
                                            column_, record.trial,
                                            found == record.extra.end() ? "none" : found->second));
  }
  return static_cast<int>(place - groups_.begin());
}

}  // namespace percuss::fitting
