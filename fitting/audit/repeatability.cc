// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/repeatability.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/math/statistics.h"
#include "fitting/estimate/coefficient_fit.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

constexpr double kVarianceSignificance = 0.005;  // ASTM E691

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Standard deviation of a sample; NaN for fewer than two values.
double SigmaOf(const std::vector<double>& values) {
  const double mean = MeanOf(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return values.size() < 2 ? kNaN : std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double CriticalH(int num_groups) {
  if (num_groups < 3) return kNaN;  // two means are always at the same distance from their mean
  const double p = num_groups;
  const double t = StudentTwoSidedQuantile(1.0 - kVarianceSignificance, num_groups - 2);
  return (p - 1.0) * t / std::sqrt(p * (t * t + p - 2.0));
}

double CriticalK(int dof, int all_dof) {
  const int others = all_dof - dof;
  if (dof < 1 || others < 1) return kNaN;
  const double f = FisherQuantile(1.0 - kVarianceSignificance, dof, others);
  return std::sqrt(all_dof / (dof + others / f));
}

/// Variance between groups beyond what the repeatability alone makes of their means.
double BetweenVariance(const std::vector<GroupPrecision>& groups, double repeatability) {
  double count = 0.0, squares = 0.0, sum = 0.0;
  for (const GroupPrecision& group : groups) {
    count += group.count;
    squares += static_cast<double>(group.count) * group.count;
    sum += group.count * group.mean;
  }
  const double mean = sum / count, dof = static_cast<double>(groups.size()) - 1.0;
  double spread = 0.0;
  for (const GroupPrecision& group : groups)
    spread += group.count * (group.mean - mean) * (group.mean - mean);
  const double size = (count - squares / count) / dof;
  return std::max(0.0, (spread / dof - repeatability * repeatability) / size);
}

/// The group of each impact in a column, with the parameters that the impact identifies.
struct ImpactResult {
  std::map<std::string, double> parameters;
  const std::map<std::string, std::string>* extra = nullptr;
};

ImpactResult FitOneImpact(const Impact& impact, const solver::Body& body, const std::string& law) {
  ImpactResult result{.parameters = {}, .extra = &impact.record.extra};
  const LawFit fit =
      FitCoefficients(PreparedImpacts{.body = body, .impacts = {impact}}, {.laws = {law},
                                                                           .cross_validate = false,
                                                                           .static_friction = false,
                                                                           .split_error = false,
                                                                           .num_threads = 1})
          .front();
  for (const ParameterEstimate& parameter : fit.parameters) {
    if (parameter.status == ParameterStatus::kIdentified)
      result.parameters[parameter.name] = parameter.value;
  }
  return result;
}

}  // namespace

Precision CalcPrecision(const std::vector<ResultGroup>& groups) {
  Precision precision;
  std::vector<double> means;
  int all_dof = 0;
  double within = 0.0;
  for (const ResultGroup& group : groups) {
    if (group.values.empty()) continue;
    GroupPrecision& one = precision.groups.emplace_back();
    one.name = group.name;
    one.count = static_cast<int>(group.values.size());
    one.mean = MeanOf(group.values);
    one.sigma = SigmaOf(group.values);
    means.push_back(one.mean);
    all_dof += one.count - 1;
    if (one.count > 1) within += (one.count - 1) * one.sigma * one.sigma;
  }
  if (means.empty()) return precision;
  precision.mean = MeanOf(means);
  precision.sigma_means = SigmaOf(means);
  precision.h_critical = CriticalH(static_cast<int>(means.size()));
  if (all_dof > 0) precision.repeatability = std::sqrt(within / all_dof);
  if (all_dof > 0 && means.size() > 1) {
    const double between = BetweenVariance(precision.groups, precision.repeatability);
    precision.between = std::sqrt(between);
    precision.reproducibility = std::hypot(precision.between, precision.repeatability);
  }
  for (GroupPrecision& group : precision.groups) {
    group.h = (group.mean - precision.mean) / precision.sigma_means;
    group.k = group.sigma / precision.repeatability;
    group.k_critical = CriticalK(group.count - 1, all_dof);
  }
  return precision;
}

std::vector<RepeatabilityStudy> StudyRepeatability(const PreparedImpacts& data,
                                                   const std::string& law,
                                                   const std::vector<std::string>& columns) {
  std::vector<RepeatabilityStudy> studies;
  if (columns.empty()) return studies;
  std::vector<ImpactResult> results;
  for (const Impact& impact : data.impacts) results.push_back(FitOneImpact(impact, data.body, law));
  for (const std::string& column : columns) {
    for (const solver::ParameterInfo& parameter : solver::FindLaw(law).parameters) {
      RepeatabilityStudy study{
          .law = law, .parameter = std::string(parameter.name), .column = column, .precision = {}};
      std::map<std::string, std::vector<double>> values;
      for (const ImpactResult& result : results) {
        const auto group = result.extra->find(column);
        const auto value = result.parameters.find(study.parameter);
        if (group == result.extra->end() || group->second.empty() ||
            value == result.parameters.end()) {
          ++study.left_out;
        } else {
          values[group->second].push_back(value->second);
        }
      }
      std::vector<ResultGroup> groups;
      for (auto& [name, of_group] : values) groups.push_back({name, std::move(of_group)});
      study.precision = CalcPrecision(groups);
      if (std::isfinite(study.precision.reproducibility)) studies.push_back(std::move(study));
    }
  }
  return studies;
}

}  // namespace percuss::fitting
