// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/free_surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "pipeline/diagnosis/camera_turn.h"
#include "pipeline/judgement/changed_calibration.h"
#include "pipeline/suspects/free_fall.h"

namespace percuss::pipeline {
namespace {

using Eigen::Vector3d;

/// Directions in which bodies fall, and those in which they should.
struct Falls {
  std::vector<Vector3d> seen, stated;
  std::vector<double> weights;

  void Add(const Vector3d& acceleration, const Vector3d& gravity, double sigma) {
    seen.push_back(acceleration.normalized());
    stated.push_back(gravity.normalized());
    weights.push_back(1.0 / (sigma * sigma));
  }
};

const capture::Trial& TrialOf(const capture::Experiment& experiment, const std::string& name) {
  return *std::ranges::find(experiment.trials, name, &capture::Trial::name);
}

Falls FirstFalls(const capture::Experiment& experiment,
                 const calibration::RigCalibration& calibration, Recordings* recordings) {
  Falls falls;
  for (const capture::Trial& trial : experiment.trials) {
    const tracking::TrialResult labelled = recordings->Label(experiment, trial, calibration);
    const FreeFall fall = MeasureFreeFall(labelled.tracked.frames);
    if (fall.found) falls.Add(fall.acceleration, trial.gravity, fall.sigma);
  }
  return falls;
}

Falls FittedFalls(const capture::Experiment& experiment, const Judgement& judgement) {
  Falls falls;
  for (const tracking::TrialResult& result : judgement.trials) {
    for (const tracking::TrialImpact& impact : result.impacts) {
      for (const tracking::ArcSummary& arc : impact.fit.arcs) {
        const double sigma = std::sqrt(arc.gravity_covariance.trace() / 3.0);
        if (sigma > 0.0) falls.Add(arc.gravity, TrialOf(experiment, result.trial).gravity, sigma);
      }
    }
  }
  return falls;
}

/// Of the points that touched, their mean [m].
double ContactHeight(const Judgement& judgement) {
  double sum = 0.0;
  int count = 0;
  for (const tracking::TrialResult& result : judgement.trials) {
    for (const tracking::TrialImpact& impact : result.impacts) {
      sum += impact.record.p_WB.z() + impact.record.r.z();
      ++count;
    }
  }
  return count > 0 ? sum / count : 0.0;
}

}  // namespace

std::optional<FreeSurface> FindFreeSurface(const capture::Experiment& experiment,
                                           const calibration::RigCalibration& calibration,
                                           Recordings* recordings) {
  FreeSurface surface;
  Falls falls = FirstFalls(experiment, calibration, recordings);
  calibration::RigCalibration moved = calibration;
  double height = 0.0;
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    if (falls.seen.empty()) return {};
    const Eigen::Matrix3d R = RotationBetween(falls.seen, falls.stated, falls.weights);
    moved = WithWorldMoved(moved, R, Vector3d(0.0, 0.0, -height));
    surface.judgement = Judge(experiment, moved, recordings);
    if (surface.judgement.complaints.empty()) break;
    falls = FittedFalls(experiment, surface.judgement);
    height = ContactHeight(surface.judgement);
  }
  if (!surface.judgement.complaints.empty()) return {};
  const calibration::Pose between = moved.world_from_first * calibration.world_from_first.Inverse();
  surface.turned_deg = std::acos(std::clamp(between.R(2, 2), -1.0, 1.0)) * 180.0 / std::numbers::pi;
  surface.shifted = std::abs(between.t.z());
  return surface;
}

}  // namespace percuss::pipeline
