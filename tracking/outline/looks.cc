// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/looks.h"

#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"
#include "base/parallel.h"
#include "tracking/spots/marker_detection.h"

namespace percuss::tracking {

bool Look::Seen() const {
  constexpr double kLeastVisible = 0.6;  // of the outline
  return fit.found && fit.visible >= kLeastVisible;
}

bool Look::Shadowed() const {
  constexpr double kMostShadowed = 0.08;  // of the outline
  return fit.shadowed > kMostShadowed;
}

double GrowthIn(const OutlineBench& bench, const OutlineShape& shape, const Look& look,
                const Eigen::Vector2d& place) {
  return GrowthOf(shape.inverse_focal_squared.value, shape.line_time.value, place,
                  look.lookout.velocity, bench.roll);
}

ValueWithSigma RadiusIn(const OutlineBench& bench, const BallKnowledge& known, const Look& look,
                        const Eigen::Vector2d& place) {
  const ValueWithSigma radius = known.radii->At(look.lookout.time, place);
  const double growth = GrowthIn(bench, known.shape, look, place);
  return {radius.value * growth, radius.sigma * growth};
}

LookPrior PriorOf(const OutlineBench& bench, const BallKnowledge& known, const Look& look) {
  const Eigen::Vector2d& velocity = look.lookout.velocity;
  LookPrior is{.start = look.fit.found ? look.fit.disc : look.start};
  const Eigen::Vector2d place = is.start.centre + look.Corner() - bench.middle;
  is.start.stretch = StretchOf(known.shape.inverse_focal_squared.value, known.shape.line_time.value,
                               place, velocity, bench.roll);
  is.prior.stretch = known.free_stretch;
  is.prior.scatter = known.scatter;
  is.prior.learn_scatter = known.learn_scatter;
  if (known.exposed) {
    is.start.sweep = velocity * known.exposure;
    is.prior.sweep = known.free_stretch > 0.0 ? 2.0 : 0.1;
  } else {
    is.prior.sweep = 2.0 + 0.3 * bench.frame_interval * velocity.norm();
  }
  if (known.shaded) is.seen = known.shade.SeenBy(look.camera_from_disc);
  if (known.radii) {
    const ValueWithSigma radius = RadiusIn(bench, known, look, place);
    is.prior.radius_at = radius.value;
    is.prior.radius = radius.sigma;
  }
  return is;
}

void FitLooks(const OutlineBench& bench, const BallKnowledge& known, std::vector<Look>* looks) {
  const double focal = 1.0 / std::sqrt(known.shape.inverse_focal_squared.value);
  ParallelFor(static_cast<int>(looks->size()), bench.jobs, [&](int k) {
    Look& look = (*looks)[k];
    const SweptDisc& disc = look.fit.found ? look.fit.disc : look.start;
    look.camera_from_disc =
        CameraFromDisc(disc.centre + look.Corner() - bench.middle, Eigen::Vector2d::Zero(), focal);
    LookPrior is = PriorOf(bench, known, look);
    if (known.shaded) is.prior.shade = &is.seen;
    // Fits without a shade have other levels.
    const DiscLevels levels = look.fit.levels;
    if (look.shaded && look.fit.found) is.prior.levels = &levels;
    look.fit = FitDisc(bench.PictureOf(look), is.start, is.prior);
    look.shaded = known.shaded;
  });
}

bool MostlyShadowed(const std::vector<Look>& looks) {
  return 2 * std::ranges::count_if(looks, &Look::Shadowed) >= std::ssize(looks);
}

std::vector<Look> LooksOf(const ClipFrames& frames, const ClipSurvey& survey,
                          const std::vector<Lookout>& lookouts, const cv::Mat& ground,
                          OutlineBench* bench) {
  std::vector<Look> looks;
  std::vector<double> noises;
  std::size_t next = 0;
  frames([&](int index, double, const cv::Mat& luma) {
    if (next >= lookouts.size() || lookouts[next].frame != index) return;
    if (next % (lookouts.size() / 5 + 1) == 0) noises.push_back(EstimateGreyNoise(luma));
    Look& look = looks.emplace_back();
    look.lookout = lookouts[next++];
    look.start = look.lookout.start;
    look.start.centre = survey.shake.InFrame(index, look.start.centre);
    look.patch = PatchOf(look.start, survey.size);
    look.start.centre -= look.Corner();
    look.luma = luma(look.patch).clone();
    look.ground = ToFrame(survey.shake, index, ground, look.patch);
  });
  bench->noise = std::max(0.5, Median(noises));
  return looks;
}

}  // namespace percuss::tracking
