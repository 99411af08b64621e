// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "benchmarks/bounce/bounce_table.h"
#include "benchmarks/bounce/drawn_ball.h"
#include "pipeline/bounces/bounce_clip.h"
#include "pipeline/bounces/bounce_scale.h"
#include "synthesis/camera/optics.h"

namespace percuss::benchmarks {
namespace {

/// What one clip shows of e, and whether three ways of knowing the scale agree.
struct DrawnResult {
  bool measured = false;
  double error = 0.0, sigma = 0.0;
  bool scales_agree = false;
  int rates = 0, named = 0;  ///< frame rates that are wrong, and those that a message names
};

/// A ball, a ruler beside its path and gravity, with the errors that people make.
pipeline::TypedScale DrawnScale(const synthesis::BallSpec& spec, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  constexpr double kDiameterSigma = 0.00025, kLengthSigma = 0.0005, kPickedSigma = 0.5;
  pipeline::TypedScale typed;
  typed.diameter = {2.0 * spec.radius + kDiameterSigma * normal(random), kDiameterSigma};
  typed.gravity = {9.80665 * (1.0 + 0.001 * normal(random)), 0.00981};
  // It stands up to about a diameter before or behind the ball.
  const double depth = 2.0 * spec.radius * normal(random);
  const auto pixel = [&](double height) -> Eigen::Vector2d {
    const Eigen::Vector2d exact = *Project(spec.camera, {0.0, depth, height});
    return exact + kPickedSigma * Eigen::Vector2d(normal(random), normal(random));
  };
  typed.length =
      pipeline::KnownLength{.length = {0.3 + kLengthSigma * normal(random), kLengthSigma},
                            .from = pixel(0.05),
                            .to = pixel(0.35)};
  return typed;
}

/// Says of frame rates that are wrong by a factor whether the right one is named. Times that are
/// wrong by it change gravity by its square and nothing else that a scale depends on.
void NameRates(const pipeline::TypedScale& typed, const tracking::BounceFit& fit, double rate,
               DrawnResult* result) {
  for (const double factor : {2.0, 4.0, 8.0, 16.0, 32.0}) {
    for (const double slower : {factor, 1.0 / factor}) {
      tracking::BounceFit other = fit;
      other.gravity.value /= slower * slower;
      other.gravity.sigma /= slower * slower;
      const pipeline::BounceScale scale =
          pipeline::ScaleOf({.diameter = typed.diameter}, other, rate / slower);
      const std::string name = fmt::format("gravity says {:.4g} frames/s", rate);
      ++result->rates;
      result->named += std::ranges::any_of(
          scale.warnings, [&](const std::string& one) { return one.starts_with(name); });
    }
  }
}

DrawnResult MeasureDrawn(const synthesis::BallSpec& spec) {
  const synthesis::BallClip clip(spec);
  try {
    const pipeline::BounceOptions options{.scale = DrawnScale(spec, spec.seed), .jobs = 1};
    const pipeline::BounceClip measured = pipeline::MeasureBounces(
        FramesOfClip(clip), {.reason = "none"}, false, "clip", options, nullptr);
    DrawnResult result{.measured = true,
                       .error = measured.mean.mean.value - spec.e.values.front(),
                       .sigma = measured.mean.mean.sigma,
                       .scales_agree = measured.scale.warnings.empty()};
    NameRates(options.scale, measured.fit, spec.frame_rate, &result);
    return result;
  } catch (const DataError&) {
    return {};
  }
}

/// Which draws gave nothing, and which are farthest off, so that one can look at them.
std::vector<std::string> RemarksOf(const std::vector<DrawnResult>& results, double rate) {
  std::vector<std::string> remarks;
  std::string lost;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (results[k].measured) {
      order.push_back(k);
    } else {
      lost += fmt::format(" {}", k);
    }
  }
  if (!lost.empty())
    remarks.push_back(fmt::format("not measured at {:.0f} frames/s:{}", rate, lost));
  std::ranges::sort(order, std::greater(),
                    [&](std::size_t k) { return std::abs(results[k].error); });
  constexpr std::size_t kFarthest = 5;
  std::string farthest;
  for (std::size_t k = 0; k < std::min(kFarthest, order.size()); ++k) {
    const DrawnResult& one = results[order[k]];
    farthest +=
        fmt::format("{} {} ({:+.4f} ± {:.4f})", k > 0 ? "," : "", order[k], one.error, one.sigma);
  }
  remarks.push_back(fmt::format("farthest off at {:.0f} frames/s:{}", rate, farthest));
  return remarks;
}

BoundSection MeasureRate(double frame_rate, int draws, double bound) {
  std::vector<DrawnResult> results(draws);
  ParallelFor(draws, AllCores(), [&](int k) {
    results[k] = MeasureDrawn(DrawnClip(frame_rate, 1000 + static_cast<std::uint32_t>(k)));
  });
  double squares = 0.0, inside = 0.0, measured = 0.0, sigmas = 0.0, agree = 0.0;
  int rates = 0, named = 0;
  for (const DrawnResult& one : results) {
    if (!one.measured) continue;
    ++measured;
    squares += one.error * one.error;
    inside += std::abs(one.error) < 1.96 * one.sigma;
    sigmas += one.sigma;
    agree += one.scales_agree;
    rates += one.rates;
    named += one.named;
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
                    .highest = few ? kInfinity : 97.0},
                   {.name = "scale by diameter, length and gravity agrees",
                    .unit = "%",
                    .measured = 100.0 * agree / measured,
                    .lowest = 95.0},
                   {.name = "frame rate wrong by 2 to 32: named",
                    .unit = "%",
                    .measured = 100.0 * named / rates,
                    .lowest = 100.0}},
          .remarks = RemarksOf(results, frame_rate)};
}

}  // namespace

std::vector<BoundSection> MeasureBounceClips(int draws) {
  return {MeasureRate(30.0, draws, 0.003), MeasureRate(240.0, std::max(5, draws / 5), 0.0005)};
}

}  // namespace percuss::benchmarks
