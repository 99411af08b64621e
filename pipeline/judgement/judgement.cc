// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/judgement.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tracking/bench/bench_files.h"
#include "tracking/experiment_bench.h"
#include "tracking/trial_checks.h"

namespace percuss::pipeline {

using tracking::TrialImpact;
using tracking::TrialResult;

namespace {

/// Chi-square with 3 degrees of freedom is beyond it once in a thousand times.
constexpr double kMomentum = 16.3;

/// Of the point that touched, above the surface [m].
double ContactHeight(const TrialImpact& impact) {
  return impact.record.p_WB.z() + impact.record.r.z();
}

void CheckImpact(const TrialImpact& impact, const tracking::Bench& stated,
                 const Eigen::Vector3d& gravity, std::vector<std::string>* complaints) {
  const auto add = [&](const std::string& text) {
    if (!text.empty()) complaints->push_back(impact.record.trial + ": " + text);
  };
  for (std::size_t arc = 0; arc < 2; ++arc) {
    add(tracking::GravityWarning(impact.fit.arcs[arc], arc == 0 ? "before" : "after", gravity));
  }
  if (!tracking::PoseContinues(impact.fit.pose_jump))
    add(tracking::PoseJumpText(impact.fit.pose_jump));
  const double momentum = impact.contact.candidates.front().momentum_chi2;
  if (momentum > kMomentum)
    add(fmt::format("momentum fits no contact point (chi-square {:.0f})", momentum));
  const capture::BodySigmas& sigma = stated.body.sigma;
  constexpr double kSigmas = 3.5;
  const double limit = kSigmas * std::hypot(sigma.length, sigma.mass_centre);
  const double height = ContactHeight(impact);
  if (impact.record.OnCalibratedSurface() && std::abs(height) > limit)
    add(fmt::format("at the impact the body is {:.1f} mm above the surface", 1e3 * height));
}

std::vector<MarkerPresence> PresenceIn(const TrialResult& result,
                                       const capture::Experiment& experiment,
                                       const capture::Trial& trial, const tracking::Bench& bench,
                                       Recordings* recordings) {
  if (result.status != TrialResult::Status::kOk) return {};
  const tracking::Views views = tracking::ViewsOf(bench.calibration);
  return MeasurePresence(bench.body, views, result.tracked.frames,
                         recordings->SpotsOf(experiment, trial, views));
}

void CheckTrial(const TrialResult& result, const capture::Trial& trial, const Judgement& judgement,
                std::vector<std::string>* complaints) {
  if (result.status != TrialResult::Status::kOk) {
    complaints->push_back(result.message);
    return;
  }
  const tracking::Bench& bench = judgement.bench.bench;
  for (const TrialImpact& impact : result.impacts)
    CheckImpact(impact, judgement.stated, trial.gravity + bench.gravity_change, complaints);
  const std::string scale = tracking::MarkerScaleWarning(result.marker_scale);
  if (!scale.empty()) complaints->push_back(result.trial + ": " + scale);
}

void CheckMarkers(const Judgement& judgement, std::vector<std::string>* complaints) {
  const std::vector<capture::Marker>& markers = judgement.stated.body.markers;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    if (const auto first = MissingFrom(judgement.presence, m)) {
      complaints->push_back(fmt::format("marker {} is not in its place, from trial {} on",
                                        markers[m].name, judgement.trials[*first].trial));
    }
  }
}

}  // namespace

int Judgement::NumOk() const {
  return static_cast<int>(
      std::ranges::count(trials, TrialResult::Status::kOk, &TrialResult::status));
}

double Judgement::NoiseScale() const {
  double sum = 0.0;
  int count = 0;
  for (const TrialResult& trial : trials) {
    for (const TrialImpact& impact : trial.impacts) {
      sum += impact.fit.noise_scale * impact.fit.noise_scale;
      ++count;
    }
  }
  return count > 0 ? std::sqrt(sum / count) : std::numeric_limits<double>::quiet_NaN();
}

Judgement Judge(const capture::Experiment& experiment,
                const calibration::RigCalibration& calibration, Recordings* recordings) {
  Judgement judgement;
  judgement.stated = tracking::StatedBench(experiment, calibration);
  std::vector<TrialResult> labelled;
  std::vector<capture::Trial> trials;
  for (const capture::Trial& trial : experiment.trials) {
    if (!trial.FromVideos()) continue;
    trials.push_back(trial);
    labelled.push_back(recordings->Label(experiment, trial, calibration));
  }
  const auto recorded = [&](const capture::Trial& trial) {
    return *std::ranges::find(labelled, trial.name, &TrialResult::trial);
  };
  judgement.bench = tracking::EstimateBenchOf(experiment, judgement.stated, trials, recorded);
  for (const capture::Trial& trial : trials) {
    judgement.trials.push_back(
        tracking::EstimateTrial(experiment, trial, judgement.bench.bench, recorded(trial)));
    judgement.presence.push_back(
        PresenceIn(judgement.trials.back(), experiment, trial, judgement.bench.bench, recordings));
    const std::size_t before = judgement.complaints.size();
    CheckTrial(judgement.trials.back(), trial, judgement, &judgement.complaints);
    judgement.in_order.push_back(judgement.complaints.size() == before);
  }
  CheckMarkers(judgement, &judgement.complaints);
  std::vector<impacts::ImpactRecord> records;
  for (const TrialResult& trial : judgement.trials) {
    for (const TrialImpact& impact : trial.impacts) records.push_back(impact.record);
  }
  judgement.heights = MeasureContactHeights(records);
  const Eigen::MatrixXd& left = judgement.bench.bench.covariance;
  if (std::string line = HeightComplaint(judgement.heights, left); !line.empty())
    judgement.complaints.push_back(std::move(line));
  judgement.strain = judgement.heights.ChiSquare(left) +
                     judgement.bench.change.dot(
                         judgement.stated.covariance.completeOrthogonalDecomposition().solve(
                             judgement.bench.change));
  judgement.slips = MeasureSlips(judgement.stated, judgement.bench, judgement.heights);
  for (std::string& line : SlipComplaints(judgement.slips))
    judgement.complaints.push_back(std::move(line));
  for (std::string& line : tracking::Surprises(judgement.stated, judgement.bench))
    judgement.complaints.push_back(std::move(line));
  if (judgement.NumOk() > 0 && !judgement.bench.converged)
    judgement.complaints.push_back("the flights and what was typed do not come to rest");
  return judgement;
}

bool SameImpacts(const Judgement& a, const Judgement& b) {
  constexpr double kSame = 0.3;  // of a sigma: below what anybody could tell
  if (a.trials.size() != b.trials.size()) return false;
  const double arm = std::max(1e-4, 3.5 * a.stated.body.sigma.length);  // [m]
  for (std::size_t i = 0; i < a.trials.size(); ++i) {
    const auto &left = a.trials[i].impacts, &right = b.trials[i].impacts;
    if (left.size() != right.size()) return false;
    for (std::size_t k = 0; k < left.size(); ++k) {
      const impacts::ImpactRecord &x = left[k].record, &y = right[k].record;
      if (!x.covariance) return false;
      using enum impacts::ImpactIndex;
      const auto sigma = [&](int place) {
        return std::sqrt(x.covariance->diagonal().segment<3>(place).maxCoeff());
      };
      if ((x.v - y.v).norm() > kSame * sigma(kV) ||
          (x.v_post - y.v_post).norm() > kSame * sigma(kVPost) ||
          (x.w - y.w).norm() > kSame * sigma(kW) ||
          (x.w_post - y.w_post).norm() > kSame * sigma(kWPost) || (x.r - y.r).norm() > arm)
        return false;
    }
  }
  return true;
}

}  // namespace percuss::pipeline
