// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/numbers.h"
#include "fitting/estimate/coefficient_fit.h"

namespace percuss::pipeline {
namespace {

std::vector<SpeedCoefficient> CoefficientsOf(const fitting::LawFit& fit) {
  std::vector<SpeedCoefficient> coefficients;
  for (const fitting::ParameterEstimate& one : fit.parameters) {
    if (one.status == fitting::ParameterStatus::kGiven) continue;
    coefficients.push_back({one.name, {one.value, one.sigma}});
  }
  return coefficients;
}

std::string Listed(const SpeedModel& model) {
  std::string text;
  for (const SpeedCoefficient& one : model.coefficients) {
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", one.name, FormatWithSigma(one.value));
  }
  return text;
}

}  // namespace

const SpeedModel* SpeedDependenceOfE::Find(const std::string& name) const {
  const auto found = std::ranges::find(models, name, &SpeedModel::name);
  return found == models.end() ? nullptr : &*found;
}

SpeedDependenceOfE FitSpeedModels(const impacts::ImpactTable& table, const solver::Body& body) {
  SpeedDependenceOfE speed;
  const auto count = std::ssize(table.impacts);
  if (count < kLeastBouncesForSpeed) {
    speed.reason = fmt::format("{} bounce{}, needed are {}", count, count == 1 ? "" : "s",
                               kLeastBouncesForSpeed);
    return speed;
  }
  const fitting::PreparedImpacts prepared = fitting::PrepareImpacts(table, body);
  for (const fitting::ParameterModel& model : fitting::ModelsOfMotion()) {
    if (model.variable != fitting::ModelVariable::kNormal) continue;
    fitting::FitOptions options;
    options.laws = {"newton"};
    options.models = {{"e", model}};
    options.given = {{"mu", {0.0, 0.0}}};
    options.cross_validate = options.static_friction = options.split_error = false;
    options.num_threads = 1;
    const fitting::LawFit fit = fitting::FitCoefficients(prepared, options).front();
    if (!fit.converged || !std::isfinite(fit.aicc)) continue;
    SpeedModel& one = speed.models.emplace_back();
    one.name = fitting::NameOf(model);
    one.aicc = fit.aicc;
    one.coefficients = CoefficientsOf(fit);
    for (std::size_t k = 0; k < fit.trials.size(); ++k)
      one.e.push_back(-fit.trials[k].v_predicted.z() / table.impacts[k].v.z());
  }
  if (speed.models.empty()) {
    speed.reason = "no model of e could be fitted";
    return speed;
  }
  std::ranges::stable_sort(speed.models, {}, &SpeedModel::aicc);
  const auto normal = [](const impacts::ImpactRecord& record) { return -record.v.z(); };
  speed.slowest = normal(std::ranges::min(table.impacts, {}, normal));
  speed.fastest = normal(std::ranges::max(table.impacts, {}, normal));
  return speed;
}

SpeedDependenceOfE FitSpeedModels(const ClipBounces& bounces, const BallBody& body) {
  if (!std::isfinite(bounces.radius.value))
    return {.reason = "speeds need a scale: --diameter, --length or --g", .models = {}};
  return FitSpeedModels(ImpactsOfBounces(std::span(&bounces, 1), true),
                        BodyOfBall(bounces.radius.value, body));
}

std::string SpeedLine(const SpeedDependenceOfE& speed) {
  if (!speed.reason.empty())
    return fmt::format("whether e changes with speed is not known: {}", speed.reason);
  const SpeedModel& best = speed.models.front();
  const std::string range =
      fmt::format("between {:.3g} and {:.3g} m/s", speed.slowest, speed.fastest);
  if (best.name == "constant") {
    const SpeedModel* line = speed.Find("linear-normal");
    return fmt::format("e does not show a change with speed {}: constant has the least AICc{}",
                       range, line == nullptr ? "" : "; a line has " + Listed(*line));
  }
  const SpeedModel* constant = speed.Find("constant");
  return fmt::format("e changes with speed {}: {} has the least AICc{}, {}", range, best.name,
                     constant == nullptr
                         ? ""
                         : fmt::format(" ({:.1f} below constant)", constant->aicc - best.aicc),
                     Listed(best));
}

}  // namespace percuss::pipeline
