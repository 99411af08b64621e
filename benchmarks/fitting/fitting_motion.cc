// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "benchmarks/fitting/fitting_table.h"
#include "capture/experiment/experiment.h"
#include "fitting/audit/audit.h"
#include "fitting/audit/gravity_audit.h"
#include "fitting/estimate/coefficient_fit.h"
#include "tracking/trial.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr int kThreads = 2;

/// What `percuss run` makes of trajectories.
struct Measured {
  capture::Experiment experiment;
  impacts::ImpactTable table;
  std::vector<fitting::FlightGravity> flights;
};

Measured Track(const fs::path& data) {
  Measured measured{capture::ReadExperiment(data / "experiment.yaml"), {}, {}};
  const std::vector<capture::Trial>& trials = measured.experiment.trials;
  std::vector<tracking::TrialResult> results(trials.size());
  ParallelFor(static_cast<int>(trials.size()), kThreads, [&](int k) {
    const auto index = static_cast<std::size_t>(k);
    results[index] = tracking::ProcessTrial(measured.experiment, trials[index], {});
  });
  for (const tracking::TrialResult& result : results) {
    for (const tracking::TrialImpact& impact : result.impacts) {
      measured.table.impacts.push_back(impact.record);
      for (std::size_t arc = 0; arc < 2; ++arc) {
        const tracking::ArcSummary& summary = impact.fit.arcs[arc];
        measured.flights.push_back({result.trial, arc == 0 ? "before" : "after",
                                    impact.record.gravity, summary.gravity,
                                    summary.gravity_covariance});
      }
    }
  }
  return measured;
}

BoundSection MeasureSet(const fs::path& data) {
  const Measured measured = Track(data);
  BoundSection section{data.filename().string() + ": from trajectories to coefficients", {}, {}};
  const auto add = [&](const std::string& name, const char* unit, double value) {
    section.rows.push_back({name, unit, value});
  };
  const fitting::PooledGravity gravity = fitting::PoolGravity(measured.flights);
  add("impacts", "", static_cast<double>(measured.table.impacts.size()));
  add("gravity along its direction, measured", "m/s^2",
      gravity.stated.norm() + gravity.error.dot(gravity.stated.normalized()));
  add("length scale times frame rate squared, error", "%", 100.0 * (gravity.scale - 1.0));
  add("same, sigma", "%", 100.0 * gravity.scale_sigma);
  for (const fitting::LawFit& fit : fitting::FitCoefficients(
           measured.table, measured.experiment.body.body, {.num_bootstraps = 200})) {
    for (const fitting::ParameterEstimate& one : fit.parameters) {
      section.remarks.push_back(fmt::format(
          "{} of {}: {:.4f} +- {:.4f}, 95 % [{:.4f}, {:.4f}], trial bootstrap [{:.4f}, {:.4f}], {}",
          one.name, fit.law, one.value, one.sigma, one.ci95[0], one.ci95[1], one.bootstrap95[0],
          one.bootstrap95[1],
          fitting::IsWeaklyIdentified(one) ? "weakly identified" : NameOf(one.status)));
    }
    add("velocity error, cross-validated", "%", 100.0 * fit.cross_validated_velocity_error_mean);
    add("of the velocity error: data", "%", 100.0 * fit.error_split.data);
    add("of the velocity error: law", "%", 100.0 * fit.error_split.law);
    add("of the velocity error: shared parameters", "%", 100.0 * fit.error_split.parameters);
    section.remarks.push_back(fit.message);
  }
  for (const fitting::AuditFinding& finding : fitting::AuditGravity(measured.flights)) {
    if (finding.trial.empty()) section.remarks.push_back("audit: " + finding.text);
  }
  for (const fitting::AuditFinding& finding : fitting::AuditImpacts(
           fitting::PrepareImpacts(measured.table, measured.experiment.body.body))) {
    if (finding.trial.empty()) section.remarks.push_back("audit: " + finding.text);
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureMotion(const fs::path& data) {
  return {MeasureSet(data / "cube_toss"), MeasureSet(data / "planar_square_drops")};
}

}  // namespace percuss::benchmarks
