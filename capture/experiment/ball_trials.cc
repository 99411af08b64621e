// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/ball_trials.h"

#include <variant>

namespace percuss::capture {
namespace {

using Kind = MotionSource::Kind;

/// Keys that say of markers, or of a camera, what the outlines of a ball show.
void RefuseKeysOfMarkers(const YamlField& root) {
  for (const char* key : {"planar", "exposure", "line_time", "reference_points"}) {
    if (root[key].Given()) {
      root[key].Throw("a key of bodies with markers",
                      "none with a ball without markers, whose outlines show it");
    }
  }
  const YamlField genlocked = root["synchronisation"]["genlocked"];
  if (genlocked.Given()) {
    genlocked.Throw("a key of bodies with markers",
                    "offset with a ball without markers: by how much later the right videos begin");
  }
}

void CheckBallTrial(const YamlField& entry, const Trial& trial, const YamlField& gravity) {
  if (trial.kind == Trial::Kind::kSlide)
    entry["kind"].Throw("a slide of a ball", "drop: a ball rolls");
  for (const char* key : {"surface", "slope"}) {
    if (entry[key].Given())
      entry[key].Throw("a surface of its own", "a level one with a ball without markers");
  }
  if (trial.gravity.head<2>().norm() > 0.0) {
    (entry["gravity"].Given() ? entry["gravity"] : gravity)
        .Throw("a slope", "[0, 0, z] with a ball without markers: a level surface");
  }
}

}  // namespace

bool IsBall(const MarkedBody& body) {
  return body.markers.empty() && !body.unplaced &&
         std::holds_alternative<solver::Sphere>(body.body.shape);
}

bool IsBallTrial(const Trial& trial, const MarkedBody& body) {
  if (!trial.motion) return IsBall(body);
  return trial.motion->kind == Kind::kClip || trial.motion->kind == Kind::kCentres;
}

void CheckBallTrials(const YamlField& root, std::span<const YamlField> entries,
                     std::span<const Trial> trials, const MarkedBody& body) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    const bool clip = trial.motion && trial.motion->kind == Kind::kClip;
    if (clip && !IsBall(body)) {
      entries[i]["clip"].Throw("the clip of one camera",
                               "that with body: {shape: sphere, ...} without markers");
    }
    const bool ball = IsBallTrial(trial, body);
    if (ball != IsBallTrial(trials.front(), body)) {
      entries[i].Throw(ball ? "a ball without orientation after trials with one"
                            : "an orientation after trials of a ball without",
                       "one kind in a file: put these trials into another");
    }
    if (ball && !trial.tracks.empty()) {
      entries[i]["left"].Throw("tracks of a ball without markers",
                               "a video, whose outlines show its size, or body.markers");
    }
    if (ball) CheckBallTrial(entries[i], trial, root["gravity"]);
  }
  if (!trials.empty() && IsBallTrial(trials.front(), body)) RefuseKeysOfMarkers(root);
}

}  // namespace percuss::capture
