// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/fit_choices.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/text/json_field.h"
#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::pipeline {
namespace {

std::vector<std::string> AskedLaws(const std::vector<std::string>& names) {
  if (std::ranges::find(names, "all") == names.end()) return names;
  std::vector<std::string> all;
  for (const solver::LawInfo& law : solver::Laws()) all.emplace_back(law.name);
  return all;
}

// "e=linear-tangential" and the like.
fitting::ParameterModels AskedModels(const std::vector<std::string>& texts) {
  fitting::ParameterModels models;
  for (const std::string& text : texts) {
    const size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw std::invalid_argument(
          fmt::format("--model: found {}, allowed PARAMETER=MODEL with a model of {}", text,
                      fitting::ParameterModelNames()));
    }
    models[text.substr(0, sign)] = fitting::FindParameterModel(text.substr(sign + 1));
  }
  return models;
}

// The coefficients that a file of percuss measure holds. What slides at an impact is mu.
fitting::GivenParameters MeasuredCoefficients(const std::string& file) {
  const std::vector<JsonField> results = JsonField::ReadFile(file).At("results").Elements();
  std::set<std::string> names;
  for (const JsonField& result : results) names.insert(result.TextOr("coefficient", ""));
  if (names.empty() || names.size() != results.size()) {
    throw InputError(
        fmt::format("{}: results: found {} groups, allowed one; --fix "
                    "PARAMETER=VALUE±SIGMA takes one of several",
                    file, results.size()));
  }
  fitting::GivenParameters given;
  for (const JsonField& result : results) {
    const std::string name = result.At("coefficient").Text();
    given[name == "mu_k" ? "mu" : name] = {
        result.At("value").FiniteNumber(),
        result.At("sigma").Number("a number: measure more than once, or "
                                  "state how well a reading is known")};
  }
  return given;
}

// "mu=0.24±0.01", or the name of a file; these come before what the experiment file states.
fitting::GivenParameters AskedGiven(const std::vector<std::string>& texts,
                                    fitting::GivenParameters given) {
  for (const std::string& text : texts) {
    if (text.ends_with(".json")) {
      for (const auto& [name, value] : MeasuredCoefficients(text)) given[name] = value;
      continue;
    }
    const size_t sign = text.find('=');
    const auto value = ParseValueWithSigma(
        std::string_view(text).substr(sign == std::string::npos ? 0 : sign + 1));
    if (sign == std::string::npos || sign == 0 || !value) {
      throw std::invalid_argument(fmt::format(
          "--fix: found {}, allowed PARAMETER=VALUE±SIGMA, such as mu=0.24±0.01, or a file of "
          "percuss measure --json",
          text));
    }
    given[text.substr(0, sign)] = *value;
  }
  return given;
}

// "surface" or "surface:mu,e".
fitting::Grouping AskedGrouping(const std::string& text) {
  const size_t sign = text.find(':');
  fitting::Grouping grouping{.column = text.substr(0, sign)};
  for (size_t at = sign; at != std::string::npos;) {
    const size_t next = text.find(',', at + 1);
    grouping.parameters.push_back(text.substr(at + 1, next - at - 1));
    at = next;
  }
  return grouping;
}

std::vector<fitting::FlightGravity> FlightsOf(
    const std::vector<tracking::TrialSummary>& summaries) {
  std::vector<fitting::FlightGravity> flights;
  for (const tracking::TrialSummary& summary : summaries) {
    for (const auto& arc : summary.measured_gravity)
      flights.push_back({summary.trial, arc.arc, summary.gravity, arc.measured, arc.covariance});
  }
  return flights;
}

std::vector<std::string> GroupColumns(const capture::Experiment& experiment) {
  std::set<std::string> columns;
  for (const capture::Trial& trial : experiment.trials) {
    for (const auto& [column, group] : trial.group) columns.insert(column);
  }
  return {columns.begin(), columns.end()};
}

}  // namespace

fitting::FitOptions FitOptionsOf(const FitChoices& choices, const capture::Coefficients& stated,
                                 int num_threads) {
  return fitting::ValidatedFitOptions({.laws = AskedLaws(choices.laws),
                                       .models = AskedModels(choices.models),
                                       .grouping = AskedGrouping(choices.group),
                                       .given = AskedGiven(choices.fix, stated),
                                       .robust = choices.robust,
                                       .scatter = choices.scatter,
                                       .num_bootstraps = choices.bootstrap,
                                       .num_threads = num_threads});
}

std::string CommandLineOf(const FitChoices& choices) {
  std::string line;
  if (choices.laws != FitChoices().laws) {
    for (const std::string& law : choices.laws) line += " --law " + law;
  }
  for (const std::string& model : choices.models) line += " --model " + model;
  if (!choices.group.empty()) line += " --group " + choices.group;
  for (const std::string& fix : choices.fix) line += " --fix " + fix;
  if (choices.scatter) line += " --scatter";
  if (choices.robust) line += " --robust";
  if (choices.bootstrap > 0) line += fmt::format(" --bootstrap {}", choices.bootstrap);
  return line;
}

fitting::BodyTolerances TolerancesOf(const capture::BodySigmas& sigma) {
  const auto stated = [&](const char* key) {
    return std::ranges::find(sigma.stated, key) != sigma.stated.end();
  };
  return {.mass = sigma.mass,
          .dimension = sigma.length,
          .tilt = sigma.tilt,
          .mass_stated = stated("mass"),
          .dimension_stated = stated("length"),
          .tilt_stated = stated("tilt_deg")};
}

fitting::FitReportOptions ReportOptionsOf(const FitChoices& choices, int num_threads,
                                          const capture::Experiment& experiment,
                                          const std::vector<tracking::TrialSummary>& trials) {
  return {.fit = FitOptionsOf(choices, experiment.coefficients, num_threads),
          .default_laws = choices.laws == FitChoices().laws,
          .flights = FlightsOf(trials),
          .tolerances = TolerancesOf(experiment.body.sigma),
          .group_columns = GroupColumns(experiment),
          .next_drop = true};
}

}  // namespace percuss::pipeline
