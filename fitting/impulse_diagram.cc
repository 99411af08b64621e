// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/impulse_diagram.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "fitting/estimate/comparison.h"
#include "solver/impulse_path.h"
#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

// The parameters of the law, if they are the same for all trials.
std::optional<std::vector<double>> SharedParameters(const LawFit& fit) {
  std::vector<double> values;
  for (const solver::ParameterInfo& info : solver::FindLaw(fit.law).parameters) {
    const auto found = std::find_if(fit.parameters.begin(), fit.parameters.end(),
                                    [&](const auto& one) { return one.name == info.name; });
    if (found == fit.parameters.end() || !std::isfinite(found->best)) return {};
    values.push_back(found->best);
  }
  if (!fit.models.empty()) return {};
  for (const solver::ParameterInfo& info : solver::FindLaw(fit.law).optional_parameters) {
    const auto found = std::ranges::find(fit.parameters, info.name, &ParameterEstimate::name);
    if (found == fit.parameters.end()) break;
    values.push_back(found->best);
  }
  return values;
}

void FillModel(const ImpactGeometry& geometry, const LawFit& fit, ImpulseDiagram* diagram) {
  const auto parameters = SharedParameters(fit);
  if (!parameters) return;
  diagram->friction = solver::ParameterNamed(solver::FindLaw(fit.law), "mu", *parameters);
  const solver::ImpulsePath path = solver::FollowImpulse(fit.law, geometry.contact, *parameters);
  for (const Eigen::Vector3d& point : path.points) diagram->path.push_back(geometry.frame * point);
  diagram->compression_end = geometry.frame * path.compression_end;
}

ImpulseDiagram MakeDiagram(const Impact& impact, const LawFit& fit,
                           const TrialComparison& comparison) {
  const impacts::ImpactRecord& record = impact.record;
  const ImpactErrors& errors = impact.errors;
  const ImpactGeometry& geometry = impact.geometry;
  ImpulseDiagram diagram;
  diagram.trial = record.trial;
  diagram.normal = record.normal;
  Eigen::Vector3d slip = geometry.contact.velocity;
  slip.z() = 0.0;
  diagram.tangent = slip.norm() > 0.0 ? Eigen::Vector3d(-(geometry.frame * slip.normalized()))
                                      : Eigen::Vector3d::Zero();
  if (geometry.touching.size() <= 1) {
    const Eigen::Matrix3d& F = geometry.frame;
    diagram.contact_velocity = F * geometry.contact.velocity;
    diagram.inverse_contact_mass = F * geometry.contact.inverse_mass * F.transpose();
  }
  diagram.measured = comparison.impulse_measured;
  diagram.predicted = comparison.impulse_predicted;
  Eigen::Matrix<double, 3, kErrorDimension> by_errors =
      Eigen::Matrix<double, 3, kErrorDimension>::Zero();
  by_errors.middleCols<3>(impacts::kVPost).diagonal().setConstant(geometry.mass);
  by_errors.middleCols<3>(impacts::kV).diagonal().setConstant(-geometry.mass);
  const double scale = errors.assumed ? fit.interval_scale : 1.0;
  const ErrorCovariance total = scale * scale * errors.Total();
  if (errors.fully_measured) diagram.covariance = by_errors * total * by_errors.transpose();

  const auto shares = [&](const Vector6d& velocity, int place) {
    return CalcMeasuredEnergy(geometry, record.normal, velocity, place, total);
  };
  Vector6d measured;
  measured << record.v_post, record.w_post;
  diagram.before = shares(geometry.before, impacts::kV);
  diagram.after_predicted = comparison.energy_after_predicted;
  if (errors.fully_measured) diagram.after_measured = shares(measured, impacts::kVPost);
  FillModel(geometry, fit, &diagram);
  return diagram;
}

}  // namespace

std::vector<ImpulseDiagram> CalcImpulseDiagrams(const PreparedImpacts& data, const LawFit& fit) {
  std::unordered_map<std::string_view, const Impact*> impacts;
  for (const Impact& impact : data.impacts) impacts.try_emplace(impact.record.trial, &impact);
  std::vector<ImpulseDiagram> diagrams;
  for (const TrialComparison& comparison : fit.trials) {
    if (!comparison.used) continue;
    const auto impact = impacts.find(comparison.trial);
    if (impact != impacts.end()) diagrams.push_back(MakeDiagram(*impact->second, fit, comparison));
  }
  return diagrams;
}

}  // namespace percuss::fitting
