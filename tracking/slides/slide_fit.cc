// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/math/statistics.h"
#include "tracking/slides/slide_starts.h"

namespace percuss::tracking {

const char* SlideStartName(SlideStart start) {
  switch (start) {
    case SlideStart::kFromRest:
      return "from-rest";
    case SlideStart::kKnocked:
      return "knocked";
    case SlideStart::kMoving:
      return "moving";
  }
  return "moving";
}

namespace {

using Eigen::VectorXd;

constexpr double kRestBefore = 1.0;   ///< of the rest before the start that is fitted [s]
constexpr double kTurnBefore = 0.75;  ///< likewise, of a plate that turns [s]
constexpr int kFewestSliding = 6;

/// Frames from some time before the start on.
std::vector<int> FromShortlyBefore(double start, double before, const std::vector<int>& places,
                                   std::span<const TrackedFrame> frames) {
  std::vector<int> kept;
  for (const int place : places) {
    if (frames[place].time >= start - before) kept.push_back(place);
  }
  return kept;
}

/// Those of `kept` but for frames that are far from the fit to `places`: wrong labels. More than
/// one in twenty is no accident.
std::vector<int> WithoutOutliers(const VectorXd& residuals, int per_frame,
                                 const std::vector<int>& places, const std::vector<int>& kept) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    sizes.push_back(residuals.segment(per_frame * static_cast<Eigen::Index>(i), per_frame).norm());
  }
  const double gate = 8.0 * std::max(Median(sizes), 1e-12);
  std::vector<int> outliers;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (sizes[i] >= gate) outliers.push_back(places[i]);
  }
  if (20 * outliers.size() > places.size()) return kept;
  std::vector<int> rest;
  std::ranges::set_difference(kept, outliers, std::back_inserter(rest));
  return rest;
}

/// By how much errors that neighbouring frames share widen variances: 1 + 2 sum rho_k, summed while
/// rho_k is positive and beyond two standard errors (Geyer 1992, as InflationOverFrames).
double InflationOf(const VectorXd& residuals, int per_frame) {
  const Eigen::Index count = residuals.size() / per_frame;
  const double variance = residuals.squaredNorm() / static_cast<double>(residuals.size());
  double inflation = 1.0;
  for (Eigen::Index lag = 1; lag < count / 4 && variance > 0.0; ++lag) {
    const Eigen::Index pairs = (count - lag) * per_frame;
    const double rho =
        residuals.head(pairs).dot(residuals.tail(pairs)) / (static_cast<double>(pairs) * variance);
    if (rho < 2.0 / std::sqrt(static_cast<double>(pairs))) break;
    inflation += 2.0 * rho;
  }
  return inflation;
}

/// By how much the sigmas of the poses fall short.
double ScaleOf(const SlideCandidate& candidate, const Shown& shown) {
  const auto dof = static_cast<double>(shown.values.size() - candidate.solution.x.size());
  return std::sqrt(std::max(1.0, candidate.solution.chi2 / std::max(1.0, dof)));
}

/// Slope of the way sideways over the way along, weighted least squares.
double SidewaysSlope(const std::vector<double>& ways, const Shown& shown, double* sigma) {
  double w = 0.0, ws = 0.0, wss = 0.0, wy = 0.0, wsy = 0.0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double weight = 1.0 / (shown.sideways_sigma[i] * shown.sideways_sigma[i]);
    w += weight;
    ws += weight * ways[i];
    wss += weight * ways[i] * ways[i];
    wy += weight * shown.sideways[i];
    wsy += weight * ways[i] * shown.sideways[i];
  }
  const double determinant = w * wss - ws * ws;
  *sigma = std::sqrt(w / determinant);
  return (w * wsy - ws * wy) / determinant;
}

/// The model whose friction may change, from the solution of that without.
SlideCandidate WithChange(const SlideModel& model, const VectorXd& x, const Shown& shown) {
  SlideModel changing = model;
  changing.changes = true;
  VectorXd start(changing.Size());
  start << x, 0.0;
  return {changing, SolveSlide(changing, start, shown, 15)};
}

SlideValues ValuesOf(const SlideModel& model, const VectorXd& x, const Shown& shown, double change,
                     double* direction_sigma = nullptr) {
  const SlideAtStart at = StartOf(model, x);
  double sigma = 0.0;
  const double slope = SidewaysSlope(SlideWays(model, x, shown.times), shown, &sigma);
  if (direction_sigma) *direction_sigma = sigma;
  // On a plate that is nearly level nothing is downhill.
  const bool sloped = std::tan(at.angle) > 0.05;
  return {x[model.Friction()],
          at.angle,
          at.ratio,
          at.acceleration,
          model.StartTimeOf(x),
          model.knocked ? x[model.StartSpeed()] : 0.0,
          sloped ? std::atan(slope) - at.downhill : kNaN,
          change};
}

/// Standard deviations of the values by the pixels, the unknowns having this covariance.
void SetNoise(const SlideModel& model, const VectorXd& x, const Eigen::MatrixXd& covariance,
              SlideEstimate* estimate) {
  const auto sigma_of = [&](const auto& value) {
    VectorXd gradient(x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const double step = 1e-3 * std::sqrt(std::max(covariance(i, i), 1e-24));
      VectorXd high = x, low = x;
      high[i] += step;
      low[i] -= step;
      gradient[i] = (value(high) - value(low)) / (2.0 * step);
    }
    return std::sqrt(gradient.dot(covariance * gradient));
  };
  const auto at_start = [&](double SlideAtStart::*member) {
    return sigma_of([&](const VectorXd& y) { return StartOf(model, y).*member; });
  };
  estimate->mu_k.noise_sigma = std::sqrt(covariance(model.Friction(), model.Friction()));
  estimate->angle.noise_sigma = model.Turns() ? at_start(&SlideAtStart::angle) : 0.0;
  estimate->start_ratio.noise_sigma = model.Turns() ? at_start(&SlideAtStart::ratio) : 0.0;
  estimate->acceleration.noise_sigma = at_start(&SlideAtStart::acceleration);
  estimate->start_time.noise_sigma =
      model.rests ? std::sqrt(covariance(model.StartTime(), model.StartTime())) : 0.0;
  estimate->start_speed.noise_sigma =
      model.knocked ? std::sqrt(covariance(model.StartSpeed(), model.StartSpeed())) : 0.0;
}

void SetPoints(const SlideFit& fit, const Shown& shown, std::span<const TrackedFrame> frames,
               SlideEstimate* estimate) {
  const std::vector<double> ways = SlideWays(fit.model, fit.x, shown.times);
  double squares = 0.0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const PlateState plate = PlateAt(fit.model, fit.x, shown.times[i]);
    double way = 0.0;
    if (fit.model.Turns()) {
      // Turned back to where the plate lay at first.
      const auto seen = shown.values.segment<3>(3 * static_cast<Eigen::Index>(i));
      const double along = seen[0] - fit.x[fit.model.Axis()],
                   above = seen[1] - fit.x[fit.model.Axis() + 1];
      way = along * std::cos(plate.turn) - above * std::sin(plate.turn) - fit.x[fit.model.Place()];
    } else {
      way = shown.values[static_cast<Eigen::Index>(i)] - fit.x[fit.model.Place()];
    }
    squares += (way - ways[i]) * (way - ways[i]);
    estimate->points.push_back(
        {.frame = frames[fit.frames[i]].left_frame,
         .time = shown.times[i],
         .s = way,
         .fitted = ways[i],
         .angle = std::atan2(std::hypot(plate.along, fit.model.gravity.dot(shown.axes.e)),
                             plate.normal)});
  }
  estimate->rms = std::sqrt(squares / static_cast<double>(ways.size()));
  estimate->path = ways.back();
  estimate->first_frame = estimate->points.front().frame;
  estimate->last_frame = estimate->points.back().frame;
  estimate->frames = static_cast<int>(ways.size());
}

/// mu_s, or why there is none.
void SetStaticFriction(const SlideFit& fit, SlideEstimate* estimate) {
  const double ratio = estimate->start_ratio.value;
  const PlateState plate = PlateAt(fit.model, fit.x, fit.model.StartTimeOf(fit.x));
  constexpr double kSlowest = 0.5 * kSlideDegree;  // [rad/s]: a slope that does not change any more
  const bool turning = plate.rate > kSlowest;
  if (estimate->start == SlideStart::kMoving) {
    estimate->mu_s_reason = "the body moves in all frames: its start is not seen";
  } else if (estimate->start == SlideStart::kKnocked) {
    estimate->mu_s_reason = fmt::format(
        "the body starts with {:.3f} m/s, it was pushed: mu_s is at least {:.4f} if it rested "
        "unaided before",
        estimate->start_speed.value, ratio);
  } else if (!turning) {
    estimate->mu_s_reason = fmt::format(
        "the slope does not change: mu_s is at least {0:.4f} if the body rested unaided before "
        "something set it in motion, at most {0:.4f} if it was held and let go",
        ratio);
  } else {
    estimate->mu_s = estimate->start_ratio;
  }
}

/// Why a fit says nothing, or nothing.
std::string NoSlide(const SlideFit& fit, const Shown& shown) {
  const double start = fit.model.StartTimeOf(fit.x);
  const auto sliding = std::ranges::count_if(shown.times, [&](double t) { return t > start; });
  if (sliding < kFewestSliding) {
    return fmt::format("the body slides in {} frames, of at least {}", sliding, kFewestSliding);
  }
  if (!fit.model.Turns()) return {};
  const double turned =
      PlateAt(fit.model, fit.x, start).turn - PlateAt(fit.model, fit.x, shown.times.front()).turn;
  if (std::abs(turned) < kSlideDegree || start < shown.times[2]) {
    return fmt::format(
        "the plate turns by {:.1f} deg before the body slides, of at least 1: its axis is not seen",
        turned / kSlideDegree);
  }
  return {};
}

/// Fits the starts to the run, then again to what lies shortly before the best start.
SlideCandidate FitRun(std::span<const TrackedFrame> frames, const SlideSetting& setting,
                      SlideFit* fit, Shown* shown) {
  const bool tilting = fit->run.tilting;
  const double before = tilting ? kTurnBefore : kRestBefore;
  // A turn by hand is no polynomial for longer.
  constexpr double kLongest = 2.5;  // [s]
  fit->frames = fit->run.frames;
  if (tilting) {
    fit->frames = FromShortlyBefore(frames[fit->frames.back()].time, kLongest, fit->frames, frames);
  }
  *shown = Show(frames, fit->run, fit->frames, setting);
  SlideCandidate best = FitStarts(*shown, tilting, setting, &fit->estimate.start);
  const double start = best.model.StartTimeOf(best.solution.x);
  std::vector<int> kept = FromShortlyBefore(start, before, fit->run.frames, frames);
  kept = WithoutOutliers(SlideResiduals(best.model, best.solution.x, *shown), best.model.PerFrame(),
                         fit->frames, kept);
  if (kept == fit->frames) return best;
  fit->frames = kept;
  *shown = Show(frames, fit->run, fit->frames, setting);
  return FitStarts(*shown, tilting, setting, &fit->estimate.start);
}

}  // namespace

SlideFit FitSlide(std::span<const TrackedFrame> frames, const SlideSetting& setting) {
  SlideFit fit;
  SlideEstimate& estimate = fit.estimate;
  fit.run = FindSlidingRun(frames, setting);
  estimate.reason = estimate.mu_s_reason = fit.run.reason;
  estimate.tilting = fit.run.tilting;
  if (!estimate.usable()) return fit;
  Shown shown;
  const SlideCandidate best = FitRun(frames, setting, &fit, &shown);
  fit.model = best.model;
  fit.x = best.solution.x;
  estimate.reason = estimate.mu_s_reason = NoSlide(fit, shown);
  if (!estimate.usable()) return fit;

  estimate.noise_scale = ScaleOf(best, shown);
  estimate.correlation_inflation =
      InflationOf(SlideResiduals(fit.model, fit.x, shown), fit.model.PerFrame());
  const double variance_factor =
      estimate.noise_scale * estimate.noise_scale * estimate.correlation_inflation;
  SetPoints(fit, shown, frames, &estimate);
  fit.model.path = estimate.path;
  const SlideCandidate changing = WithChange(fit.model, fit.x, shown);
  const int change = changing.model.Change();
  double direction_sigma = 0.0;
  const SlideValues values =
      ValuesOf(fit.model, fit.x, shown, changing.solution.x[change], &direction_sigma);
  for (std::size_t i = 0; i < values.size(); ++i) (estimate.*kSlideNumbers[i]).value = values[i];
  SetNoise(fit.model, fit.x, variance_factor * best.solution.covariance, &estimate);
  estimate.direction.noise_sigma = std::sqrt(variance_factor) * direction_sigma;
  // With the noise that is left where friction may change: what it does is none.
  const double change_factor =
      std::pow(ScaleOf(changing, shown), 2) *
      InflationOf(SlideResiduals(changing.model, changing.solution.x, shown),
                  changing.model.PerFrame());
  estimate.friction_change.noise_sigma =
      std::sqrt(change_factor * changing.solution.covariance(change, change));
  if (estimate.tilting) {
    // All turns are counted from the attitude at first, which has an error of its own.
    SlideSetting turned = setting;
    turned.turn_error = std::sqrt(variance_factor) * shown.turn_error;
    const SlideValues by_turn = RefitSlide(fit, frames, turned);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& sigma = (estimate.*kSlideNumbers[i]).noise_sigma;
      sigma = std::hypot(sigma, by_turn[i] - values[i]);
    }
  }
  SetStaticFriction(fit, &estimate);
  return fit;
}

SlideValues RefitSlide(const SlideFit& fit, std::span<const TrackedFrame> frames,
                       const SlideSetting& setting) {
  const Shown shown = Show(frames, fit.run, fit.frames, setting);
  SlideModel model = fit.model;
  model.axes = shown.axes;
  model.gravity = setting.gravity;
  const VectorXd x = SolveSlide(model, fit.x, shown, 4).x;
  const SlideCandidate changing = WithChange(model, x, shown);
  return ValuesOf(model, x, shown, changing.solution.x[changing.model.Change()]);
}

}  // namespace percuss::tracking
