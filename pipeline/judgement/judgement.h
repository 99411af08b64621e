// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "pipeline/judgement/contact_heights.h"
#include "pipeline/judgement/marker_presence.h"
#include "pipeline/judgement/recordings.h"
#include "pipeline/judgement/slips.h"
#include "tracking/bench/bench.h"

namespace percuss::pipeline {

/// What an experiment file makes of its videos.
struct Judgement {
  std::vector<tracking::TrialResult> trials;
  tracking::Bench stated;         ///< as the file has it
  tracking::BenchEstimate bench;  ///< as the flights of all trials have it
  std::vector<bool> in_order;     ///< of each of `trials`: nothing of it is complained of
  /// Of each of `trials` with an impact: which of the markers are there.
  std::vector<std::vector<MarkerPresence>> presence;
  ContactHeights heights;  ///< of all impacts
  Slips slips;             ///< of lengths and inertia, as all impacts show them
  /// How far all that was typed, and the heights, are from where they should be: chi-square.
  double strain = 0.0;
  /// What cannot be by chance, one line each; empty where the file explains all that was seen.
  std::vector<std::string> complaints;

  int NumOk() const;
  /// Root mean square of the residuals of all flights, in sigmas of the spots.
  double NoiseScale() const;
};

/// Labels the trials, estimates the bench and with it the states of each trial, as `percuss run`
/// does, and checks, each at the bound that chance exceeds once in a thousand times or less often:
///
///   - every trial has an impact; no marker is missing, MissingFrom;
///   - the flights fall as stated, GravityWarning; they meet in one pose, PoseContinues; angular
///     and linear momentum fit one contact point;
///   - distances of markers are as stated, MarkerScaleWarning; the lowest point of the body is on
///     the surface at the impact, as well as lengths and mass centre are known, and in all trials
///     together, as well as the flights show these, HeightComplaint;
///   - nothing that was typed moves by more than 3.5 of its sigmas, tracking::Surprises; no length
///     and no inertia is wrong by so much that all else need not move, SlipComplaints.
Judgement Judge(const capture::Experiment& experiment,
                const calibration::RigCalibration& calibration, Recordings* recordings);

/// Whether two judgements have the same impacts: velocities as near as 0.3 sigmas, contacts as near
/// as the lengths of the shape are known: that is no other corner.
bool SameImpacts(const Judgement& a, const Judgement& b);

}  // namespace percuss::pipeline
