// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/math/statistics.h"
#include "base/parallel.h"
#include "benchmarks/bounce/bounce_table.h"
#include "benchmarks/bounce/drawn_ball.h"
#include "tracking/ball/ball_track.h"

namespace percuss::benchmarks {
namespace {

/// Of any kind: 30 to 480 frames/s, dark and bright balls with and without a pattern, on plain and
/// spotted grounds, thrown and dropped, on a tripod and in a hand.
synthesis::BallSpec DrawnScene(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr std::array<double, 5> kRates = {30.0, 60.0, 120.0, 240.0, 480.0};
  synthesis::BallSpec spec = DrawnClip(kRates[seed % kRates.size()], seed);
  // What is quick to render: fast cameras film two bounces.
  spec.bounces = spec.frame_rate > 100.0 ? 2 : 4;
  spec.start.z() = uniform(0.2, 0.5);
  const double ground = uniform(0.03, 0.8), wall = uniform(0.03, 0.8);
  spec.light.ground = ground;
  spec.light.wall = wall;
  do {
    spec.light.ball = uniform(0.05, 0.95);
  } while (std::abs(spec.light.ball - ground) < 0.15 || std::abs(spec.light.ball - wall) < 0.15);
  spec.light.texture = uniform(0.0, 0.3);
  spec.light.shadow = uniform(0.0, 0.5);
  spec.texture.kind =
      std::array{synthesis::BallTexture::Kind::kNone, synthesis::BallTexture::Kind::kDots,
                 synthesis::BallTexture::Kind::kSeams}[seed % 3];
  spec.angular_velocity = {0.0, uniform(-40.0, 40.0), 0.0};
  if (seed % 2 == 1) spec.shake = {.amplitude_px = uniform(2.0, 12.0), .rate = 3.0};
  return spec;
}

/// Whether the ball was found, and lies where it is in most frames of its flights.
bool IsFound(const synthesis::BallSpec& spec) {
  const synthesis::BallClip clip(spec);
  const tracking::ClipSurvey survey = tracking::SurveyClip(FramesOfClip(clip));
  const tracking::FoundBall found = tracking::FindBall(survey, {});
  if (!found.reason.empty()) return false;
  std::vector<double> off;
  for (const tracking::RoughFlight& flight : found.ball.flights) {
    for (int i = flight.first; i <= flight.last; ++i) {
      const tracking::TrackPoint& point = found.ball.points[i];
      const synthesis::BallView view = clip.View(point.frame);
      const Eigen::Vector2d seen = survey.shake.InFrame(point.frame, point.centre);
      off.push_back((seen - view.outline_centre).norm() / view.radius_px);
    }
  }
  return Median(off) < 0.3;
}

}  // namespace

std::vector<BoundSection> MeasureScenes() {
  constexpr int kScenes = 50;
  std::array<int, kScenes> found{};
  ParallelFor(kScenes, AllCores(), [&](int k) {
    found[k] = IsFound(DrawnScene(5000 + static_cast<std::uint32_t>(k))) ? 1 : 0;
  });
  std::string lost;
  for (int k = 0; k < kScenes; ++k) {
    if (found[k] == 0) lost += fmt::format(" {}", k);
  }
  BoundSection section{.heading = "Scenes in which the ball is found, nothing stated",
                       .rows = {{.name = "found",
                                 .unit = fmt::format("of {}", kScenes),
                                 .measured = static_cast<double>(std::ranges::count(found, 1)),
                                 .lowest = kScenes}},
                       .remarks = {}};
  if (!lost.empty()) section.remarks.push_back("not found: scenes" + lost);
  return {section};
}

}  // namespace percuss::benchmarks
