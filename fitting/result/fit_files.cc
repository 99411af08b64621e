// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/result/fit_files.h"

#include <cmath>
#include <limits>

#include "base/text/json_schema.h"

namespace percuss::fitting {

// The layout of fit.json, docs/file-formats.md. A number that is not finite is null there.

void Describe(auto& file, MaybeConst<ParameterEstimate> auto& parameter) {
  file("value", parameter.value);
  file("sigma", parameter.sigma);
  file("ci95", parameter.ci95);
  file.If(std::isfinite(parameter.bootstrap95[0]), "bootstrap95", parameter.bootstrap95);
  file("status", parameter.status);
  file.Derived("weak", IsWeaklyIdentified(parameter));
  file("best", parameter.best);
  file.If(!parameter.reason.empty(), "reason", parameter.reason);
  if constexpr (std::remove_reference_t<decltype(file)>::kReads) {
    // Of a parameter that was fitted, an end without a number is an open one.
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    const bool fitted = !std::isnan(parameter.best);
    if (fitted && std::isnan(parameter.ci95[0])) parameter.ci95[0] = -kOpen;
    if (fitted && std::isnan(parameter.ci95[1])) parameter.ci95[1] = kOpen;
  }
}

void Describe(auto& file, MaybeConst<TrialComparison> auto& trial) {
  file("trial", trial.trial);
  file("used", trial.used);
  file("reason", trial.reason);
  file("modes", trial.modes);
  file.If(!trial.points.empty(), "points", trial.points);
  file("case", trial.sun_case);
  file.If(std::isfinite(trial.critical_friction), "critical_friction", trial.critical_friction);
  file("v_measured", trial.v_measured);
  file("v_sigma", trial.v_sigma);
  file("v_predicted", trial.v_predicted);
  file("v_predicted_sigma", trial.v_predicted_sigma);
  file("v_difference_sigma", trial.v_difference_sigma);
  file("w_measured", trial.w_measured);
  file("w_sigma", trial.w_sigma);
  file("w_predicted", trial.w_predicted);
  file("w_predicted_sigma", trial.w_predicted_sigma);
  file("w_difference_sigma", trial.w_difference_sigma);
  file("impulse_measured", trial.impulse_measured);
  file("impulse_predicted", trial.impulse_predicted);
  file("velocity_error", trial.velocity_error);
  file("best_of_law", trial.best_of_law);
  file("reachability_floor", trial.reachability_floor);
  file("energy_grows", trial.energy_grows);
  file("energy_before", trial.energy_before);
  file("energy_after_measured", trial.energy_after_measured);
  file("dissipation_measured", trial.dissipation_measured);
  file("dissipation_predicted", trial.dissipation_predicted);
  file("dissipation_difference", trial.dissipation_difference);
  file("normal_work", trial.normal_work);
  file("friction_work", trial.friction_work);
  file("energy_after_predicted", ByKey{trial.energy_after_predicted, kEnergyShareNames});
}

void Describe(auto& file, MaybeConst<ScatterEstimate> auto& estimate) {
  file("value", estimate.value);
  file("ci95", estimate.ci95);
  file("compatible_with_zero", estimate.compatible_with_zero);
  file("mean", estimate.mean);
  file("next95", estimate.next95);
}

void Describe(auto& file, MaybeConst<NextImpact> auto& impact) {
  file("as_trial", impact.as_trial);
  file("v_sigma", impact.v_sigma);
  file("w_sigma", impact.w_sigma);
}

void Describe(auto& file, MaybeConst<ScatterReport> auto& scatter) {
  file("parameters", ByName{scatter.parameters, &ScatterEstimate::parameter});
  file("noise_scale", scatter.noise_scale);
  file.Group("held_out_inside_95", [&](auto& held_out) {
    held_out("components", scatter.held_out_components);
    held_out("impacts", scatter.held_out_impacts);
  });
  file("next_impact", scatter.next_impacts);
}

// What every fit begins with.
void DescribeEstimates(auto& file, auto& fit) {
  file("converged", fit.converged);
  file("message", fit.message);
  file("parameters", ByName{fit.parameters, &ParameterEstimate::name});
  file("covariance", fit.covariance);
}

void Describe(auto& file, MaybeConst<PixelFit> auto& fit) {
  DescribeEstimates(file, fit);
  file("trials_used", fit.num_trials);
  file("misfit", fit.misfit);
  file("dof", fit.dof);
  file("interval_scale", fit.interval_scale);
  file("calibration_shift", fit.calibration_shift);
}

void Describe(auto& file, MaybeConst<Agreement> auto& agreement) {
  file("fitted", ByName{agreement.fitted, &ParameterEstimate::name});
  file("chi_square", agreement.chi_square);
  file("dof", agreement.dof);
  file("probability", agreement.probability);
}

void Describe(auto& file, MaybeConst<LawFit> auto& fit) {
  DescribeEstimates(file, fit);
  file.If(!fit.same_as.empty(), "same_as", fit.same_as);
  std::map<std::string, std::string> models;
  for (const auto& [name, model] : fit.models) models[name] = NameOf(model);
  file.If(!models.empty(), "models", models);
  if constexpr (std::remove_reference_t<decltype(file)>::kReads) {
    for (const auto& [name, model] : models) {
      try {
        fit.models[name] = FindParameterModel(model);
      } catch (const std::invalid_argument& unknown) {
        file.Require(false, "models", ParameterModelNames());
      }
    }
  }
  file("trials_used", fit.num_used);
  file("cost", fit.cost);
  file("dof", fit.dof);
  file("cost_probability", fit.cost_probability);
  file("interval_scale", fit.interval_scale);
  file("aicc", fit.aicc);
  file("velocity_error_mean", fit.velocity_error_mean);
  file("energy_error_rms", fit.energy_error_rms);
  file.Group("cross_validated", [&](auto& held_out) {
    held_out("velocity_error_mean", fit.cross_validated_velocity_error_mean);
    held_out("energy_error_rms", fit.cross_validated_energy_error_rms);
  });
  file.Group("error_split", [&](auto& split) {
    split("data", fit.error_split.data);
    split("law", fit.error_split.law);
    split("parameters", fit.error_split.parameters);
  });
  file("energy_gains", fit.num_energy_gains);
  file.If(fit.scatter.has_value(), "scatter", fit.scatter);
  file.If(fit.static_friction.has_value(), "static_friction", fit.static_friction);
  if constexpr (std::remove_reference_t<decltype(file)>::kReads) {
    if (fit.static_friction) fit.static_friction->name = "mu_s";
  }
  file.If(fit.agreement.has_value(), "agreement", fit.agreement);
  file("trials", fit.trials);
}

void Describe(auto& file, MaybeConst<AuditFinding> auto& finding) {
  file("check", finding.check);
  file("trial", finding.trial);
  file("ok", finding.ok);
  file("probability", finding.probability);
  file("text", finding.text);
}

void Describe(auto& file, MaybeConst<NextDrop> auto& drop) {
  file("pitch_deg", drop.pitch_deg);
  file("roll_deg", drop.roll_deg);
  file("incidence_deg", drop.incidence_deg);
  file("speed", drop.speed);
  file("modes", drop.modes);
  file("information", drop.information);
  file("interval_factors", drop.interval_factors);
}

void Describe(auto& file, MaybeConst<StaticFrictionDrop> auto& advice) {
  file("usable", advice.usable);
  file("reason", advice.reason);
  file("between", advice.between);
  file("open_above", advice.open_above);
  if (!advice.usable) return;
  file("critical_friction", advice.critical_friction);
  file("drop", advice.drop);
}

void Describe(auto& file, MaybeConst<NextDropAdvice> auto& advice) {
  file("usable", advice.usable);
  file("reason", advice.reason);
  file.If(advice.static_friction.has_value(), "static_friction", advice.static_friction);
  if (!advice.usable) return;
  file("d_optimal", advice.d_optimal);
  file("per_parameter", advice.per_parameter);
}

void Describe(auto& file, MaybeConst<PredictedQuantity> auto& predicted) {
  file("measured", predicted.measured);
  file("median", predicted.median);
  file("in95", predicted.in95);
  file.Derived("inside", IsInside(predicted));
}

void Describe(auto& file, MaybeConst<PredictedMotion> auto& motion) {
  file("draws", motion.num_draws);
  if (!(motion.num_draws > 0.0)) return;
  file("velocity", ByKey{motion.velocity, kVelocityNames});
  file("dissipation", motion.dissipation);
}

void Describe(auto& file, MaybeConst<PosePrediction> auto& trial) {
  file("trial", trial.trial);
  file("reason", trial.reason);
  if (!trial.reason.empty()) return;
  file("approaching", trial.approaching);
  file("prediction", trial.prediction);
  file("given_impulse", trial.given_impulse);
  file("dissipation_reported", trial.dissipation_reported);
  file("modes", trial.modes);
}

void Describe(auto& file, MaybeConst<LawPosePredictions> auto& law) {
  file("reason", law.reason);
  file("trials", law.trials);
}

void Describe(auto& file, MaybeConst<ErrorBudgetRow> auto& row) {
  file("source", row.source);
  file("size", row.size);
  file("unit", row.unit);
  file("sigma", ByKey{row.sigma, kBudgetQuantityNames});
  file("share", ByKey{row.share, kBudgetQuantityNames});
  file("counterpart", row.counterpart);
}

void Describe(auto& file, MaybeConst<ErrorBudget> auto& budget) {
  file("impacts", budget.num_impacts);
  file("value", ByKey{budget.value, kBudgetQuantityNames});
  file("sigma", ByKey{budget.sigma, kBudgetQuantityNames});
  file("thesis", budget.thesis);
  file("rows", budget.rows);
}

void Describe(auto& file, MaybeConst<GroupPrecision> auto& group) {
  file("name", group.name);
  file("count", group.count);
  file("mean", group.mean);
  file("sigma", group.sigma);
  file("h", group.h);
  file("k", group.k);
  file("k_critical", group.k_critical);
}

void Describe(auto& file, MaybeConst<RepeatabilityStudy> auto& study) {
  file("law", study.law);
  file("parameter", study.parameter);
  file("column", study.column);
  file("left_out", study.left_out);
  file("mean", study.precision.mean);
  file("sigma_means", study.precision.sigma_means);
  file("repeatability", study.precision.repeatability);
  file("between", study.precision.between);
  file("reproducibility", study.precision.reproducibility);
  file("h_critical", study.precision.h_critical);
  file("groups", study.precision.groups);
}

void Describe(auto& file, MaybeConst<ContactNumbers> auto& numbers) {
  file("trial", numbers.trial);
  file("approach", numbers.approach);
  file("slip", numbers.slip);
  file("incidence_deg", numbers.incidence_deg);
  file("e_n", numbers.e_n);
  file("e_t", numbers.e_t);
  file("eta", numbers.eta);
  file("impulse_ratio", numbers.impulse_ratio);
  file.If(numbers.points > 1, "points", numbers.points);
}

namespace {

struct Floor {
  double velocity_error_mean = kNaN;
};
void Describe(auto& file, MaybeConst<Floor> auto& floor) {
  file("velocity_error_mean", floor.velocity_error_mean);
}

// The floor is a property of the data: the same for every law.
Floor FloorOf(const std::vector<LawFit>& laws) {
  double sum = 0.0;
  int count = 0;
  if (!laws.empty()) {
    for (const TrialComparison& trial : laws.front().trials) {
      if (!trial.used) continue;
      sum += trial.reachability_floor;
      ++count;
    }
  }
  return {count > 0 ? sum / count : kNaN};
}

void DescribeReport(auto& file, MaybeConst<FitReport> auto& report) {
  file("laws", ByName{report.laws, &LawFit::law});
  file.If(report.num_laws_left > 0, "laws_left", report.num_laws_left);
  file.Derived("floor", FloorOf(report.laws));
  file("audit", report.audit);
  file.If(!report.impacts.empty(), "impacts", report.impacts);
  file.If(!report.pixels.empty(), "pixels", ByName{report.pixels, &PixelFit::law});
  file.If(!report.next_drop.empty(), "next_drop", ByName{report.next_drop, &NextDropAdvice::law});
  file.If(!report.over_poses.empty(), "over_poses",
          ByName{report.over_poses, &LawPosePredictions::law});
  file.If(!report.repeatability.empty(), "repeatability", report.repeatability);
  file.If(report.error_budget.has_value(), "error_budget", report.error_budget);
}

}  // namespace

FitReport OfLaw(FitReport report, const std::string& law) {
  const auto of_other = [&](const auto& one) { return one.law != law; };
  std::erase_if(report.laws, of_other);
  std::erase_if(report.pixels, of_other);
  std::erase_if(report.next_drop, of_other);
  std::erase_if(report.over_poses, of_other);
  std::erase_if(report.repeatability, of_other);
  return report;
}

std::string FitReportJson(const FitReport& report, const Provenance& provenance) {
  return JsonDocument(JsonHead(kFitFormat, provenance), 1,
                      [&](JsonWriter& file) { DescribeReport(file, report); });
}

std::string AuditJson(const std::vector<AuditFinding>& findings,
                      const std::vector<ContactNumbers>& impacts, const Provenance& provenance) {
  return JsonDocument(JsonHead("percuss audit 1", provenance), 1, [&](JsonWriter& file) {
    file("audit", findings);
    file("impacts", impacts);
  });
}

void WriteFit(const FitReport& report, const Provenance& provenance,
              const std::filesystem::path& file) {
  WriteJsonFile(file, JsonHead(kFitFormat, provenance), 1,
                [&](JsonWriter& writer) { DescribeReport(writer, report); });
}

FitReport ReadFit(const std::filesystem::path& file) {
  // Lists with entries for thousands of trials are most of the file. In the document that is left
  // they would also take the square of that in time.
  std::map<std::string, std::vector<TrialComparison>> trials;
  std::vector<AuditFinding> audit;
  std::vector<ContactNumbers> impacts;
  const JsonField root =
      ReadFileInParts(file, kFitFormat, {{"laws", "*", "trials"}, {"audit"}, {"impacts"}},
                      [&](const ListPath& keys, const JsonField& element) {
                        if (keys[0] == "audit") {
                          JsonReader::Read(element, audit.emplace_back());
                        } else if (keys[0] == "impacts") {
                          JsonReader::Read(element, impacts.emplace_back());
                        } else {
                          JsonReader::Read(element, trials[keys[1]].emplace_back());
                        }
                      });
  JsonReader reader(root);
  FitReport report;
  DescribeReport(reader, report);
  for (LawFit& fit : report.laws) fit.trials = std::move(trials[fit.law]);
  report.audit = std::move(audit);
  report.impacts = std::move(impacts);
  return report;
}

}  // namespace percuss::fitting
