// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/seen_ball.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "capture/video/tone.h"

namespace percuss::pipeline {
namespace {

tracking::BounceSetting SettingOf(const tracking::ClipSurvey& survey,
                                  const tracking::MeasuredBall& ball,
                                  const std::optional<calibration::Camera>& lens,
                                  const BounceOptions& options) {
  const tracking::OutlineShape& shape = ball.shape;
  tracking::BounceSetting setting;
  setting.width = survey.size.width;
  setting.height = survey.size.height;
  setting.camera = lens;
  const double focal = 1.0 / std::sqrt(shape.inverse_focal_squared.value);
  setting.focal = {focal, 0.5 * shape.inverse_focal_squared.sigma * std::pow(focal, 3)};
  setting.line_time = shape.line_time;
  setting.frame_interval = 1.0 / RateOf(survey.times);
  setting.exposure = ball.exposure;
  setting.roll = RollOf(survey.size, options.camera.turn);
  setting.tilt_sigma = options.level_sigma;
  if (const auto drag = DragOf(options)) {
    const double radius = 0.5 * options.scale.diameter->value;
    setting.drag = {drag->value * radius, drag->sigma * radius};
  }
  if (options.contact_time) {
    setting.dwell = *options.contact_time;
  }
  return setting;
}

/// Whether the motion tells of another shutter than the outlines did, by more than they are good
/// to.
bool ShutterMattersTo(const SeenBall& seen) {
  constexpr double kGoodTo = 0.02;  // [px]
  double fastest = 0.0, radius = 0.0;
  for (const tracking::BounceEstimate& bounce : seen.fit.bounces) {
    fastest = std::max(fastest, bounce.before * bounce.px_per_radius);
    radius = std::max(radius, bounce.px_per_radius);
  }
  // Half of it stretches the outline (StretchOf).
  const double wrong = seen.fit.line_time.value - seen.ball.shape.line_time.value;
  return 0.5 * std::abs(wrong) * fastest * radius > kGoodTo;
}

/// Whether a fit of the same ball, measured again, explains about as many frames about as well.
bool AsGoodAs(const tracking::BounceFit& fit, const tracking::BounceFit& again) {
  constexpr double kWorse = 1.2, kFewer = 0.9;
  return again.reason.empty() &&
         again.noise_scale<kWorse * fit.noise_scale&& static_cast<double>(again.used.size())>
                 kFewer *
             static_cast<double>(fit.used.size());
}

/// Without flights at the ends of which a fit makes nothing, as of those that few frames show.
tracking::BounceFit FitWhatCanBe(tracking::MeasuredBall* ball,
                                 const tracking::BounceSetting& setting) {
  tracking::BounceFit fit = FitSeen(*ball, setting);
  tracking::MeasuredBall less = *ball;
  while (!fit.reason.empty() && less.flights.size() > 2) {
    ++less.left_flights;
    for (const bool last : {true, false}) {
      tracking::MeasuredBall one = less;
      one.flights.erase(last ? one.flights.end() - 1 : one.flights.begin());
      tracking::BounceFit again = FitSeen(one, setting);
      if (again.reason.empty()) {
        *ball = std::move(one);
        return again;
      }
    }
    less.flights.pop_back();
  }
  return fit;
}

}  // namespace

tracking::BounceFit FitSeen(const tracking::MeasuredBall& ball,
                            const tracking::BounceSetting& setting) {
  std::vector<tracking::FlightRange> flights;
  for (const tracking::RoughFlight& flight : ball.flights)
    flights.push_back({flight.first, flight.last});
  return tracking::FitBounces(ball.sightings, flights, ball.down, setting);
}

SeenBall SeeBall(const tracking::ClipFrames& frames, const tracking::ClipSurvey& survey,
                 const tracking::BallTrack& track, const std::optional<calibration::Camera>& lens,
                 const BounceOptions& options, const std::function<void(const char*)>& begin) {
  const auto step = [&](const char* name) {
    if (begin) begin(name);
  };
  SeenBall seen;
  seen.focal = FocalBefore(survey.size, lens, options);
  const tracking::MeasureOptions measure{.light_of_grey = capture::LightOfGrey(options.tone),
                                         .roll = RollOf(survey.size, options.camera.turn),
                                         .focal = seen.focal.focal,
                                         .jobs = options.jobs};
  step("measure the ball");
  tracking::OutlineWork work = tracking::LookAtBall(frames, survey, track, measure);
  seen.ball = tracking::MeasureBall(survey.shake, &work);
  seen.setting = SettingOf(survey, seen.ball, lens, options);
  step("fit flights and bounces");
  seen.fit = FitWhatCanBe(&seen.ball, seen.setting);
  if (!seen.fit.reason.empty() || !ShutterMattersTo(seen)) return seen;
  // What outlines said of the shutter at first stays what is known before the second fit: what the
  // first fit says is not known twice.
  SeenBall again{.focal = seen.focal, .ball = {}, .setting = seen.setting, .fit = {}};
  step("measure the ball again");
  again.ball = tracking::MeasureAgain(survey.shake, seen.fit.line_time, &work);
  again.setting.exposure = again.ball.exposure;
  step("fit flights and bounces");
  again.fit = FitWhatCanBe(&again.ball, again.setting);
  return AsGoodAs(seen.fit, again.fit) ? again : seen;
}

}  // namespace percuss::pipeline
