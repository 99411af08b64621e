// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/space/space_bounces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text/numbers.h"
#include "pipeline/bounces/bounce_knowledge.h"
#include "pipeline/bounces/seen_ball.h"
#include "pipeline/progress.h"
#include "pipeline/space/centre_table.h"

namespace percuss::pipeline {
namespace {

tracking::SpaceSetting SpaceSettingOf(const BounceOptions& options, const SpaceOptions& space) {
  tracking::SpaceSetting setting;
  setting.gravity = options.scale.gravity;
  setting.up = space.up;
  setting.drag = DragOf(options);
  setting.tilt_sigma = options.level_sigma;
  if (options.contact_time) {
    setting.dwell = options.contact_time->value;
    setting.dwell_sigma = options.contact_time->sigma;
  }
  return setting;
}

double RelativeOf(const ValueWithSigma& one) { return one.sigma / one.value; }

/// Compares what the fit says of lengths and times with what is known otherwise.
void CompareScales(const BounceOptions& options, const char* mends, SpaceBounces* bounces) {
  constexpr double kEarth = 9.807, kEarthSigma = 0.02;  // [m/s^2]
  constexpr double kBuoyancy = 0.02;                    // of gravity, of light balls
  constexpr double kFar = 3.3;                          // sigmas
  BounceClip& clip = bounces->clip;
  const ValueWithSigma &g = clip.fit.gravity, &radius = bounces->space.radius;
  std::vector<std::string>& warnings = clip.warnings;
  const ValueWithSigma earth{kEarth, std::hypot(kEarthSigma, 0.5 * kBuoyancy * kEarth)};
  const double slowdown = std::sqrt(kEarth / g.value);
  clip.scale.slowdown = {slowdown, 0.5 * slowdown * std::hypot(RelativeOf(g), RelativeOf(earth))};
  if (!options.scale.gravity && std::abs(slowdown - 1.0) > kFar * clip.scale.slowdown.sigma)
    warnings.push_back(fmt::format("the ball falls with {} m/s^2 where gravity is {}: {}",
                                   FormatWithSigma(g), kEarth, mends));
  if (!std::isfinite(radius.value)) return;
  clip.scale.readings.push_back({"baseline", radius, true});
  if (options.scale.diameter) {
    const ValueWithSigma typed{0.5 * options.scale.diameter->value,
                               0.5 * options.scale.diameter->sigma};
    clip.scale.readings.push_back({"diameter", typed, true});
    const double apart =
        std::log(radius.value / typed.value) / std::hypot(RelativeOf(radius), RelativeOf(typed));
    if (std::abs(apart) > kFar)
      warnings.push_back(fmt::format(
          "the calibration gives a ball of {:.2f} mm, --diameter one of {:.2f} mm: they differ by "
          "{:.1f} sigmas",
          2e3 * radius.value, 2e3 * typed.value, std::abs(apart)));
  }
  const double by_gravity = radius.value * kEarth / g.value;
  const double relative = std::hypot(RelativeOf(radius), RelativeOf(g), RelativeOf(earth));
  clip.scale.readings.push_back({"gravity", {by_gravity, by_gravity * relative}, false});
}

void Conclude(const std::string& name, const BounceOptions& options, const char* mends,
              SpaceBounces* bounces) {
  BounceClip& clip = bounces->clip;
  clip.fit = bounces->space.fit;
  if (!clip.fit.reason.empty()) throw DataError(fmt::format("{}: {}", name, clip.fit.reason));
  clip.scale.radius = {1.0, 0.0};
  bounces->radius = bounces->space.radius;
  if (const auto& diameter = options.scale.diameter)
    bounces->radius = {0.5 * diameter->value, 0.5 * diameter->sigma};
  if (options.mass) clip.body.mass = *options.mass;
  if (options.inertia_factor) clip.body.inertia_factor = *options.inertia_factor;
  clip.by_eye = clip.mean = MeanOfBounces(clip.fit);
  CompareScales(options, mends, bounces);
  // e of a sphere does not depend on its radius: one of a metre does.
  clip.speed =
      FitSpeedModels({.name = name, .fit = &clip.fit, .radius = clip.scale.radius}, clip.body);
}

/// Means over the rows of each flight; rows during a contact count for neither.
std::vector<FlightSpin> SpinsOf(const CentreTable& table, const tracking::BounceFit& fit) {
  std::vector<FlightSpin> spins(fit.contacts.size() + 1);
  std::vector<std::vector<Eigen::Vector3d>> rows(spins.size());
  for (const int i : fit.used) {
    const double time = table.places[i].time;
    std::size_t flight = 0;
    for (const tracking::BallContact& contact : fit.contacts) flight += contact.time < time;
    if (rows[flight].empty()) spins[flight].begin = time;
    spins[flight].end = time;
    rows[flight].push_back(table.spin[i]);
  }
  for (std::size_t k = 0; k < spins.size(); ++k) {
    const auto n = static_cast<double>(rows[k].size());
    spins[k].rows = static_cast<int>(rows[k].size());
    for (const Eigen::Vector3d& one : rows[k]) spins[k].mean += one / n;
    for (const Eigen::Vector3d& one : rows[k])
      spins[k].sigma += (one - spins[k].mean).cwiseAbs2() / (n * (n - 1.0));
    spins[k].sigma = spins[k].sigma.cwiseSqrt();
  }
  return spins;
}

/// One of the two clips: where its ball is.
struct ViewOfClip {
  tracking::ClipSurvey survey;
  tracking::MeasuredBall ball;
  tracking::SpaceCamera camera;
};

ViewOfClip LookAt(const tracking::ClipFrames& frames, const std::string& name,
                  const calibration::Camera& camera, BounceOptions options,
                  const capture::RecordedCamera& recorded) {
  ViewOfClip view;
  view.survey = tracking::SurveyClip(frames);
  const cv::Size size = view.survey.size;
  if (camera.width != size.width || camera.height != size.height)
    throw InputError(fmt::format("{}: pictures of {} x {}, allowed {} x {} as the calibration has",
                                 name, size.width, size.height, camera.width, camera.height));
  const tracking::FoundBall found = tracking::FindBall(view.survey, {});
  if (!found.reason.empty()) throw DataError(fmt::format("{}: {}", name, found.reason));
  options.camera = recorded;
  view.camera.roll = RollOf(size, recorded.turn);
  view.ball = SeeBall(frames, view.survey, found.ball, camera, options, {}).ball;
  // A readout lasts at most as long as a frame, either way. What outlines say of it is left out: a
  // hundredth of a pixel of their shape is as much as 1 % of e, and the motion shows it as well.
  const double rows = view.camera.roll.y() != 0.0 ? size.height : size.width;
  view.camera.line_time = {0.0, 0.5 / RateOf(view.survey.times) / rows};
  view.camera.exposure = view.ball.exposure;
  return view;
}

}  // namespace

SpaceBounces MeasureTable(const capture::MotionSource& source, const BounceOptions& options,
                          const SpaceOptions& space) {
  const CentreTable table = ReadCentreTable(source);
  SpaceBounces result;
  result.inputs = {source.file.string()};
  result.count = table.places.size();
  result.clip.source = "table";
  std::vector<double> times;
  for (const tracking::BallPlace& one : table.places) times.push_back(one.time);
  result.clip.frame_rate = RateOf(times);
  result.space = tracking::FitPlaces(table.places, SpaceSettingOf(options, space));
  Conclude(source.file.string(), options, "are lengths in metres and times in seconds?", &result);
  if (!table.spin.empty()) result.spins = SpinsOf(table, result.clip.fit);
  return result;
}

SpaceBounces MeasureTwoClips(const std::array<std::filesystem::path, 2>& clips,
                             const BounceOptions& options, const SpaceOptions& space,
                             Progress* progress) {
  if (!options.lens)
    throw std::invalid_argument(
        "--right: found no --lens, allowed a calibration.json of both cameras");
  const calibration::RigCalibration rig = calibration::ReadCalibration(*options.lens);
  if (rig.cameras.size() != 2) {
    throw InputError(fmt::format("{}: found a calibration of {} cameras, allowed 2 for --right",
                                 options.lens->string(), rig.cameras.size()));
  }
  SpaceOptions known = space;
  for (const std::size_t k : {0, 1})
    known.cameras[k] = CameraOfClip(capture::VideoReader(clips[k], options.clock), options.clock);
  return MeasureTwoClips(
      {tracking::FramesOf(clips[0], options.clock), tracking::FramesOf(clips[1], options.clock)},
      {clips[0].string(), clips[1].string()}, rig, options, known, progress);
}

SpaceBounces MeasureTwoClips(const std::array<tracking::ClipFrames, 2>& frames,
                             const std::array<std::string, 2>& names,
                             const calibration::RigCalibration& rig, const BounceOptions& options,
                             const SpaceOptions& space, Progress* progress) {
  const auto begin = [&](const char* step) {
    if (progress != nullptr) progress->Update(step, 0.0);
  };
  SpaceBounces result;
  result.inputs = {names[0], names[1]};
  result.clip.source = "videos";
  begin("left clip");
  ViewOfClip left = LookAt(frames[0], names[0], rig.cameras[0].camera, options, space.cameras[0]);
  begin("right clip");
  const ViewOfClip right =
      LookAt(frames[1], names[1], rig.cameras[1].camera, options, space.cameras[1]);
  begin("fit flights and bounces");
  const double slower = std::min(RateOf(left.survey.times), RateOf(right.survey.times));
  result.clip.frame_rate = RateOf(left.survey.times);
  result.count = left.ball.sightings.size() + right.ball.sightings.size();
  result.space = tracking::FitTwoViews(
      {left.ball.sightings, left.camera}, {right.ball.sightings, right.camera}, rig,
      space.clock_offset.value_or(ValueWithSigma{0.0, 1.0 / slower}),
      SpaceSettingOf(options, space));
  Conclude(names[0] + ", " + names[1], options,
           "is the frame rate (--fps) right, and the board of the calibration in metres?", &result);
  for (const capture::RecordedCamera& camera : space.cameras)
    result.clip.warnings.insert(result.clip.warnings.end(), camera.warnings.begin(),
                                camera.warnings.end());
  for (const ViewOfClip* view : {&std::as_const(left), &right}) {
    if (!view->survey.shake.shakes) continue;
    result.clip.warnings.push_back(
        fmt::format("{}: the camera moved by {:.1f} px rms; the calibration is of cameras at rest",
                    names[view == &right], view->survey.shake.rms_px));
  }
  const double used = static_cast<double>(result.clip.fit.used.size());
  if (used < 0.75 * static_cast<double>(result.count)) {
    result.clip.warnings.push_back(fmt::format(
        "{:.0f} % of the outlines lie off the fitted motion or outside what both cameras see: are "
        "LEFT and --right in the order of the calibration, and do they begin together?",
        100.0 - 100.0 * used / static_cast<double>(result.count)));
  }
  result.clip.survey = std::move(left.survey);
  result.clip.ball = std::move(left.ball);
  result.clip.frames = frames[0];
  return result;
}

}  // namespace percuss::pipeline
