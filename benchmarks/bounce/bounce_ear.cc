// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <random>

#include "benchmarks/bounce/bounce_table.h"
#include "capture/sound/bounce_series.h"
#include "synthesis/ball/ball_motion.h"
#include "synthesis/ball/ball_sound.h"

namespace percuss::benchmarks {
namespace {

constexpr double kContactSigma = 0.1;  // of a contact time that is stated

struct HeardDraw {
  double stated = HUGE_VAL, unstated = HUGE_VAL;  ///< errors of e
  bool holds = false;                             ///< the interval, contact time stated
};

HeardDraw HearDrawn(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  synthesis::BallSpec spec;
  spec.seed = seed;
  spec.bounces = 5;
  spec.e.values = {uniform(0.65, 0.9)};
  spec.start = {0.0, 0.0, uniform(0.3, 0.6)};
  spec.velocity.setZero();
  spec.contact_time = uniform(0.0003, 0.004);
  spec.sound = synthesis::BallSound{.snr_db = 20.0};
  const synthesis::BallMotion motion(spec);
  const capture::ContactOnsets onsets =
      capture::FindContactOnsets(synthesis::MakeBallSound(spec, motion));
  const double truth = spec.e.values.front();
  HeardDraw draw;
  const double sigma = kContactSigma * spec.contact_time;
  const double stated = spec.contact_time + std::normal_distribution<double>(0.0, sigma)(random);
  const capture::BounceSeries with =
      capture::FindBounceSeries(onsets, {.contact_time = stated, .contact_time_sigma = sigma});
  if (with.reason.empty()) {
    draw.stated = with.e - truth;
    draw.holds = std::abs(draw.stated) < 1.96 * with.e_sigma;
  }
  const capture::BounceSeries without = capture::FindBounceSeries(onsets, {});
  if (without.reason.empty()) draw.unstated = without.e - truth;
  return draw;
}

}  // namespace

std::vector<BoundSection> MeasureEar() {
  constexpr int kDraws = 60;
  double stated = 0.0, unstated = 0.0, holds = 0.0;
  for (std::uint32_t k = 0; k < kDraws; ++k) {
    const HeardDraw draw = HearDrawn(7000 + k);
    stated = std::max(stated, std::abs(draw.stated));
    unstated = std::max(unstated, std::abs(draw.unstated));
    holds += draw.holds;
  }
  return {
      {.heading = "e by ear, 20 dB over noise, 5 bounces, 60 draws",
       .rows = {{.name = "largest error, contact time stated within 10 %",
                 .unit = "",
                 .measured = stated,
                 .highest = 0.001},
                {.name = "largest error, nothing stated", .unit = "", .measured = unstated},
                {.name = "95 % interval holds", .unit = "%", .measured = 100.0 * holds / kDraws}},
       .remarks = {}}};
}

}  // namespace percuss::benchmarks
