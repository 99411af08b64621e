// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "report/facts/run_folder.h"

namespace percuss::report {

inline constexpr int kFrames = 20, kFirst = 2, kLast = 17,
                     kImpact = 10;         // of the video; with a pose
inline constexpr double kInterval = 0.01;  // [s]

// A plate of 40 x 20 mm slides along x with 1 m/s, 10 mm a frame, until frame 10, then back; a law
// says along y.
inline RunFolder MadeUpRun() {
  RunFolder run;
  TrialFacts trial{.name = "a", .status = "ok"};
  for (const double x : {-0.02, 0.02}) {
    for (const double y : {-0.01, 0.01}) trial.pictures.outline.push_back({x, y, 0});
  }
  trial.pictures.inertia.setIdentity();
  trial.pictures.impacts = {{.trial = "a",
                             .time = kImpact * kInterval,
                             .place = {.position = {0, 0, 0}},
                             .gravity = {0, 0, 0}}};
  TrialImpactFacts impact;
  impact.before = ArcFacts{.first_frame = kFirst, .last_frame = kImpact - 1};
  impact.after = ArcFacts{.first_frame = kImpact + 1, .last_frame = kLast};
  trial.impacts = {impact};
  for (int frame = kFirst; frame <= kLast; ++frame) {
    PoseFacts pose{.frame = frame, .time = frame * kInterval, .x = 0, .y = 0, .z = 0};
    pose.exposed = {{.frame = frame, .time = pose.time}};
    pose.sightings = {{.marker = "A1", .pixel = {{100.0, 50.0 + frame}, {kNaN, kNaN}}}};
    if (frame != 5) trial.poses.push_back(pose);  // not found in this one
  }
  run.trials = {trial};
  ImpactRecord& record = run.impacts.emplace_back();
  record.trial = "a";
  record.r = {0.02, 0, 0};
  record.v = {1, 0, 0};
  record.v_post = {-1, 0, 0};
  LawFit& law = run.fit.emplace().laws.emplace_back();
  law.law = "stronge";
  TrialComparison& comparison = law.trials.emplace_back();
  comparison.trial = "a";
  comparison.v_predicted = {0, 1, 0};
  comparison.w_predicted = {0, 0, 0};
  return run;
}

}  // namespace percuss::report
