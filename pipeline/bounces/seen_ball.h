// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "calibration/rig/camera.h"
#include "pipeline/bounces/bounce_knowledge.h"
#include "pipeline/bounces/bounce_options.h"
#include "tracking/bounces/bounce_fit.h"
#include "tracking/outline/measure_ball.h"

namespace percuss::pipeline {

/// A ball in the clip of one camera.
struct SeenBall {
  FocalPrior focal;
  tracking::MeasuredBall ball;
  tracking::BounceSetting setting;  ///< of the fit
  tracking::BounceFit fit;
};

/// Measures the outlines of a ball and fits its flights and bounces. Where the motion tells of
/// another shutter than the outlines did, both again: a shutter that is wrong moves outlines one
/// way as the ball falls, the other as it rises.
/// @param lens none: a usual one
/// @param begin is told each step; may be empty
SeenBall SeeBall(const tracking::ClipFrames& frames, const tracking::ClipSurvey& survey,
                 const tracking::BallTrack& track, const std::optional<calibration::Camera>& lens,
                 const BounceOptions& options, const std::function<void(const char*)>& begin);

/// The fit alone.
tracking::BounceFit FitSeen(const tracking::MeasuredBall& ball,
                            const tracking::BounceSetting& setting);

}  // namespace percuss::pipeline
