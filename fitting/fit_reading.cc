// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <stdexcept>

#include "base/text/json_field.h"
#include "fitting/estimate/scatter.h"
#include "fitting/fit_files.h"

namespace percuss::fitting {
namespace {

Eigen::Vector3d ReadVector(const JsonField& field) {
  std::array<double, 3> numbers = {kNaN, kNaN, kNaN};
  const std::vector<JsonField> elements = field.Elements();
  if (elements.size() != 3) field.Fail("a list of 3 numbers");
  for (size_t i = 0; i < 3; ++i) numbers[i] = elements[i].Number();
  return {numbers[0], numbers[1], numbers[2]};
}

std::array<double, 2> ReadInterval(const JsonField& field) {
  const std::vector<JsonField> ends = field.Elements();
  if (ends.size() != 2) field.Fail("a list of 2 numbers");
  return {ends[0].Number(), ends[1].Number()};
}

ValueWithSigma ReadMeasured(const JsonField& field) {
  return {field.At("value").Number(), field.At("sigma").Number()};
}

ParameterStatus ReadStatus(const JsonField& reader) {
  const std::string name = reader.Text();
  for (const ParameterStatus status :
       {ParameterStatus::kIdentified, ParameterStatus::kLowerBound, ParameterStatus::kUpperBound,
        ParameterStatus::kUnidentified}) {
    if (name == StatusName(status)) return status;
  }
  reader.Fail("identified, lower_bound, upper_bound or unidentified");
}

ParameterEstimate ReadParameter(const std::string& name, const JsonField& reader) {
  ParameterEstimate parameter{.name = name};
  parameter.value = reader.At("value").Number();
  parameter.sigma = reader.At("sigma").Number();
  parameter.status = ReadStatus(reader.At("status"));
  parameter.best = reader.At("best").Number();
  parameter.ci95 = ReadInterval(reader.At("ci95"));
  // Of a parameter that was fitted, an end without a number is an open one.
  if (!std::isnan(parameter.best)) {
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    if (std::isnan(parameter.ci95[0])) parameter.ci95[0] = -kOpen;
    if (std::isnan(parameter.ci95[1])) parameter.ci95[1] = kOpen;
  }
  if (reader.Find("bootstrap95")) parameter.bootstrap95 = ReadInterval(reader.At("bootstrap95"));
  return parameter;
}

ScatterReport ReadScatter(const JsonField& reader) {
  ScatterReport scatter;
  for (const auto& [name, value] : reader.At("parameters").Members()) {
    scatter.parameters.push_back(
        {.parameter = name,
         .value = value.At("value").Number(),
         .ci95 = ReadInterval(value.At("ci95")),
         .compatible_with_zero = value.At("compatible_with_zero").Boolean(),
         .mean = value.At("mean").Number(),
         .next95 = ReadInterval(value.At("next95"))});
  }
  scatter.noise_scale = reader.At("noise_scale").Number();
  scatter.held_out_components = reader.At("held_out_inside_95").At("components").Number();
  scatter.held_out_impacts = reader.At("held_out_inside_95").At("impacts").Number();
  for (const JsonField& impact : reader.At("next_impact").Elements()) {
    scatter.predictive_sigma.emplace_back();
    scatter.predictive_sigma.back() << ReadVector(impact.At("v_sigma")),
        ReadVector(impact.At("w_sigma"));
  }
  return scatter;
}

TrialComparison ReadTrial(const JsonField& reader) {
  TrialComparison trial;
  trial.trial = reader.At("trial").Text();
  trial.used = reader.At("used").Boolean();
  trial.reason = reader.At("reason").Text();
  for (const JsonField& mode : reader.At("modes").Elements()) trial.modes.push_back(mode.Text());
  trial.sun_case = reader.At("case").Text();
  trial.v_measured = ReadVector(reader.At("v_measured"));
  trial.v_sigma = ReadVector(reader.At("v_sigma"));
  trial.v_predicted = ReadVector(reader.At("v_predicted"));
  trial.v_predicted_sigma = ReadVector(reader.At("v_predicted_sigma"));
  trial.v_difference_sigma = ReadVector(reader.At("v_difference_sigma"));
  trial.w_measured = ReadVector(reader.At("w_measured"));
  trial.w_sigma = ReadVector(reader.At("w_sigma"));
  trial.w_predicted = ReadVector(reader.At("w_predicted"));
  trial.w_predicted_sigma = ReadVector(reader.At("w_predicted_sigma"));
  trial.w_difference_sigma = ReadVector(reader.At("w_difference_sigma"));
  trial.impulse_measured = ReadVector(reader.At("impulse_measured"));
  trial.impulse_predicted = ReadVector(reader.At("impulse_predicted"));
  trial.velocity_error = reader.At("velocity_error").Number();
  trial.best_of_law = reader.At("best_of_law").Number();
  trial.energy_grows = reader.At("energy_grows").Boolean();
  trial.reachability_floor = reader.At("reachability_floor").Number();
  trial.energy_before = ReadMeasured(reader.At("energy_before"));
  trial.energy_after_measured = ReadMeasured(reader.At("energy_after_measured"));
  trial.dissipation_measured = ReadMeasured(reader.At("dissipation_measured"));
  trial.dissipation_predicted = ReadMeasured(reader.At("dissipation_predicted"));
  trial.dissipation_difference = ReadMeasured(reader.At("dissipation_difference"));
  trial.normal_work = ReadMeasured(reader.At("normal_work"));
  trial.friction_work = ReadMeasured(reader.At("friction_work"));
  const JsonField after = reader.At("energy_after_predicted");
  for (std::size_t k = 0; k < kEnergyShareNames.size(); ++k) {
    trial.energy_after_predicted[k] = ReadMeasured(after.At(kEnergyShareNames[k]));
  }
  return trial;
}

// What every fit begins with.
template <class Fit>
Fit ReadEstimates(const std::string& name, const JsonField& reader) {
  Fit fit;
  fit.law = name;
  fit.converged = reader.At("converged").Boolean();
  fit.message = reader.At("message").Text();
  for (const auto& [parameter, value] : reader.At("parameters").Members()) {
    fit.parameters.push_back(ReadParameter(parameter, value));
  }
  const std::vector<JsonField> rows = reader.At("covariance").Elements();
  const auto size = static_cast<Eigen::Index>(rows.size());
  fit.covariance.resize(size, size);
  for (Eigen::Index row = 0; row < size; ++row) {
    const std::vector<JsonField> values = rows[row].Elements();
    if (values.size() != rows.size()) reader.At("covariance").Fail("as many columns as rows");
    for (Eigen::Index column = 0; column < size; ++column) {
      fit.covariance(row, column) = values[column].Number();
    }
  }
  return fit;
}

PixelFit ReadPixels(const std::string& name, const JsonField& reader) {
  PixelFit fit = ReadEstimates<PixelFit>(name, reader);
  fit.num_trials = reader.At("trials_used").Integer();
  fit.misfit = reader.At("misfit").Number();
  fit.dof = reader.At("dof").Integer();
  fit.interval_scale = reader.At("interval_scale").Number();
  fit.calibration_shift = reader.At("calibration_shift").Number();
  return fit;
}

LawFit ReadLaw(const std::string& name, const JsonField& reader) {
  LawFit fit = ReadEstimates<LawFit>(name, reader);
  if (reader.Find("models")) {
    for (const auto& [parameter, model] : reader.At("models").Members()) {
      try {
        fit.models[parameter] = FindParameterModel(model.Text());
      } catch (const std::invalid_argument&) {
        model.Fail(ParameterModelNames());
      }
    }
  }
  if (reader.Find("scatter")) {
    fit.scatter = std::make_shared<const ScatterReport>(ReadScatter(reader.At("scatter")));
  }
  fit.num_used = reader.At("trials_used").Integer();
  fit.cost = reader.At("cost").Number();
  fit.dof = reader.At("dof").Integer();
  fit.cost_probability = reader.At("cost_probability").Number();
  fit.interval_scale = reader.At("interval_scale").Number();
  fit.aicc = reader.At("aicc").Number();
  fit.velocity_error_mean = reader.At("velocity_error_mean").Number();
  fit.energy_error_rms = reader.At("energy_error_rms").Number();
  const JsonField left_out = reader.At("cross_validated");
  fit.cross_validated_velocity_error_mean = left_out.At("velocity_error_mean").Number();
  fit.cross_validated_energy_error_rms = left_out.At("energy_error_rms").Number();
  const JsonField split = reader.At("error_split");
  fit.error_split = {split.At("data").Number(), split.At("law").Number(),
                     split.At("parameters").Number()};
  fit.num_energy_gains = reader.At("energy_gains").Integer();
  for (const JsonField& trial : reader.At("trials").Elements())
    fit.trials.push_back(ReadTrial(trial));
  return fit;
}

NextDrop ReadDrop(const JsonField& field, const std::vector<std::string>& parameters) {
  NextDrop drop;
  drop.pitch_deg = field.At("pitch_deg").Number();
  drop.roll_deg = field.At("roll_deg").Number();
  drop.incidence_deg = field.At("incidence_deg").Number();
  drop.speed = field.At("speed").Number();
  drop.information = field.At("information").Number();
  drop.modes = field.At("modes").Texts();
  for (const std::string& name : parameters) {
    drop.interval_factors.push_back(field.At("interval_factors").At(name).Number());
  }
  return drop;
}

NextDropAdvice ReadAdvice(const std::string& law, const JsonField& field) {
  NextDropAdvice advice;
  advice.law = law;
  advice.usable = field.At("usable").Boolean();
  advice.reason = field.At("reason").Text();
  if (!advice.usable) return advice;
  const auto drops = field.At("per_parameter").Members();
  for (const auto& [name, drop] : drops) advice.parameters.push_back(name);
  for (const auto& [name, drop] : drops) {
    advice.per_parameter.push_back(ReadDrop(drop, advice.parameters));
  }
  advice.d_optimal = ReadDrop(field.At("d_optimal"), advice.parameters);
  return advice;
}

BudgetValues ReadBudgetValues(const JsonField& field) {
  BudgetValues values{};
  for (int i = 0; i < kNumBudgetQuantities; ++i) {
    values[i] = field.At(BudgetQuantityName(static_cast<BudgetQuantity>(i))).Number();
  }
  return values;
}

std::vector<ErrorBudgetRow> ReadBudgetRows(const JsonField& field) {
  std::vector<ErrorBudgetRow> rows;
  for (const JsonField& row : field.Elements()) {
    rows.push_back({row.At("source").Text(), row.At("size").Number(), row.At("unit").Text(),
                    ReadBudgetValues(row.At("sigma")), ReadBudgetValues(row.At("share")),
                    row.At("counterpart").Text()});
  }
  return rows;
}

ErrorBudget ReadBudget(const JsonField& field) {
  ErrorBudget budget;
  budget.num_impacts = field.At("impacts").Integer();
  budget.value = ReadBudgetValues(field.At("value"));
  budget.sigma = ReadBudgetValues(field.At("sigma"));
  budget.rows = ReadBudgetRows(field.At("rows"));
  budget.thesis = ReadBudgetRows(field.At("thesis"));
  return budget;
}

RepeatabilityStudy ReadStudy(const JsonField& field) {
  RepeatabilityStudy study{.law = field.At("law").Text(),
                           .parameter = field.At("parameter").Text(),
                           .column = field.At("column").Text(),
                           .precision = {},
                           .left_out = field.At("left_out").Integer()};
  Precision& precision = study.precision;
  precision.mean = field.At("mean").Number();
  precision.sigma_means = field.At("sigma_means").Number();
  precision.repeatability = field.At("repeatability").Number();
  precision.between = field.At("between").Number();
  precision.reproducibility = field.At("reproducibility").Number();
  precision.h_critical = field.At("h_critical").Number();
  for (const JsonField& group : field.At("groups").Elements()) {
    precision.groups.push_back({.name = group.At("name").Text(),
                                .count = group.At("count").Integer(),
                                .mean = group.At("mean").Number(),
                                .sigma = group.At("sigma").Number(),
                                .h = group.At("h").Number(),
                                .k = group.At("k").Number(),
                                .k_critical = group.At("k_critical").Number()});
  }
  return study;
}

}  // namespace

FitReport ReadFit(const std::filesystem::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kFitFormat) root.At("format").Fail(kFitFormat);
  FitReport report;
  for (const auto& [name, law] : root.At("laws").Members()) {
    report.laws.push_back(ReadLaw(name, law));
  }
  for (const JsonField& finding : root.At("audit").Elements()) {
    report.audit.push_back({.check = finding.At("check").Text(),
                            .trial = finding.At("trial").Text(),
                            .ok = finding.At("ok").Boolean(),
                            .probability = finding.At("probability").Number(),
                            .text = finding.At("text").Text()});
  }
  if (const auto pixels = root.Find("pixels")) {
    for (const auto& [name, fit] : pixels->Members()) {
      report.pixels.push_back(ReadPixels(name, fit));
    }
  }
  if (const auto advice = root.Find("next_drop")) {
    for (const auto& [law, drops] : advice->Members()) {
      report.next_drop.push_back(ReadAdvice(law, drops));
    }
  }
  if (const auto studies = root.Find("repeatability")) {
    for (const JsonField& study : studies->Elements())
      report.repeatability.push_back(ReadStudy(study));
  }
  if (const auto budget = root.Find("error_budget")) report.error_budget = ReadBudget(*budget);
  return report;
}

}  // namespace percuss::fitting
