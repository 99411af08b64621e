// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/parallel.h"
#include "benchmarks/bounce/bounce_table.h"
#include "pipeline/bounces/bounce_clip.h"
#include "synthesis/ball/ball_clip.h"

namespace percuss::benchmarks {
namespace {

/// Ball, camera, light and shutter as they may be.
synthesis::BallSpec DrawnClip(double frame_rate, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  synthesis::BallSpec spec;
  spec.seed = seed;
  spec.frame_rate = frame_rate;
  spec.exposure = std::min(0.004, 0.7 / frame_rate);
  spec.line_time = uniform(0.0, 0.5 / frame_rate / 1080.0);
  spec.bounces = 5;
  spec.e.values = {uniform(0.7, 0.85)};
  spec.radius = uniform(0.015, 0.03);
  spec.start = {uniform(-0.35, -0.2), uniform(-0.05, 0.05), uniform(0.4, 0.6)};
  spec.velocity = {uniform(0.1, 0.3), uniform(-0.03, 0.03), 0.0};
  spec.mu = uniform(0.05, 0.4);
  const double focal = uniform(1100.0, 2000.0);
  spec.target = {0.0, 0.0, uniform(0.25, 0.33)};
  spec.camera = synthesis::BallCamera(1920, 1080, focal,
                                      {uniform(-0.2, 0.2), -focal / 1300.0, uniform(0.3, 0.6)},
                                      spec.target, uniform(-0.05, 0.05));
  spec.light.ground = uniform(0.05, 0.5);
  spec.light.wall = uniform(0.05, 0.5);
  spec.light.ball = uniform(0.6, 0.9);
  spec.light.ambient = uniform(0.3, 0.7);
  return spec;
}

struct DrawnResult {
  bool measured = false;
  double error = 0.0, sigma = 0.0;
};

DrawnResult MeasureDrawn(const synthesis::BallSpec& spec) {
  const synthesis::BallClip clip(spec);
  std::vector<cv::Mat> pictures;
  for (int k = 0; k < clip.FrameCount(); ++k) pictures.push_back(clip.Frame(k));
  const tracking::ClipFrames frames = [&](const tracking::VisitFrame& visit) {
    for (int k = 0; k < clip.FrameCount(); ++k) visit(k, clip.FrameTime(k), pictures[k]);
  };
  try {
    const pipeline::BounceClip measured =
        pipeline::MeasureBounces(frames, {.reason = "none"}, false, "clip", {.jobs = 1}, nullptr);
    return {true, measured.mean.mean.value - spec.e.values.front(), measured.mean.mean.sigma};
  } catch (const DataError&) {
    return {};
  }
}

BoundSection MeasureRate(double frame_rate, int draws, double bound) {
  std::vector<DrawnResult> results(draws);
  ParallelFor(draws, AllCores(), [&](int k) {
    results[k] = MeasureDrawn(DrawnClip(frame_rate, 1000 + static_cast<std::uint32_t>(k)));
  });
  double squares = 0.0, inside = 0.0, measured = 0.0, sigmas = 0.0;
  for (const DrawnResult& one : results) {
    if (!one.measured) continue;
    ++measured;
    squares += one.error * one.error;
    inside += std::abs(one.error) < 1.96 * one.sigma;
    sigmas += one.sigma;
  }
  // Of few draws the share says little.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool few = draws < 100;
  return {.heading = fmt::format("e of rendered clips, {:.0f} frames/s, 1080p, 5 bounces, {} draws",
                                 frame_rate, draws),
          .rows = {{.name = "clips measured",
                    .unit = "%",
                    .measured = 100.0 * measured / draws,
                    .lowest = 100.0},
                   {.name = "error of e, rms",
                    .unit = "",
                    .measured = std::sqrt(squares / measured),
                    .highest = bound},
                   {.name = "sigma of e, mean", .unit = "", .measured = sigmas / measured},
                   {.name = "95 % interval holds",
                    .unit = "%",
                    .measured = 100.0 * inside / measured,
                    .lowest = few ? -kInfinity : 93.0,
                    .highest = few ? kInfinity : 97.0}},
          .remarks = {}};
}

}  // namespace

std::vector<BoundSection> MeasureBounceClips(int draws) {
  return {MeasureRate(30.0, draws, 0.003), MeasureRate(240.0, std::max(5, draws / 5), 0.0005)};
}

}  // namespace percuss::benchmarks
