// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "benchmarks/tracking/tracking_table.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/arcs/clock_fit.h"
#include "tracking/labels/stereo_clock.h"

namespace percuss::benchmarks {
namespace {

using namespace tracking;

constexpr int kTrials = 40;

/// What became of one trial; frames.
struct Outcome {
  double start_error = 0.0;  ///< of the estimate from unlabelled spots
  double error = 0.0;        ///< of the fit
  double sigma = 0.0;
};

/// Spots of both cameras, without labels, to the offset of the fit.
Outcome MeasureTrial(const SyntheticTrial& trial, std::mt19937* random) {
  const Views views = ViewsOf(trial.calibration);
  const TrackedBody body{views, LayoutOf(trial.body), trial.body.body.inertia, trial.gravity};
  const auto spots = MakeSpots(trial, {.noise_px = 0.05, .hidden_fraction = 0.05}, random);
  const ClockEstimate start = EstimateClock(views, spots, 0.0);
  if (!start.found) throw std::runtime_error("no start of the offset: " + start.reason);
  capture::Alignment alignment;
  alignment.found = true;
  alignment.time_offset = alignment.sub_frame_offset = start.offset;
  std::string reason;
  const TrackedTrial tracked = LabelSpots(body, spots, alignment, {}, &reason);
  const auto arcs = FindFlightArcs(tracked.frames, trial.gravity);
  const auto guesses =
      FindImpacts(tracked.frames, arcs, trial.body.body.shape, trial.gravity, {}, &reason);
  if (guesses.size() != 1) throw std::runtime_error("no impact: " + reason);
  const ImpactFit fit =
      FitArcsAndClock(tracked.frames, guesses[0], body.layout, trial.body.body.inertia,
                      trial.gravity, trial.calibration, {}, alignment, {});
  if (!fit.usable) throw std::runtime_error("no fit: " + fit.reason);
  const double rate = trial.frame_rate;
  return {rate * (start.offset - trial.right_offset),
          rate * (start.offset + fit.clock_offset - trial.right_offset), rate * fit.clock_sigma};
}

}  // namespace

std::vector<BoundSection> MeasureSynchronisation(const std::filesystem::path&) {
  std::mt19937 random(71);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  double squares = 0.0, worst = 0.0, start_worst = 0.0, covered = 0.0;
  for (int i = 0; i < kTrials; ++i) {
    SyntheticTrial trial = MakeSyntheticTrial();
    trial.right_offset = uniform(random) / trial.frame_rate;
    const Outcome outcome = MeasureTrial(trial, &random);
    squares += outcome.error * outcome.error;
    worst = std::max(worst, std::abs(outcome.error));
    start_worst = std::max(start_worst, std::abs(outcome.start_error));
    covered += std::abs(outcome.error) < 1.96 * outcome.sigma ? 1.0 : 0.0;
  }
  BoundSection section{
      fmt::format("offset of cameras that run free: {} synthetic trials, 0.05 px, from unlabelled "
                  "spots",
                  kTrials),
      {},
      {}};
  BoundRow rms{"rms error", "frames", std::sqrt(squares / kTrials)};
  BoundRow largest{"worst error", "frames", worst};
  rms.highest = largest.highest = 0.02;
  BoundRow coverage{"95 % intervals that hold the truth", "%", 100.0 * covered / kTrials};
  section.rows = {
      rms, largest, coverage, {"worst error of the start, before labels", "frames", start_worst}};
  return {section};
}

}  // namespace percuss::benchmarks
