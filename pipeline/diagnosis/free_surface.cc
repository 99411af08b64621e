// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/free_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "pipeline/diagnosis/camera_turn.h"
#include "pipeline/judgement/changed_calibration.h"
#include "pipeline/suspects/free_fall.h"
#include "solver/body/rigid_body.h"

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

/// All trials with names for their markers, in the frame of the calibration.
std::vector<tracking::TrialResult> Labelled(const capture::Experiment& experiment,
                                            const calibration::RigCalibration& calibration,
                                            Recordings* recordings) {
  std::vector<tracking::TrialResult> labelled;
  for (const capture::Trial& trial : experiment.trials)
    labelled.push_back(recordings->Label(experiment, trial, calibration));
  return labelled;
}

Falls FirstFalls(const capture::Experiment& experiment,
                 const std::vector<tracking::TrialResult>& labelled) {
  Falls falls;
  for (const tracking::TrialResult& result : labelled) {
    const FreeFall fall = MeasureFreeFall(result.tracked.frames);
    if (fall.found)
      falls.Add(fall.acceleration, TrialOf(experiment, result.trial).gravity, fall.sigma);
  }
  return falls;
}

/// How low the bodies come when W is turned, the median of the trials [m]: near the impact, but for
/// what they fall between two frames.
double LowestHeight(const capture::Experiment& experiment,
                    const std::vector<tracking::TrialResult>& labelled, const Eigen::Matrix3d& R) {
  std::vector<double> lowest;
  for (const tracking::TrialResult& result : labelled) {
    double height = std::numeric_limits<double>::infinity();
    for (const tracking::TrackedFrame& frame : result.tracked.frames) {
      if (!frame.pose.found) continue;
      const Eigen::Matrix3d R_WB = R * frame.pose.pose.q_WB.toRotationMatrix();
      const Vector3d point =
          solver::SupportPoint(experiment.body.body.shape, -R_WB.row(2).transpose());
      height = std::min(height, (R * frame.pose.pose.p_WB + R_WB * point).z());
    }
    if (std::isfinite(height)) lowest.push_back(height);
  }
  if (lowest.empty()) return 0.0;
  std::ranges::sort(lowest);
  constexpr double kFurther = 0.003;  // [m] at 1 m/s and some hundred frames a second
  return lowest[lowest.size() / 2] - kFurther;
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
  if (!experiment.OwnSurfaces().empty()) return {};  // which of them would it be?
  FreeSurface surface;
  const std::vector<tracking::TrialResult> labelled = Labelled(experiment, calibration, recordings);
  Falls falls = FirstFalls(experiment, labelled);
  calibration::RigCalibration moved = calibration;
  double height = 0.0;
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    if (falls.seen.empty()) return {};
    const Eigen::Matrix3d R = RotationBetween(falls.seen, falls.stated, falls.weights);
    if (round == 0) height = LowestHeight(experiment, labelled, R);
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
  // Levels and boards err by less, and then something else is wrong.
  constexpr double kLeastDeg = 0.5, kLeast = 0.005;
  if (surface.turned_deg < kLeastDeg && surface.shifted < kLeast) return {};
  return surface;
}

}  // namespace percuss::pipeline
