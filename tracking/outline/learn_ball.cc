// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/learn_ball.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/math/evidence.h"
#include "base/math/statistics.h"
#include "base/parallel.h"

namespace percuss::tracking {
namespace {

constexpr double kFreeStretch = 0.05;
constexpr double kOutlineFloor = 0.025;  // [px]: what outlines of shaded balls are not better than
constexpr int kShadeRounds = 2;

/// How a ball moved in one frame: velocity [px/s], and from the start of the exposure to its end.
struct MeasuredSweep {
  Eigen::Vector2d velocity, sweep;
};

/// The exposure that makes sweeps of velocities, from the faster half of the frames [s].
double ExposureOfSweeps(const std::vector<MeasuredSweep>& sweeps) {
  std::vector<double> speeds, exposures;
  for (const MeasuredSweep& one : sweeps) speeds.push_back(one.velocity.norm());
  const double middle = Median(speeds);
  for (const MeasuredSweep& one : sweeps) {
    // A sweep has no sign.
    if (one.velocity.norm() >= middle && middle > 0.0)
      exposures.push_back(std::abs(one.sweep.dot(one.velocity)) / one.velocity.squaredNorm());
  }
  return exposures.empty() ? 0.0 : Median(exposures);
}

/// Betters the shade, as far as all outlines together allow (ShadeEquationsOf).
void RefineShade(const OutlineBench& bench, const std::vector<Look>& looks, BallKnowledge* known) {
  std::vector<ShadeEquations> each(looks.size());
  ParallelFor(static_cast<int>(looks.size()), bench.jobs, [&](int k) {
    const Look& look = looks[k];
    if (!look.Seen()) return;
    LookPrior is = PriorOf(bench, *known, look);
    is.prior.shade = &is.seen;
    each[k] = ShadeEquationsOf(bench.PictureOf(look), look.fit, is.start, is.prior);
    // The lamp is the same for all in axes of the camera.
    Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(BallShade::kNumbers, BallShade::kNumbers);
    turn.block(1, 1, 3, 3) = look.camera_from_disc;
    each[k].normal = turn * each[k].normal * turn.transpose();
    each[k].right = turn * each[k].right;
  });
  // The lamp explains before the smooth terms do.
  constexpr double kLevelSigma = 10.0, kLeastRest = 0.0005;  // of full light
  constexpr int kRounds = 10;
  ShadeEquations sum;
  sum.normal.diagonal().array() += std::pow(kLevelSigma, -2.0);
  for (const ShadeEquations& one : each) {
    sum.normal += one.normal;
    sum.right += one.right;
  }
  Eigen::VectorXd step;
  double& rest = known->shade.rest_sigma;
  for (int round = 0; round < kRounds; ++round) {
    Eigen::MatrixXd normal = sum.normal;
    normal.diagonal().tail<BallShade::kTerms>().array() += std::pow(rest, -2.0);
    Eigen::VectorXd right = sum.right;
    right.tail<BallShade::kTerms>() -= known->shade.rest * std::pow(rest, -2.0);
    const Eigen::MatrixXd inverse =
        normal.ldlt().solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
    step = inverse * right;
    if (!step.allFinite()) return;
    const ScatterEvidence says =
        EvidenceOf(rest, known->shade.rest + step.tail<BallShade::kTerms>(),
                   inverse.diagonal().tail<BallShade::kTerms>());
    rest = LikelierSigma(rest, says, kLeastRest);
  }
  known->shade.even += step[0];
  known->shade.lamp += step.segment<3>(1);
  known->shade.rest += step.tail<BallShade::kTerms>();
}

/// How the ball is shaded and for how long the shutter is open, as the last round shows.
void LearnShade(const OutlineBench& bench, const std::vector<Look>& looks, BallKnowledge* known) {
  std::vector<BallPicture> pictures;
  std::vector<MeasuredSweep> sweeps;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    pictures.push_back({look.luma, look.fit.disc, look.camera_from_disc});
    sweeps.push_back({look.lookout.velocity, look.fit.disc.sweep});
  }
  known->shade = FitShade(pictures, bench.tone);
  known->shaded = true;
  known->exposure = ExposureOfSweeps(sweeps);
  known->exposed = true;
}

/// How perspective and shutter stretch outlines, from those of a round that left them free.
OutlineShape LearnShape(const OutlineBench& bench, const std::vector<Look>& looks,
                        const OutlineShape& prior) {
  std::vector<MeasuredStretch> stretches;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    stretches.push_back({look.fit.disc.centre + look.Corner() - bench.middle, look.lookout.velocity,
                         look.fit.disc.stretch,
                         std::hypot(look.fit.stretch_sigma, kOutlineFloor / look.fit.disc.radius)});
  }
  OutlineShape shape = FitOutlineShape(stretches, prior, bench.roll);
  shape.inverse_focal_squared.value =
      std::max(shape.inverse_focal_squared.value, 0.02 * prior.inverse_focal_squared.value);
  return shape;
}

std::optional<RadiusPath> LearnRadii(const OutlineBench& bench, const std::vector<Look>& looks,
                                     const OutlineShape& shape) {
  std::vector<MeasuredRadius> outlines;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    const Eigen::Vector2d place = look.fit.disc.centre + look.Corner() - bench.middle;
    const double growth = GrowthIn(bench, shape, look, place);
    outlines.push_back({look.lookout.time, place, look.fit.disc.radius / growth,
                        std::sqrt(look.fit.covariance(2, 2)) / growth});
  }
  return FitRadii(outlines, bench.bounces, bench.down);
}

/// How far slopes and gains of all outlines scatter.
void PoolScatter(const std::vector<Look>& looks, BallKnowledge* known) {
  ScatterEvidence slope_says, gain_says;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    known->scatter = look.fit.scatter;
    slope_says.Add(look.fit.slope_says);
    gain_says.Add(look.fit.gain_says);
  }
  known->scatter = LikelierScatter(known->scatter, slope_says, gain_says);
}

/// What all outlines together say of the shade, and what they say of the radius then.
void SettleShade(const OutlineBench& bench, std::vector<Look>* looks, BallKnowledge* known) {
  FitLooks(bench, *known, looks);
  for (int round = 0; round < kShadeRounds; ++round) {
    RefineShade(bench, *looks, known);
    PoolScatter(*looks, known);
    FitLooks(bench, *known, looks);
  }
  known->radii = LearnRadii(bench, *looks, known->shape);
}

}  // namespace

void LearnBall(const OutlineBench& bench, std::vector<Look> looks, BallKnowledge* known) {
  if (!MostlyShadowed(looks))
    std::erase_if(looks, [](const Look& look) { return look.Shadowed(); });
  LearnShade(bench, looks, known);
  known->free_stretch = kFreeStretch;
  FitLooks(bench, *known, &looks);
  LearnShade(bench, looks, known);
  known->radii = LearnRadii(bench, looks, known->shape);
  FitLooks(bench, *known, &looks);
  LearnShade(bench, looks, known);
  known->radii.reset();
  known->shape = LearnShape(bench, looks, known->shape);
  known->free_stretch = 0.0;
  SettleShade(bench, &looks, known);
}

void LearnShutter(const OutlineBench& bench, std::vector<Look> looks,
                  const ValueWithSigma& line_time, BallKnowledge* known) {
  known->shape.line_time = line_time;
  FitLooks(bench, *known, &looks);
  if (!MostlyShadowed(looks))
    std::erase_if(looks, [](const Look& look) { return look.Shadowed(); });
  SettleShade(bench, &looks, known);
}

}  // namespace percuss::tracking
