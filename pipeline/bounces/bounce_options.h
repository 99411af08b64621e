// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>

#include "base/value_with_sigma.h"
#include "capture/experiment/experiment.h"
#include "capture/video/recorded_camera.h"
#include "pipeline/bounces/bounce_scale.h"

namespace percuss::pipeline {

/// What is known of a clip, or a recording, of a bouncing ball.
struct BounceOptions {
  capture::VideoClock clock;
  capture::Tone tone;
  TypedScale scale;                              ///< but for its ruler, which the clip shows
  capture::RecordedCamera camera;                ///< as the file of the clip says
  std::optional<double> focal_35mm;              ///< as stated, [mm] of 36 x 24 mm film
  std::optional<RulerRequest> ruler;             ///< take the marks of a ruler as a scale
  std::optional<std::filesystem::path> lens;     ///< a calibration.json of the same camera
  std::optional<Eigen::Vector2d> ball;           ///< a place that the ball passes [px]
  std::optional<std::filesystem::path> sound;    ///< a recording in place of the clip's own
  std::optional<ValueWithSigma> mass;            ///< [kg]; with the diameter it tells the drag
  std::optional<ValueWithSigma> inertia_factor;  ///< I / (m R^2)
  std::optional<ValueWithSigma> contact_time;    ///< how long a contact lasts [s]
  std::optional<ValueWithSigma> drop_height;  ///< of the ball's lowest point [m]; for sound alone
  double level_sigma = 0.009;                 ///< of the surface about the horizontal [rad]
  int jobs = 1;
};

}  // namespace percuss::pipeline
