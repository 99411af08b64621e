// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/fit_files.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "fitting/estimate/scatter.h"

namespace percuss::fitting {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no number for what is not finite: null.
Json MeasuredJson(const ValueWithSigma& value) {
  return {{"value", value.value}, {"sigma", value.sigma}};
}

Json IntervalJson(const std::array<double, 2>& interval) {
  return Json::array({interval[0], interval[1]});
}

Json ParameterJson(const ParameterEstimate& parameter) {
  Json json;
  json["value"] = parameter.value;
  json["sigma"] = parameter.sigma;
  json["ci95"] = IntervalJson(parameter.ci95);
  if (std::isfinite(parameter.bootstrap95[0])) {
    json["bootstrap95"] = IntervalJson(parameter.bootstrap95);
  }
  json["status"] = StatusName(parameter.status);
  json["weak"] = IsWeaklyIdentified(parameter);
  json["best"] = parameter.best;
  return json;
}

Json TrialJson(const TrialComparison& trial) {
  Json json;
  json["trial"] = trial.trial;
  json["used"] = trial.used;
  json["reason"] = trial.reason;
  json["modes"] = trial.modes;
  json["case"] = trial.sun_case;
  json["v_measured"] = JsonList(trial.v_measured);
  json["v_sigma"] = JsonList(trial.v_sigma);
  json["v_predicted"] = JsonList(trial.v_predicted);
  json["v_predicted_sigma"] = JsonList(trial.v_predicted_sigma);
  json["v_difference_sigma"] = JsonList(trial.v_difference_sigma);
  json["w_measured"] = JsonList(trial.w_measured);
  json["w_sigma"] = JsonList(trial.w_sigma);
  json["w_predicted"] = JsonList(trial.w_predicted);
  json["w_predicted_sigma"] = JsonList(trial.w_predicted_sigma);
  json["w_difference_sigma"] = JsonList(trial.w_difference_sigma);
  json["impulse_measured"] = JsonList(trial.impulse_measured);
  json["impulse_predicted"] = JsonList(trial.impulse_predicted);
  json["velocity_error"] = trial.velocity_error;
  json["best_of_law"] = trial.best_of_law;
  json["reachability_floor"] = trial.reachability_floor;
  json["energy_grows"] = trial.energy_grows;
  json["energy_before"] = MeasuredJson(trial.energy_before);
  json["energy_after_measured"] = MeasuredJson(trial.energy_after_measured);
  json["dissipation_measured"] = MeasuredJson(trial.dissipation_measured);
  json["dissipation_predicted"] = MeasuredJson(trial.dissipation_predicted);
  json["dissipation_difference"] = MeasuredJson(trial.dissipation_difference);
  json["normal_work"] = MeasuredJson(trial.normal_work);
  json["friction_work"] = MeasuredJson(trial.friction_work);
  Json& after = json["energy_after_predicted"];
  for (std::size_t k = 0; k < kEnergyShareNames.size(); ++k) {
    after[kEnergyShareNames[k]] = MeasuredJson(trial.energy_after_predicted[k]);
  }
  return json;
}

// `trials`: of the whole fit; the scatter has predictions for those used.
Json ScatterJson(const ScatterReport& scatter, const std::vector<TrialComparison>& trials) {
  Json json;
  json["parameters"] = Json::object();
  for (const ScatterEstimate& one : scatter.parameters) {
    json["parameters"][one.parameter] = {{"value", one.value},
                                         {"ci95", IntervalJson(one.ci95)},
                                         {"compatible_with_zero", one.compatible_with_zero},
                                         {"mean", one.mean},
                                         {"next95", IntervalJson(one.next95)}};
  }
  json["noise_scale"] = scatter.noise_scale;
  json["held_out_inside_95"] = {{"components", scatter.held_out_components},
                                {"impacts", scatter.held_out_impacts}};
  json["next_impact"] = Json::array();
  auto sigma = scatter.predictive_sigma.begin();
  for (const TrialComparison& trial : trials) {
    if (!trial.used || sigma == scatter.predictive_sigma.end()) continue;
    json["next_impact"].push_back({{"as_trial", trial.trial},
                                   {"v_sigma", JsonList(sigma->head<3>())},
                                   {"w_sigma", JsonList(sigma->tail<3>())}});
    ++sigma;
  }
  return json;
}

// What every fit begins with.
Json EstimatesJson(bool converged, const std::string& message,
                   const std::vector<ParameterEstimate>& parameters,
                   const Eigen::MatrixXd& covariance) {
  Json json;
  json["converged"] = converged;
  json["message"] = message;
  json["parameters"] = Json::object();
  for (const ParameterEstimate& parameter : parameters) {
    json["parameters"][parameter.name] = ParameterJson(parameter);
  }
  json["covariance"] = Json::array();
  for (Eigen::Index row = 0; row < covariance.rows(); ++row) {
    Json values = Json::array();
    for (Eigen::Index column = 0; column < covariance.cols(); ++column) {
      values.push_back(covariance(row, column));
    }
    json["covariance"].push_back(values);
  }
  return json;
}

Json PixelsJson(const PixelFit& fit) {
  Json json = EstimatesJson(fit.converged, fit.message, fit.parameters, fit.covariance);
  json["trials_used"] = fit.num_trials;
  json["misfit"] = fit.misfit;
  json["dof"] = fit.dof;
  json["interval_scale"] = fit.interval_scale;
  json["calibration_shift"] = fit.calibration_shift;
  return json;
}

Json LawJson(const LawFit& fit) {
  Json json = EstimatesJson(fit.converged, fit.message, fit.parameters, fit.covariance);
  for (const auto& [name, model] : fit.models) json["models"][name] = ParameterModelName(model);
  json["trials_used"] = fit.num_used;
  json["cost"] = fit.cost;
  json["dof"] = fit.dof;
  json["cost_probability"] = fit.cost_probability;
  json["interval_scale"] = fit.interval_scale;
  json["aicc"] = fit.aicc;
  json["velocity_error_mean"] = fit.velocity_error_mean;
  json["energy_error_rms"] = fit.energy_error_rms;
  json["cross_validated"] = {{"velocity_error_mean", fit.cross_validated_velocity_error_mean},
                             {"energy_error_rms", fit.cross_validated_energy_error_rms}};
  json["error_split"] = {{"data", fit.error_split.data},
                         {"law", fit.error_split.law},
                         {"parameters", fit.error_split.parameters}};
  json["energy_gains"] = fit.num_energy_gains;
  if (fit.scatter) json["scatter"] = ScatterJson(*fit.scatter, fit.trials);
  json["trials"] = Json::array();
  for (const TrialComparison& trial : fit.trials) json["trials"].push_back(TrialJson(trial));
  return json;
}

// The floor is a property of the data: the same for every law.
Json FloorJson(const std::vector<LawFit>& laws) {
  double sum = 0.0;
  int count = 0;
  if (!laws.empty()) {
    for (const TrialComparison& trial : laws.front().trials) {
      if (!trial.used) continue;
      sum += trial.reachability_floor;
      ++count;
    }
  }
  return {{"velocity_error_mean", count > 0 ? sum / count : kNaN}};
}

Json DropJson(const NextDrop& drop, const std::vector<std::string>& parameters) {
  Json json = {{"pitch_deg", drop.pitch_deg},
               {"roll_deg", drop.roll_deg},
               {"incidence_deg", drop.incidence_deg},
               {"speed", drop.speed},
               {"modes", drop.modes},
               {"information", drop.information}};
  json["interval_factors"] = Json::object();
  for (size_t i = 0; i < parameters.size(); ++i) {
    json["interval_factors"][parameters[i]] = drop.interval_factors[i];
  }
  return json;
}

Json NextDropJson(const NextDropAdvice& advice) {
  Json json = {{"usable", advice.usable}, {"reason", advice.reason}};
  if (!advice.usable) return json;
  json["d_optimal"] = DropJson(advice.d_optimal, advice.parameters);
  json["per_parameter"] = Json::object();
  for (size_t i = 0; i < advice.parameters.size(); ++i) {
    json["per_parameter"][advice.parameters[i]] =
        DropJson(advice.per_parameter[i], advice.parameters);
  }
  return json;
}

Json BudgetValuesJson(const BudgetValues& values) {
  Json json;
  for (int i = 0; i < kNumBudgetQuantities; ++i) {
    json[std::string(BudgetQuantityName(static_cast<BudgetQuantity>(i)))] = values[i];
  }
  return json;
}

Json BudgetRowJson(const ErrorBudgetRow& row) {
  return {{"source", row.source},
          {"size", row.size},
          {"unit", row.unit},
          {"sigma", BudgetValuesJson(row.sigma)},
          {"share", BudgetValuesJson(row.share)},
          {"counterpart", row.counterpart}};
}

Json BudgetJson(const ErrorBudget& budget) {
  Json json = {{"impacts", budget.num_impacts},
               {"value", BudgetValuesJson(budget.value)},
               {"sigma", BudgetValuesJson(budget.sigma)}};
  json["rows"] = json["thesis"] = Json::array();
  for (const ErrorBudgetRow& row : budget.rows) json["rows"].push_back(BudgetRowJson(row));
  for (const ErrorBudgetRow& row : budget.thesis) json["thesis"].push_back(BudgetRowJson(row));
  return json;
}

Json StudyJson(const RepeatabilityStudy& study) {
  const Precision& precision = study.precision;
  Json json = {{"law", study.law},
               {"parameter", study.parameter},
               {"column", study.column},
               {"left_out", study.left_out},
               {"mean", precision.mean},
               {"sigma_means", precision.sigma_means},
               {"repeatability", precision.repeatability},
               {"between", precision.between},
               {"reproducibility", precision.reproducibility},
               {"h_critical", precision.h_critical},
               {"groups", Json::array()}};
  for (const GroupPrecision& group : precision.groups) {
    json["groups"].push_back({{"name", group.name},
                              {"count", group.count},
                              {"mean", group.mean},
                              {"sigma", group.sigma},
                              {"h", group.h},
                              {"k", group.k},
                              {"k_critical", group.k_critical}});
  }
  return json;
}

Json FindingJson(const AuditFinding& finding) {
  return {{"check", finding.check},
          {"trial", finding.trial},
          {"ok", finding.ok},
          {"probability", finding.probability},
          {"text", finding.text}};
}

Json FindingsJson(const std::vector<AuditFinding>& findings) {
  Json json = Json::array();
  for (const AuditFinding& finding : findings) json.push_back(FindingJson(finding));
  return json;
}

}  // namespace

std::string FitReportJson(const FitReport& report, const Provenance& provenance) {
  Json json = JsonHead(kFitFormat, provenance);
  json["laws"] = Json::object();
  for (const LawFit& fit : report.laws) json["laws"][fit.law] = LawJson(fit);
  json["floor"] = FloorJson(report.laws);
  json["audit"] = FindingsJson(report.audit);
  for (const PixelFit& fit : report.pixels) json["pixels"][fit.law] = PixelsJson(fit);
  for (const NextDropAdvice& advice : report.next_drop) {
    json["next_drop"][advice.law] = NextDropJson(advice);
  }
  for (const RepeatabilityStudy& study : report.repeatability) {
    json["repeatability"].push_back(StudyJson(study));
  }
  if (report.error_budget) json["error_budget"] = BudgetJson(*report.error_budget);
  return JsonText(json, 1);
}

std::string AuditJson(const std::vector<AuditFinding>& findings, const Provenance& provenance) {
  Json json = JsonHead("percuss audit 1", provenance);
  json["audit"] = FindingsJson(findings);
  return JsonText(json, 1);
}

void WriteFit(const FitReport& report, const Provenance& provenance,
              const std::filesystem::path& file) {
  WriteFileAtomically(file, FitReportJson(report, provenance));
}

}  // namespace percuss::fitting
