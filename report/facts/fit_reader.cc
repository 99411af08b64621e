// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_field.h"
#include "report/facts/run_folder.h"

namespace percuss::report {
namespace {

Measured ReadMeasured(const JsonField& field) {
  return {.value = field.At("value").Number(), .sigma = field.NumberOr("sigma", kNaN)};
}

MeasuredVector ReadVector(const JsonField& trial, std::string_view key,
                          std::string_view sigma_key = "") {
  const auto values = trial.Vector3OrNaN(key);
  const auto sigmas =
      sigma_key.empty() ? std::array<double, 3>{kNaN, kNaN, kNaN} : trial.Vector3OrNaN(sigma_key);
  return {Measured{values[0], sigmas[0]}, Measured{values[1], sigmas[1]},
          Measured{values[2], sigmas[2]}};
}

ParameterFacts ReadParameter(const std::string& name, const JsonField& field) {
  ParameterFacts parameter{.name = name,
                           .value = field.At("value").Number(),
                           .sigma = field.At("sigma").Number(),
                           .status = field.At("status").Text()};
  if (const auto weak = field.Find("weak")) parameter.weak = weak->Boolean();
  const auto interval = field.At("ci95").Elements();
  if (interval.size() != 2) field.At("ci95").Fail("the two ends of an interval");
  parameter.ci95 = {interval[0].Number(), interval[1].Number()};
  return parameter;
}

// Predicted minus measured, with the sigma that the file states for it.
MeasuredVector ReadDifference(const JsonField& trial, const std::string& velocity) {
  const auto measured = trial.Vector3OrNaN(velocity + "_measured");
  const auto predicted = trial.Vector3OrNaN(velocity + "_predicted");
  const auto sigmas = trial.Vector3OrNaN(velocity + "_difference_sigma");
  MeasuredVector difference;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    difference[axis] = {predicted[axis] - measured[axis], sigmas[axis]};
  }
  return difference;
}

ComparisonFacts ReadComparison(const JsonField& field) {
  const Measured measured = ReadMeasured(field.At("dissipation_measured"));
  const Measured predicted = ReadMeasured(field.At("dissipation_predicted"));
  Measured difference{predicted.value - measured.value, kNaN};
  if (const auto stated = field.Find("dissipation_difference")) difference = ReadMeasured(*stated);
  return {.trial = field.At("trial").Text(),
          .used = field.At("used").Boolean(),
          .reason = field.TextOr("reason", ""),
          .modes = field.TextsOrNone("modes"),
          .sun_case = field.TextOr("case", ""),
          .v_measured = ReadVector(field, "v_measured", "v_sigma"),
          .w_measured = ReadVector(field, "w_measured", "w_sigma"),
          .v_predicted = ReadVector(field, "v_predicted", "v_predicted_sigma"),
          .w_predicted = ReadVector(field, "w_predicted", "w_predicted_sigma"),
          .v_difference = ReadDifference(field, "v"),
          .w_difference = ReadDifference(field, "w"),
          .velocity_error = field.NumberOr("velocity_error", kNaN),
          .reachability_floor = field.NumberOr("reachability_floor", kNaN),
          .energy_before = ReadMeasured(field.At("energy_before")),
          .energy_after_measured = ReadMeasured(field.At("energy_after_measured")),
          .energy_after_predicted = ReadMeasured(field.At("energy_after_predicted").At("total")),
          .dissipation_measured = measured,
          .dissipation_predicted = predicted,
          .dissipation_difference = difference,
          .normal_work = ReadMeasured(field.At("normal_work")),
          .friction_work = ReadMeasured(field.At("friction_work"))};
}

std::array<double, 2> ReadInterval(const JsonField& field) {
  const auto ends = field.Elements(2);
  return {ends[0].Number(), ends[1].Number()};
}

void ReadScatter(const JsonField& field, LawFacts& law) {
  for (const auto& [name, value] : field.At("parameters").Members()) {
    law.scatter.push_back({.parameter = name,
                           .value = value.At("value").Number(),
                           .ci95 = ReadInterval(value.At("ci95")),
                           .compatible_with_zero = value.At("compatible_with_zero").Boolean(),
                           .next95 = ReadInterval(value.At("next95"))});
  }
  law.scatter_held_out = field.At("held_out_inside_95").NumberOr("components", kNaN);
  if (const auto next = field.Find("next_impact")) {
    for (const JsonField& impact : next->Elements()) {
      law.next_impacts.push_back({.as_trial = impact.At("as_trial").Text(),
                                  .v_sigma = impact.Vector3OrNaN("v_sigma"),
                                  .w_sigma = impact.Vector3OrNaN("w_sigma")});
    }
  }
}

DropFacts ReadDrop(const std::string& purpose, const JsonField& field) {
  DropFacts drop{.purpose = purpose,
                 .pitch_deg = field.At("pitch_deg").Number(),
                 .roll_deg = field.At("roll_deg").Number(),
                 .incidence_deg = field.At("incidence_deg").Number(),
                 .speed = field.At("speed").Number(),
                 .modes = field.TextsOrNone("modes")};
  for (const auto& [name, factor] : field.At("interval_factors").Members()) {
    drop.interval_factors.emplace_back(name, factor.Number());
  }
  return drop;
}

NextDropFacts ReadNextDrop(const std::string& law, const JsonField& field) {
  NextDropFacts advice{.law = law, .reason = field.TextOr("reason", "")};
  if (!field.At("usable").Boolean()) return advice;
  for (const auto& [name, drop] : field.At("per_parameter").Members()) {
    advice.drops.push_back(ReadDrop(name, drop));
  }
  advice.drops.push_back(ReadDrop("all together", field.At("d_optimal")));
  return advice;
}

std::vector<double> ReadQuantities(const JsonField& field, const std::vector<std::string>& names) {
  std::vector<double> values;
  for (const std::string& name : names) values.push_back(field.NumberOr(name, kNaN));
  return values;
}

std::vector<BudgetRowFacts> ReadBudgetRows(const JsonField& field,
                                           const std::vector<std::string>& quantities) {
  std::vector<BudgetRowFacts> rows;
  for (const JsonField& row : field.Elements()) {
    rows.push_back({.source = row.At("source").Text(),
                    .unit = row.TextOr("unit", ""),
                    .counterpart = row.TextOr("counterpart", ""),
                    .size = row.NumberOr("size", kNaN),
                    .sigma = ReadQuantities(row.At("sigma"), quantities),
                    .share = ReadQuantities(row.At("share"), quantities)});
  }
  return rows;
}

BudgetFacts ReadBudget(const JsonField& field) {
  BudgetFacts budget{.impacts = field.At("impacts").Count()};
  for (const auto& [name, value] : field.At("sigma").Members()) budget.quantities.push_back(name);
  budget.value = ReadQuantities(field.At("value"), budget.quantities);
  budget.sigma = ReadQuantities(field.At("sigma"), budget.quantities);
  budget.rows = ReadBudgetRows(field.At("rows"), budget.quantities);
  budget.thesis = ReadBudgetRows(field.At("thesis"), budget.quantities);
  return budget;
}

LawFacts ReadLaw(const std::string& name, const JsonField& field) {
  LawFacts law{.name = name, .message = field.TextOr("message", "")};
  if (const auto converged = field.Find("converged")) law.converged = converged->Boolean();
  for (const auto& [parameter, value] : field.At("parameters").Members()) {
    law.parameters.push_back(ReadParameter(parameter, value));
  }
  law.cost = field.NumberOr("cost", kNaN);
  law.aicc = field.NumberOr("aicc", kNaN);
  law.cost_probability = field.NumberOr("cost_probability", kNaN);
  law.interval_scale = field.NumberOr("interval_scale", kNaN);
  law.dof = field.IntegerOr("dof", 0);
  law.velocity_error_mean = field.NumberOr("velocity_error_mean", kNaN);
  law.energy_error_rms = field.NumberOr("energy_error_rms", kNaN);
  if (const auto left_out = field.Find("cross_validated")) {
    law.cross_validated_velocity_error = left_out->NumberOr("velocity_error_mean", kNaN);
    law.cross_validated_energy_error = left_out->NumberOr("energy_error_rms", kNaN);
  }
  if (const auto split = field.Find("error_split")) {
    law.data_error = split->NumberOr("data", kNaN);
    law.law_error = split->NumberOr("law", kNaN);
    law.parameter_error = split->NumberOr("parameters", kNaN);
  }
  law.energy_gains = field.IntegerOr("energy_gains", -1);
  if (const auto scatter = field.Find("scatter")) ReadScatter(*scatter, law);
  for (const JsonField& trial : field.At("trials").Elements()) {
    law.trials.push_back(ReadComparison(trial));
  }
  return law;
}

FindingFacts ReadFinding(const JsonField& field) {
  return {.check = field.At("check").Text(),
          .trial = field.TextOr("trial", ""),
          .ok = field.At("ok").Boolean(),
          .probability = field.NumberOr("probability", kNaN),
          .text = field.At("text").Text()};
}

StudyFacts ReadStudy(const JsonField& field) {
  StudyFacts study{.law = field.At("law").Text(),
                   .parameter = field.At("parameter").Text(),
                   .column = field.At("column").Text(),
                   .left_out = field.At("left_out").Integer(),
                   .mean = field.At("mean").Number(),
                   .repeatability = field.At("repeatability").Number(),
                   .between = field.At("between").Number(),
                   .reproducibility = field.At("reproducibility").Number(),
                   .h_critical = field.At("h_critical").Number()};
  for (const JsonField& group : field.At("groups").Elements()) {
    study.groups.push_back({.name = group.At("name").Text(),
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

FitFacts ReadFitFacts(const std::filesystem::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  FitFacts fit;
  for (const auto& [name, law] : root.At("laws").Members()) fit.laws.push_back(ReadLaw(name, law));
  if (const auto pixels = root.Find("pixels")) {
    for (const auto& [name, field] : pixels->Members()) {
      LawFacts law{.name = name, .message = field.TextOr("message", "")};
      for (const auto& [parameter, value] : field.At("parameters").Members()) {
        law.parameters.push_back(ReadParameter(parameter, value));
      }
      fit.pixels.push_back(std::move(law));
    }
  }
  if (const auto audit = root.Find("audit")) {
    for (const JsonField& finding : audit->Elements()) fit.audit.push_back(ReadFinding(finding));
  }
  if (const auto advice = root.Find("next_drop")) {
    for (const auto& [law, drops] : advice->Members()) {
      fit.next_drop.push_back(ReadNextDrop(law, drops));
    }
  }
  if (const auto studies = root.Find("repeatability")) {
    for (const JsonField& study : studies->Elements())
      fit.repeatability.push_back(ReadStudy(study));
  }
  if (const auto budget = root.Find("error_budget")) fit.error_budget = ReadBudget(*budget);
  return fit;
}

}  // namespace percuss::report
