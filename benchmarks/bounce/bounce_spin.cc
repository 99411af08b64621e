// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/math/statistics.h"
#include "base/parallel.h"
#include "benchmarks/bounce/bounce_table.h"
#include "benchmarks/bounce/drawn_ball.h"
#include "pipeline/bounces/bounce_clip.h"
#include "synthesis/ball/ball_clip.h"

namespace percuss::benchmarks {
namespace {

synthesis::BallSpec DrawnSpin(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::normal_distribution<double> normal;
  synthesis::BallSpec spec;
  spec.seed = seed;
  spec.frame_rate = 240.0;
  spec.exposure = uniform(0.0003, 0.001);
  spec.line_time = uniform(0.0, 3e-6);
  spec.bounces = 1;
  spec.hold = 0.05;
  spec.texture = {.kind = synthesis::BallTexture::Kind::kDots, .count = 12, .diameter = 0.006};
  spec.e.values = {uniform(0.7, 0.85)};
  spec.mu = uniform(0.05, 0.4);
  spec.start = {uniform(-0.3, -0.2), uniform(-0.05, 0.05), uniform(0.25, 0.35)};
  spec.velocity = {uniform(0.3, 1.0), 0.0, 0.0};
  const Eigen::Vector3d axis =
      Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized();
  spec.angular_velocity = uniform(20.0, 200.0) * axis;
  spec.target = {0.0, 0.0, 0.18};
  const double focal = uniform(1300.0, 2000.0);
  spec.camera =
      synthesis::BallCamera(1920, 1080, focal, {uniform(-0.1, 0.1), -focal / 1700.0, 0.25},
                            spec.target, uniform(-0.05, 0.05));
  spec.light.ambient = uniform(0.3, 0.7);
  return spec;
}

/// One spin, or one mu, against the truth.
struct SpinDraw {
  double error = std::numeric_limits<double>::quiet_NaN();  ///< relative
  double chi_square = std::numeric_limits<double>::quiet_NaN();
};

struct SpinDraws {
  std::vector<SpinDraw> spins, frictions;
  int asked = 0;
};

SpinDraws MeasureSpins(const synthesis::BallSpec& spec) {
  const synthesis::BallClip clip(spec);
  SpinDraws draws{.asked = 2};
  try {
    const pipeline::BounceClip measured = pipeline::MeasureBounces(
        FramesOfClip(clip), {.reason = "none"}, false, "clip", {.jobs = 1}, nullptr);
    const synthesis::BounceTruth& truth = clip.Motion().bounces.front();
    const Eigen::Vector3d spins[] = {spec.camera.R_CW * truth.before.w,
                                     spec.camera.R_CW * truth.after.w};
    for (std::size_t k = 0; k < std::min<std::size_t>(2, measured.spins.size()); ++k) {
      const tracking::BallSpin& spin = measured.spins[k];
      if (!spin.reason.empty()) continue;
      const Eigen::Vector3d off = spin.omega - spins[k];
      const Eigen::MatrixXd covariance = spin.covariance;
      draws.spins.push_back({off.norm() / spins[k].norm(), off.dot(covariance.ldlt().solve(off))});
    }
    if (measured.spins.size() == 2) {
      const pipeline::BounceFriction friction =
          pipeline::FrictionOf(measured.fit, 0, measured.spins[0], measured.spins[1]);
      if (friction.kind == pipeline::SlideKind::kSlides)
        draws.frictions.push_back({(friction.mu.value - spec.mu) / spec.mu,
                                   std::pow((friction.mu.value - spec.mu) / friction.mu.sigma, 2)});
    }
  } catch (const DataError&) {
    // Counted as a clip whose spins are not measured.
  }
  return draws;
}

double RmsError(const std::vector<SpinDraw>& draws) {
  double sum = 0.0;
  for (const SpinDraw& one : draws) sum += one.error * one.error;
  return std::sqrt(sum / static_cast<double>(draws.size()));
}

/// Share of draws within the ellipsoid, or interval, of 95 % [%].
double Inside(const std::vector<SpinDraw>& draws, int numbers) {
  const double bound = ChiSquareQuantile(0.95, numbers);
  const auto inside =
      std::ranges::count_if(draws, [&](const SpinDraw& one) { return one.chi_square < bound; });
  return 100.0 * static_cast<double>(inside) / static_cast<double>(draws.size());
}

}  // namespace

std::vector<BoundSection> MeasureBounceSpins(int draws) {
  std::vector<SpinDraws> results(draws);
  ParallelFor(draws, AllCores(), [&](int k) {
    results[k] = MeasureSpins(DrawnSpin(2000 + static_cast<std::uint32_t>(k)));
  });
  SpinDraws all;
  for (const SpinDraws& one : results) {
    all.asked += one.asked;
    all.spins.insert(all.spins.end(), one.spins.begin(), one.spins.end());
    all.frictions.insert(all.frictions.end(), one.frictions.begin(), one.frictions.end());
  }
  return {{.heading = fmt::format(
               "spin of rendered clips, 20 to 200 rad/s, 1080p, one bounce, {} draws", draws),
           .rows = {{.name = "flights whose spin is measured",
                     .unit = "%",
                     .measured = 100.0 * static_cast<double>(all.spins.size()) / all.asked,
                     .lowest = 90.0},
                    {.name = "spin from 12 dots, 240 frames/s, rms",
                     .unit = "%",
                     .measured = 100.0 * RmsError(all.spins),
                     .highest = 1.0},
                    {.name = "95 % ellipsoid holds", .unit = "%", .measured = Inside(all.spins, 3)},
                    {.name = "mu where the contact slides, error, rms",
                     .unit = "%",
                     .measured = 100.0 * RmsError(all.frictions)},
                    {.name = "95 % interval of mu holds",
                     .unit = "%",
                     .measured = Inside(all.frictions, 1)}},
           .remarks = {}}};
}

}  // namespace percuss::benchmarks
