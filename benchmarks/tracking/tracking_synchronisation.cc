// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <stdexcept>

#include "benchmarks/tracking/tracking_table.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/synchronisation/filmed_points.h"
#include "tracking/arcs/clock_fit.h"
#include "tracking/synchronisation/align_videos.h"
#include "tracking/synchronisation/stereo_clock.h"

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
          rate * (start.offset + fit.clock_offset[1] - trial.right_offset),
          rate * fit.clock_sigma[1]};
}

/// Videos that begin up to 2 s apart and show no flash: 20 synthetic trials, each cut five times.
/// One marker in ten is hidden, ten spots stand still, shutters roll (of which nothing is stated).
BoundSection MeasureLags() {
  constexpr int kDrops = 20, kCuts = 5;
  std::mt19937 random(72);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int right = 0, wrong = 0;
  double slowest = 0.0;
  for (int i = 0; i < kDrops; ++i) {
    SyntheticTrial trial = MakeSyntheticTrial();
    trial.num_frames = 300;
    trial.release_time += 2.02;
    trial.impact_time += 2.02;
    trial.right_offset = (uniform(random) - 0.5) / trial.frame_rate;
    trial.line_time = 10e-6 * uniform(random);
    const auto whole = MakeSpots(trial, {.noise_px = 0.1, .hidden_fraction = 0.1}, &random);
    for (int j = 0; j < kCuts; ++j) {
      const int apart = static_cast<int>((4.0 * uniform(random) - 2.0) * trial.frame_rate);
      const auto spots = WithoutFirstFrames(whole, {std::max(0, -apart), std::max(0, apart)});
      const auto start = std::chrono::steady_clock::now();
      const capture::Alignment alignment =
          AlignVideos({}, {0.0, 0.0}, ViewsOf(trial.calibration), spots).alignment;
      slowest = std::max(slowest, std::chrono::duration<double, std::milli>(
                                      std::chrono::steady_clock::now() - start)
                                      .count());
      const double truth = apart + trial.right_offset * trial.frame_rate;
      const double error = std::abs(alignment.time_offset * trial.frame_rate - truth);
      if (alignment.found) ++(error < 0.75 ? right : wrong);
    }
  }
  BoundRow pairing{"pairing right", fmt::format("of {}", kDrops * kCuts), 1.0 * right};
  pairing.lowest = kDrops * kCuts;
  BoundRow misled{"pairing wrong", fmt::format("of {}", kDrops * kCuts), 1.0 * wrong};
  misled.highest = 0.0;
  BoundRow time{"longest time for a trial", "ms", slowest};
  time.highest = 100.0;
  return {"flash cut off, videos 0 to 2 s apart: synthetic trials at 120 frames/s, 0.1 px",
          {pairing, misled, time},
          {}};
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
  return {section, MeasureLags()};
}

}  // namespace percuss::benchmarks
