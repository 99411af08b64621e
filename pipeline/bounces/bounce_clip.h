// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/math/common_value.h"
#include "pipeline/bounces/bounce_impacts.h"
#include "pipeline/bounces/bounce_knowledge.h"
#include "pipeline/bounces/bounce_options.h"
#include "pipeline/bounces/bounce_scale.h"
#include "pipeline/bounces/bounce_sound.h"
#include "pipeline/bounces/bounce_speed.h"
#include "pipeline/bounces/bounce_spin.h"
#include "tracking/bounces/bounce_fit.h"
#include "tracking/outline/measure_ball.h"

namespace percuss::pipeline {

class Progress;

/// What a clip shows.
struct BounceClip {
  tracking::ClipFrames frames;
  tracking::ClipSurvey survey;
  tracking::MeasuredBall ball;
  tracking::BounceFit fit;
  FocalPrior focal;                ///< before the ball was looked at
  capture::RecordedCamera camera;  ///< as the file says
  tracking::FoundRuler ruler;
  std::string ruler_line;  ///< RulerLine
  BounceScale scale;
  CommonValue mean;    ///< by eye and, where it was heard, by ear
  CommonValue by_eye;  ///< by the pictures alone
  ClipSound sound;
  BallBody body;                          ///< as stated, for impacts.json
  SpeedDependenceOfE speed;               ///< whether e changes with speed
  std::vector<tracking::BallSpin> spins;  ///< before the first bounce, ..., after the last
  double frame_rate = 0.0;                ///< [Hz] that the times of the frames show
  std::string source = "video";           ///< of bounces that were not heard
  std::vector<std::string> warnings;
};

/// From a clip to its bounces: finds what moves and is round, fits its outline in each frame, and
/// all flights and bounces at once.
/// @throws InputError naming the file: not a video, too few frames, a lens of another picture size.
/// @throws DataError naming the file and the reason: no ball, fewer than two flights, no bounce
/// that shows e.
BounceClip MeasureBounces(const std::filesystem::path& clip, const BounceOptions& options,
                          Progress* progress);

/// The same from frames and a sound in memory. @param name for messages; @param slow the sound is
/// of another time than the frames; @param progress may be nullptr
BounceClip MeasureBounces(const tracking::ClipFrames& frames, const capture::SoundTrack& sound,
                          bool slow, const std::string& name, const BounceOptions& options,
                          Progress* progress);

/// From a recording to its bounces, by ear alone.
/// @throws DataError naming the file and the reason: no sound, no series of bounces.
capture::BounceSeries HearBounces(const std::filesystem::path& sound, const BounceOptions& options);

/// Writes bounces.csv, bounce.json, with a scale impacts.json and body.yaml, the picture of the
/// path, the overlay video and the report.
/// @param command as typed
/// @param video whether to write the overlay video
void WriteBounces(const BounceClip& bounces, const std::filesystem::path& clip,
                  const std::filesystem::path& folder, const std::string& command,
                  bool video = true);

/// bounce,time,e,e_sigma,speed_before,speed_after,source and more; speeds in m/s, or px/s where the
/// scale is not known.
std::string BouncesCsv(const BounceClip& bounces);
std::string BounceJson(const BounceClip& bounces, const std::filesystem::path& clip,
                       const std::string& command);
/// The same by ear alone.
std::string SeriesCsv(const capture::BounceSeries& series);
std::string SeriesJson(const capture::BounceSeries& series, const std::filesystem::path& sound,
                       const std::string& command);
/// One line: which ball, in which frames.
std::string BallLine(const BounceClip& bounces);
/// One line: what was heard, or why nothing.
std::string SoundLine(const BounceClip& bounces);

}  // namespace percuss::pipeline
