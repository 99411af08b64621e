// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/overlay/fitted_flights.h"

#include <algorithm>
#include <cmath>

namespace percuss::report {
namespace {

double TimeOfFrame(const std::vector<PoseFacts>& poses, int frame) {
  const auto found = std::ranges::find(poses, frame, &PoseFacts::frame);
  return found == poses.end() ? kNaN : found->time;
}

}  // namespace

double FrameInterval(const std::vector<PoseFacts>& poses) {
  const int frames = poses.back().frame - poses.front().frame;
  return frames > 0 ? (poses.back().time - poses.front().time) / frames : 1.0;
}

std::vector<FittedImpact> FittedImpacts(const RunFolder& run, const TrialFacts& trial) {
  std::vector<FittedImpact> fitted;
  if (trial.poses.empty()) return fitted;
  const double half = 0.5 * FrameInterval(trial.poses);
  for (std::size_t i = 0; i < std::min(trial.impacts.size(), trial.pictures.impacts.size()); ++i) {
    const ImpactPictures& impact = trial.pictures.impacts[i];
    const auto states = std::ranges::find(run.impacts, impact.trial, &ImpactRecord::trial);
    if (states == run.impacts.end() || !trial.impacts[i].before || !trial.impacts[i].after)
      continue;
    FittedImpact& one = fitted.emplace_back();
    one.impact = &impact;
    one.begin = TimeOfFrame(trial.poses, trial.impacts[i].before->first_frame) - half;
    one.end = TimeOfFrame(trial.poses, trial.impacts[i].after->last_frame) + half;
    one.inertia = trial.pictures.inertia;
    one.before = one.after = StateOf(impact.place);
    one.before.v = states->v;
    one.before.w = states->w;
    one.after.v = states->v_post;
    one.after.w = states->w_post;
    one.contact = one.before.p_WB + states->r;
    one.normal = states->normal;
    const bool is_known = one.before.v.allFinite() && one.before.w.allFinite() &&
                          one.after.v.allFinite() && one.after.w.allFinite() &&
                          std::isfinite(one.begin) && std::isfinite(one.end);
    if (!is_known) fitted.pop_back();
  }
  return fitted;
}

}  // namespace percuss::report
