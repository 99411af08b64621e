// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/fit_files.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "capture/error.h"
#include "fitting/scatter.h"

namespace percuss::fitting {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "percuss fit 1";

// ---------------------------------------------------------------------------------------- writing

// JSON has no number for what is not finite: null.
Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json VectorJson(const Eigen::Vector3d& vector) {
  return Json::array({NumberJson(vector.x()), NumberJson(vector.y()), NumberJson(vector.z())});
}

Json MeasuredJson(const ValueWithSigma& value) {
  return {{"value", NumberJson(value.value)}, {"sigma", NumberJson(value.sigma)}};
}

Json IntervalJson(const std::array<double, 2>& interval) {
  return Json::array({NumberJson(interval[0]), NumberJson(interval[1])});
}

Json ParameterJson(const ParameterEstimate& parameter) {
  Json json;
  json["value"] = NumberJson(parameter.value);
  json["sigma"] = NumberJson(parameter.sigma);
  json["ci95"] = IntervalJson(parameter.ci95);
  if (std::isfinite(parameter.bootstrap95[0])) {
    json["bootstrap95"] = IntervalJson(parameter.bootstrap95);
  }
  json["status"] = StatusName(parameter.status);
  json["best"] = NumberJson(parameter.best);
  return json;
}

Json TrialJson(const TrialComparison& trial) {
  Json json;
  json["trial"] = trial.trial;
  json["used"] = trial.used;
  json["reason"] = trial.reason;
  json["modes"] = trial.modes;
  json["case"] = trial.sun_case;
  json["v_measured"] = VectorJson(trial.v_measured);
  json["v_sigma"] = VectorJson(trial.v_sigma);
  json["v_predicted"] = VectorJson(trial.v_predicted);
  json["w_measured"] = VectorJson(trial.w_measured);
  json["w_sigma"] = VectorJson(trial.w_sigma);
  json["w_predicted"] = VectorJson(trial.w_predicted);
  json["impulse_measured"] = VectorJson(trial.impulse_measured);
  json["impulse_predicted"] = VectorJson(trial.impulse_predicted);
  json["velocity_error"] = NumberJson(trial.velocity_error);
  json["reachability_floor"] = NumberJson(trial.reachability_floor);
  json["energy_before"] = NumberJson(trial.energy_before);
  json["dissipation_measured"] = MeasuredJson(trial.dissipation_measured);
  json["dissipation_predicted"] = MeasuredJson(trial.dissipation_predicted);
  json["normal_work"] = NumberJson(trial.normal_work);
  json["friction_work"] = NumberJson(trial.friction_work);
  return json;
}

Json ScatterJson(const ScatterReport& scatter) {
  Json json;
  json["parameters"] = Json::object();
  for (const ScatterEstimate& one : scatter.parameters) {
    json["parameters"][one.parameter] = {{"value", NumberJson(one.value)},
                                         {"ci95", IntervalJson(one.ci95)},
                                         {"compatible_with_zero", one.compatible_with_zero},
                                         {"mean", NumberJson(one.mean)},
                                         {"next95", IntervalJson(one.next95)}};
  }
  json["noise_scale"] = NumberJson(scatter.noise_scale);
  json["held_out_inside_95"] = {{"components", NumberJson(scatter.held_out_components)},
                                {"impacts", NumberJson(scatter.held_out_impacts)}};
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
      values.push_back(NumberJson(covariance(row, column)));
    }
    json["covariance"].push_back(values);
  }
  return json;
}

Json PixelsJson(const PixelFit& fit) {
  Json json = EstimatesJson(fit.converged, fit.message, fit.parameters, fit.covariance);
  json["trials_used"] = fit.num_trials;
  json["misfit"] = NumberJson(fit.misfit);
  json["dof"] = fit.dof;
  json["interval_scale"] = NumberJson(fit.interval_scale);
  json["calibration_shift"] = NumberJson(fit.calibration_shift);
  return json;
}

Json LawJson(const LawFit& fit) {
  Json json = EstimatesJson(fit.converged, fit.message, fit.parameters, fit.covariance);
  for (const auto& [name, model] : fit.models) json["models"][name] = ParameterModelName(model);
  json["trials_used"] = fit.num_used;
  json["cost"] = NumberJson(fit.cost);
  json["dof"] = fit.dof;
  json["cost_probability"] = NumberJson(fit.cost_probability);
  json["interval_scale"] = NumberJson(fit.interval_scale);
  json["aicc"] = NumberJson(fit.aicc);
  json["velocity_error_mean"] = NumberJson(fit.velocity_error_mean);
  json["energy_error_rms"] = NumberJson(fit.energy_error_rms);
  json["cross_validated"] = {
      {"velocity_error_mean", NumberJson(fit.cross_validated_velocity_error_mean)},
      {"energy_error_rms", NumberJson(fit.cross_validated_energy_error_rms)}};
  if (fit.scatter) json["scatter"] = ScatterJson(*fit.scatter);
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
  return {{"velocity_error_mean", count > 0 ? NumberJson(sum / count) : Json(nullptr)}};
}

Json FindingJson(const AuditFinding& finding) {
  return {{"check", finding.check},
          {"trial", finding.trial},
          {"ok", finding.ok},
          {"probability", NumberJson(finding.probability)},
          {"text", finding.text}};
}

Json FindingsJson(const std::vector<AuditFinding>& findings) {
  Json json = Json::array();
  for (const AuditFinding& finding : findings) json.push_back(FindingJson(finding));
  return json;
}

Json HeadJson(const char* format, const capture::Provenance& provenance) {
  Json json;
  json["format"] = format;
  json["program"] = "percuss " + capture::ProgramVersion();
  json["command"] = provenance.command;
  json["inputs"] = Json::array();
  for (const auto& [file, hash] : provenance.input_hashes) {
    json["inputs"].push_back({{"file", file}, {"sha256", hash}});
  }
  return json;
}

// ---------------------------------------------------------------------------------------- reading

// A place in the file, for messages: FILE: laws.stronge.parameters.mu.
class Reader {
 public:
  Reader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  bool Has(const char* field) const { return json_.is_object() && json_.contains(field); }
  Reader operator[](const char* field) const {
    if (!json_.is_object() || !json_.contains(field)) {
      throw InputError(fmt::format("{}: {} is missing", place_, field));
    }
    return {json_.at(field), place_ + " " + field};
  }
  std::vector<Reader> Elements() const {
    if (!json_.is_array()) Complain("a list");
    std::vector<Reader> elements;
    for (size_t i = 0; i < json_.size(); ++i) {
      elements.emplace_back(json_.at(i), fmt::format("{}[{}]", place_, i));
    }
    return elements;
  }
  std::vector<std::pair<std::string, Reader>> Members() const {
    if (!json_.is_object()) Complain("an object");
    std::vector<std::pair<std::string, Reader>> members;
    for (const auto& [key, value] : json_.items()) {
      members.emplace_back(key, Reader(value, place_ + " " + key));
    }
    return members;
  }
  double Number(double for_null = kNaN) const {
    if (json_.is_null()) return for_null;
    if (!json_.is_number()) Complain("a number or null");
    return json_.get<double>();
  }
  int Integer() const {
    if (!json_.is_number_integer()) Complain("a whole number");
    return json_.get<int>();
  }
  bool Boolean() const {
    if (!json_.is_boolean()) Complain("true or false");
    return json_.get<bool>();
  }
  std::string Text() const {
    if (!json_.is_string()) Complain("a text");
    return json_.get<std::string>();
  }
  Eigen::Vector3d Vector() const {
    const std::vector<Reader> elements = Elements();
    if (elements.size() != 3) Complain("a list of 3 numbers");
    return {elements[0].Number(), elements[1].Number(), elements[2].Number()};
  }
  std::array<double, 2> Interval() const {
    const std::vector<Reader> ends = Elements();
    if (ends.size() != 2) Complain("a list of 2 numbers");
    return {ends[0].Number(), ends[1].Number()};
  }
  ValueWithSigma Measured() const { return {(*this)["value"].Number(), (*this)["sigma"].Number()}; }
  [[noreturn]] void Complain(const std::string& allowed) const {
    std::string found = json_.dump();
    if (found.size() > 60) found = found.substr(0, 60) + "...";
    throw InputError(fmt::format("{}: found {}, allowed {}", place_, found, allowed));
  }

 private:
  const Json& json_;
  std::string place_;
};

ParameterStatus ReadStatus(const Reader& reader) {
  const std::string name = reader.Text();
  for (const ParameterStatus status :
       {ParameterStatus::kIdentified, ParameterStatus::kLowerBound, ParameterStatus::kUpperBound,
        ParameterStatus::kUnidentified}) {
    if (name == StatusName(status)) return status;
  }
  reader.Complain("identified, lower_bound, upper_bound or unidentified");
}

ParameterEstimate ReadParameter(const std::string& name, const Reader& reader) {
  ParameterEstimate parameter{.name = name};
  parameter.value = reader["value"].Number();
  parameter.sigma = reader["sigma"].Number();
  parameter.status = ReadStatus(reader["status"]);
  parameter.best = reader["best"].Number();
  const std::vector<Reader> ends = reader["ci95"].Elements();
  if (ends.size() != 2) reader["ci95"].Complain("a list of 2 numbers");
  // Of a parameter that was fitted, an end without a number is an open one.
  const double open = std::isnan(parameter.best) ? kNaN : std::numeric_limits<double>::infinity();
  parameter.ci95 = {ends[0].Number(-open), ends[1].Number(open)};
  if (reader.Has("bootstrap95")) parameter.bootstrap95 = reader["bootstrap95"].Interval();
  return parameter;
}

ScatterReport ReadScatter(const Reader& reader) {
  ScatterReport scatter;
  for (const auto& [name, value] : reader["parameters"].Members()) {
    scatter.parameters.push_back({.parameter = name,
                                  .value = value["value"].Number(),
                                  .ci95 = value["ci95"].Interval(),
                                  .compatible_with_zero = value["compatible_with_zero"].Boolean(),
                                  .mean = value["mean"].Number(),
                                  .next95 = value["next95"].Interval()});
  }
  scatter.noise_scale = reader["noise_scale"].Number();
  scatter.held_out_components = reader["held_out_inside_95"]["components"].Number();
  scatter.held_out_impacts = reader["held_out_inside_95"]["impacts"].Number();
  return scatter;
}

TrialComparison ReadTrial(const Reader& reader) {
  TrialComparison trial;
  trial.trial = reader["trial"].Text();
  trial.used = reader["used"].Boolean();
  trial.reason = reader["reason"].Text();
  for (const Reader& mode : reader["modes"].Elements()) trial.modes.push_back(mode.Text());
  trial.sun_case = reader["case"].Text();
  trial.v_measured = reader["v_measured"].Vector();
  trial.v_sigma = reader["v_sigma"].Vector();
  trial.v_predicted = reader["v_predicted"].Vector();
  trial.w_measured = reader["w_measured"].Vector();
  trial.w_sigma = reader["w_sigma"].Vector();
  trial.w_predicted = reader["w_predicted"].Vector();
  trial.impulse_measured = reader["impulse_measured"].Vector();
  trial.impulse_predicted = reader["impulse_predicted"].Vector();
  trial.velocity_error = reader["velocity_error"].Number();
  trial.reachability_floor = reader["reachability_floor"].Number();
  trial.energy_before = reader["energy_before"].Number();
  trial.dissipation_measured = reader["dissipation_measured"].Measured();
  trial.dissipation_predicted = reader["dissipation_predicted"].Measured();
  trial.normal_work = reader["normal_work"].Number();
  trial.friction_work = reader["friction_work"].Number();
  return trial;
}

// What every fit begins with.
template <class Fit>
Fit ReadEstimates(const std::string& name, const Reader& reader) {
  Fit fit;
  fit.law = name;
  fit.converged = reader["converged"].Boolean();
  fit.message = reader["message"].Text();
  for (const auto& [parameter, value] : reader["parameters"].Members()) {
    fit.parameters.push_back(ReadParameter(parameter, value));
  }
  const std::vector<Reader> rows = reader["covariance"].Elements();
  const auto size = static_cast<Eigen::Index>(rows.size());
  fit.covariance.resize(size, size);
  for (Eigen::Index row = 0; row < size; ++row) {
    const std::vector<Reader> values = rows[static_cast<size_t>(row)].Elements();
    if (values.size() != rows.size()) reader["covariance"].Complain("as many columns as rows");
    for (Eigen::Index column = 0; column < size; ++column) {
      fit.covariance(row, column) = values[static_cast<size_t>(column)].Number();
    }
  }
  return fit;
}

PixelFit ReadPixels(const std::string& name, const Reader& reader) {
  PixelFit fit = ReadEstimates<PixelFit>(name, reader);
  fit.num_trials = reader["trials_used"].Integer();
  fit.misfit = reader["misfit"].Number();
  fit.dof = reader["dof"].Integer();
  fit.interval_scale = reader["interval_scale"].Number();
  fit.calibration_shift = reader["calibration_shift"].Number();
  return fit;
}

LawFit ReadLaw(const std::string& name, const Reader& reader) {
  LawFit fit = ReadEstimates<LawFit>(name, reader);
  if (reader.Has("models")) {
    for (const auto& [parameter, model] : reader["models"].Members()) {
      try {
        fit.models[parameter] = FindParameterModel(model.Text());
      } catch (const std::invalid_argument&) {
        model.Complain(ParameterModelNames());
      }
    }
  }
  if (reader.Has("scatter")) {
    fit.scatter = std::make_shared<const ScatterReport>(ReadScatter(reader["scatter"]));
  }
  fit.num_used = reader["trials_used"].Integer();
  fit.cost = reader["cost"].Number();
  fit.dof = reader["dof"].Integer();
  fit.cost_probability = reader["cost_probability"].Number();
  fit.interval_scale = reader["interval_scale"].Number();
  fit.aicc = reader["aicc"].Number();
  fit.velocity_error_mean = reader["velocity_error_mean"].Number();
  fit.energy_error_rms = reader["energy_error_rms"].Number();
  const Reader left_out = reader["cross_validated"];
  fit.cross_validated_velocity_error_mean = left_out["velocity_error_mean"].Number();
  fit.cross_validated_energy_error_rms = left_out["energy_error_rms"].Number();
  for (const Reader& trial : reader["trials"].Elements()) fit.trials.push_back(ReadTrial(trial));
  return fit;
}

}  // namespace

std::string FitReportJson(const FitReport& report, const capture::Provenance& provenance) {
  Json json = HeadJson(kFormat, provenance);
  json["laws"] = Json::object();
  for (const LawFit& fit : report.laws) json["laws"][fit.law] = LawJson(fit);
  json["floor"] = FloorJson(report.laws);
  json["audit"] = FindingsJson(report.audit);
  for (const PixelFit& fit : report.pixels) json["pixels"][fit.law] = PixelsJson(fit);
  return json.dump(1) + "\n";
}

std::string AuditJson(const std::vector<AuditFinding>& findings,
                      const capture::Provenance& provenance) {
  Json json = HeadJson("percuss audit 1", provenance);
  json["audit"] = FindingsJson(findings);
  return json.dump(1) + "\n";
}

void WriteFit(const FitReport& report, const capture::Provenance& provenance,
              const std::filesystem::path& file) {
  capture::WriteFileAtomically(file, FitReportJson(report, provenance));
}

FitReport ReadFit(const std::filesystem::path& file) {
  Json json;
  try {
    json = Json::parse(capture::ReadFile(file));
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format(
        "{}: found broken JSON at byte {}, allowed a file written by percuss fit or run",
        file.string(), error.byte));
  }
  const Reader root(json, file.string() + ":");
  if (root["format"].Text() != kFormat) root["format"].Complain(kFormat);
  FitReport report;
  for (const auto& [name, law] : root["laws"].Members()) report.laws.push_back(ReadLaw(name, law));
  for (const Reader& finding : root["audit"].Elements()) {
    report.audit.push_back({.check = finding["check"].Text(),
                            .trial = finding["trial"].Text(),
                            .ok = finding["ok"].Boolean(),
                            .probability = finding["probability"].Number(),
                            .text = finding["text"].Text()});
  }
  if (json.contains("pixels")) {
    for (const auto& [name, fit] : root["pixels"].Members()) {
      report.pixels.push_back(ReadPixels(name, fit));
    }
  }
  return report;
}

}  // namespace percuss::fitting
