// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/tracking/tracking_table.h"
#include "capture/experiment/experiment.h"
#include "tracking/trial.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;

double Median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Half the distance of the quartiles over 0.6745: a standard deviation that outliers do not move.
double Scatter(std::vector<double> values) {
  if (values.size() < 4) return std::nan("");
  std::sort(values.begin(), values.end());
  return 0.5 * (values[3 * values.size() / 4] - values[values.size() / 4]) / 0.6745;
}

double KineticEnergy(const solver::Body& body, const Eigen::Quaterniond& q, const Vector3d& v,
                     const Vector3d& w) {
  const Vector3d w_B = q.conjugate() * w;
  return 0.5 * body.mass * v.squaredNorm() + 0.5 * w_B.dot(body.inertia * w_B);
}

struct Sums {
  int trials = 0, with_impact = 0, impacts = 0, gaining = 0;
  std::vector<double> v_sigmas, w_sigmas, rms, noise, frames, heights;
  std::vector<double> gravity_x, gravity_z;
};

void Add(const tracking::TrialImpact& impact, const solver::Body& body, Sums* sums) {
  const impacts::ImpactRecord& record = impact.record;
  ++sums->impacts;
  const double before = KineticEnergy(body, record.q_WB, record.v, record.w);
  sums->gaining += KineticEnergy(body, record.q_WB, record.v_post, record.w_post) > before;
  const Eigen::VectorXd sigmas = record.covariance->diagonal().cwiseSqrt();
  // z and y are in the plane of planar motions too.
  sums->v_sigmas.push_back(sigmas[impacts::kVPost + 2]);
  sums->w_sigmas.push_back(sigmas[impacts::kWPost + 1]);
  sums->noise.push_back(impact.fit.noise_scale);
  sums->heights.push_back(record.p_WB.z() + record.r.z());
  for (const tracking::ArcSummary& arc : impact.fit.arcs) {
    sums->rms.push_back(arc.rms_m);
    sums->frames.push_back(arc.frames);
    // Shorter flights say less of gravity than the stated value does.
    if (!(arc.gravity_covariance(2, 2) < 0.3 * 0.3)) continue;
    sums->gravity_x.push_back(arc.gravity.x());
    sums->gravity_z.push_back(arc.gravity.z());
  }
}

BoundSection MeasureSet(const fs::path& data) {
  const capture::Experiment experiment = capture::ReadExperiment(data / "experiment.yaml");
  Sums sums;
  for (const capture::Trial& trial : experiment.trials) {
    const tracking::TrialResult result = tracking::ProcessTrial(experiment, trial, {});
    ++sums.trials;
    sums.with_impact += !result.impacts.empty();
    for (const tracking::TrialImpact& impact : result.impacts) {
      Add(impact, experiment.body.body, &sums);
    }
  }
  BoundSection section{data.filename().string() + ": impacts from recorded poses", {}, {}};
  const auto add = [&](const char* name, const char* unit, double value) {
    section.rows.push_back({name, unit, value});
  };
  add("trials", "", sums.trials);
  add("impacts", "", sums.impacts);
  add("trials with an impact", "%", 100.0 * sums.with_impact / sums.trials);
  add("impacts that gain energy", "%", 100.0 * sums.gaining / sums.impacts);
  add("frames of a flight, median", "", Median(sums.frames));
  add("residual of a flight, rms, median", "mm", 1e3 * Median(sums.rms));
  add("residual over sigma, median", "", Median(sums.noise));
  add("sigma of v_z after, median", "mm/s", 1e3 * Median(sums.v_sigmas));
  add("sigma of w_y after, median", "rad/s", Median(sums.w_sigmas));
  add("gravity z, median", "m/s^2", Median(sums.gravity_z));
  add("gravity z, scatter", "m/s^2", Scatter(sums.gravity_z));
  add("gravity x, median", "m/s^2", Median(sums.gravity_x));
  add("lowest point at the impact, median", "mm", 1e3 * Median(sums.heights));
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureMotionCapture(const fs::path& data) {
  return {MeasureSet(data / "cube_toss"), MeasureSet(data / "planar_square_drops")};
}

}  // namespace percuss::benchmarks
