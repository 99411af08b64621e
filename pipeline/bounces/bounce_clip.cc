// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/error.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/video/sound_reader.h"
#include "capture/video/tone.h"
#include "pipeline/bounces/bounce_knowledge.h"
#include "pipeline/bounces/seen_ball.h"
#include "pipeline/progress.h"

namespace percuss::pipeline {
namespace {

calibration::Camera LensOf(const std::filesystem::path& file, const cv::Size& size) {
  const calibration::RigCalibration rig = calibration::ReadCalibration(file);
  const calibration::Camera& camera = rig.cameras.front().camera;
  if (camera.width != size.width || camera.height != size.height)
    throw InputError(fmt::format("{}: pictures of {} x {}, allowed {} x {} as the clip has",
                                 file.string(), camera.width, camera.height, size.width,
                                 size.height));
  return camera;
}

capture::SeriesOptions SeriesOptionsOf(const BounceOptions& options) {
  capture::SeriesOptions series;
  if (options.scale.gravity) {
    series.gravity = options.scale.gravity->value;
    series.gravity_sigma = options.scale.gravity->sigma;
  }
  if (const auto drag = DragOf(options)) {
    series.drag = drag->value;
    series.drag_sigma = drag->sigma;
  }
  if (options.drop_height) {
    series.drop_height = options.drop_height->value;
    series.drop_height_sigma = options.drop_height->sigma;
  }
  if (options.contact_time) {
    series.contact_time = options.contact_time->value;
    series.contact_time_sigma = options.contact_time->sigma;
  }
  return series;
}

/// The air lifts a ball that spins. @return whether any spin is known
bool LearnLift(const std::vector<tracking::BallSpin>& spins, tracking::BounceSetting* setting) {
  setting->spins.clear();
  for (const tracking::BallSpin& spin : spins) {
    setting->spins.emplace_back();
    if (spin.reason.empty()) setting->spins.back() = spin.omega;
  }
  return std::ranges::any_of(setting->spins, [](const auto& spin) { return spin.has_value(); });
}

/// Whether no sound is farther from its contact than chance allows.
bool SoundFits(const tracking::BounceFit& fit, const std::vector<tracking::HeardContact>& heard) {
  return std::ranges::all_of(heard, [&](const tracking::HeardContact& sound) {
    const double off = sound.time - fit.bounces[sound.bounce].time - fit.sound_offset.value;
    return std::abs(off) <
           4.0 * std::hypot(sound.sigma, fit.Sigma(sound.bounce, tracking::kBounceTime));
  });
}

/// Why no bounce says what e is; empty if one does.
std::string ReasonWithoutE(const tracking::BounceFit& fit) {
  constexpr double kSaysNothing = 1.0;  // as wide as all that e may be
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < fit.bounces.size(); ++k)
    least = std::min(least, fit.Sigma(k, tracking::kBounceE));
  if (least < kSaysNothing) return {};
  return fmt::format(
      "found no bounce that shows e: of {} the best has a sigma of {:.2g}, allowed less than {:g}: "
      "what was followed is no ball, or its flights are too short; film closer and at a higher "
      "frame rate",
      fit.bounces.size(), least, kSaysNothing);
}

void Warn(const BounceClip& clip, std::vector<std::string>* warnings) {
  const tracking::BounceFit& fit = clip.fit;
  for (const std::string& warning : clip.scale.warnings) warnings->push_back(warning);
  const double lost =
      1.0 - static_cast<double>(fit.used.size()) / static_cast<double>(clip.ball.sightings.size());
  if (lost > 0.25) {
    warnings->push_back(fmt::format(
        "{:.0f} % of the frames lie off the fitted motion: something else touches or hides the "
        "ball, or the ground is not flat",
        100.0 * lost));
  }
  if (const int left = clip.ball.left_flights; left > 0) {
    warnings->push_back(fmt::format(
        "{} at an end of the clip left out: so low that its shadow touches the ball, or "
        "hardly seen",
        left == 1 ? "one flight is" : fmt::format("{} flights are", left)));
  }
  constexpr double kWorse = 3.0;
  if (fit.noise_scale > kWorse) {
    warnings->push_back(
        fmt::format("outlines lie {:.1f} times farther off the motion than their sigmas say: is it "
                    "the ball, and not its shadow? --ball X,Y takes what passes a pixel",
                    fit.noise_scale));
  }
  if (fit.gravity.sigma / fit.gravity.value > 0.1)
    warnings->push_back("the flights are too short to show gravity within 10 %");
}

}  // namespace

BounceClip MeasureBounces(const std::filesystem::path& clip, const BounceOptions& options,
                          Progress* progress) {
  const capture::VideoReader reader(clip, options.clock);
  BounceOptions known = options;
  known.camera = CameraOfClip(reader, options.clock);
  const capture::SoundTrack sound = capture::ReadSound(options.sound.value_or(clip));
  const bool slow =
      sound.reason.empty() && !options.sound && std::abs(reader.TimeScale() - 1.0) > 0.01;
  return MeasureBounces(tracking::FramesOf(clip, options.clock), sound, slow, clip.string(), known,
                        progress);
}

BounceClip MeasureBounces(const tracking::ClipFrames& frames, const capture::SoundTrack& sound,
                          bool slow, const std::string& name, const BounceOptions& options,
                          Progress* progress) {
  BounceClip result;
  result.frames = frames;
  result.camera = options.camera;
  result.warnings = options.camera.warnings;
  // What was odd about the clip may be why.
  const auto refuse = [&](const std::string& reason, const std::vector<std::string>& odd = {}) {
    throw DataError(fmt::format("{}: {}{}", name, reason, odd.empty() ? "" : "; " + odd.front()));
  };
  const auto begin = [&](const char* step) {
    if (progress != nullptr) progress->Update(step, 0.0);
  };
  begin("read");
  try {
    result.survey = tracking::SurveyClip(result.frames);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.find(name) != std::string::npos) throw;
    throw InputError(fmt::format("{}: {}", name, what));
  }
  result.frame_rate = RateOf(result.survey.times);
  begin("find the ball");
  const tracking::FoundBall found = tracking::FindBall(result.survey, {.near = options.ball});
  if (!found.reason.empty()) refuse(found.reason);
  result.warnings.insert(result.warnings.end(), found.warnings.begin(), found.warnings.end());
  std::optional<calibration::Camera> lens;
  if (options.lens) lens = LensOf(*options.lens, result.survey.size);
  SeenBall seen = SeeBall(result.frames, result.survey, found.ball, lens, options, begin);
  if (!seen.fit.reason.empty()) refuse(seen.fit.reason, found.warnings);
  result.ball = std::move(seen.ball);
  result.fit = std::move(seen.fit);
  result.focal = seen.focal;
  begin("measure the spin");
  result.spins = SpinsOfFlights(result.frames, result.survey.shake, result.ball, result.fit,
                                capture::LightOfGrey(options.tone), options.jobs);
  if (LearnLift(result.spins, &seen.setting)) {
    const tracking::BounceFit lifted = FitSeen(result.ball, seen.setting);
    if (lifted.reason.empty()) result.fit = lifted;
  }
  result.by_eye = MeanOfBounces(result.fit);
  result.mean = result.by_eye;
  begin("listen");
  result.sound =
      HearContacts(capture::FindContactOnsets(sound), SeriesOptionsOf(options), result.fit, slow);
  if (!result.sound.heard.empty()) {
    seen.setting.heard = result.sound.heard;
    const tracking::BounceFit both = FitSeen(result.ball, seen.setting);
    if (both.reason.empty() && SoundFits(both, result.sound.heard)) {
      result.fit = both;
      result.mean = MeanOfBounces(both);
    } else {
      result.sound.heard.clear();
      result.sound.reason = "the sounds contradict the pictures by more than their sigmas";
    }
  }
  if (const std::string reason = ReasonWithoutE(result.fit); !reason.empty())
    refuse(reason, found.warnings);
  const bool scaled = options.scale.diameter || options.scale.length || options.scale.gravity;
  if (options.ruler || !scaled) {
    begin("look for a ruler");
    result.ruler = tracking::FindRuler(result.ball.ground);
  }
  TypedScale typed = options.scale;
  if (options.ruler) typed.ruler = LengthOfRuler(result.ruler, *options.ruler, &result.warnings);
  result.ruler_line = RulerLine(result.ruler, typed);
  result.scale = ScaleOf(typed, result.fit, result.frame_rate,
                         options.clock.frame_rate ? "--fps says" : "the file says");
  if (options.mass) result.body.mass = *options.mass;
  if (options.inertia_factor) result.body.inertia_factor = *options.inertia_factor;
  result.speed = FitSpeedModels({.name = name, .fit = &result.fit, .radius = result.scale.radius},
                                result.body);
  Warn(result, &result.warnings);
  return result;
}

capture::BounceSeries HearBounces(const std::filesystem::path& sound,
                                  const BounceOptions& options) {
  const capture::SoundTrack track = capture::ReadSound(sound);
  capture::BounceSeries series =
      capture::FindBounceSeries(capture::FindContactOnsets(track), SeriesOptionsOf(options));
  if (!series.reason.empty()) throw DataError(fmt::format("{}: {}", sound.string(), series.reason));
  return series;
}

}  // namespace percuss::pipeline
