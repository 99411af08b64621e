// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "base/value_with_sigma.h"
#include "tracking/ball/ball_track.h"
#include "tracking/ball/clip.h"
#include "tracking/outline/ball_shade.h"
#include "tracking/outline/ball_sighting.h"
#include "tracking/outline/looks.h"
#include "tracking/outline/outline_shape.h"

namespace percuss::tracking {

/// The outlines of a ball in the frames of its flights.
struct MeasuredBall {
  std::vector<BallSighting> sightings;  ///< in the order of time
  std::vector<RoughFlight> flights;     ///< as places in `sightings`
  /// Of the first and last ones, those that are left out: too low, its shadow touches the ball; or
  /// seen too little for a fit.
  int left_flights = 0;
  Eigen::Vector2d down = Eigen::Vector2d::Zero();  ///< common acceleration [px/s^2]
  double exposure = 0.0;                           ///< that the smear shows [s]
  BallShade shade;                                 ///< of the ball, in axes of the camera
  OutlineShape shape;  ///< what the outlines tell of focal length and shutter
  cv::Mat ground;      ///< without the ball, CV_8UC1
};

/// What is known of the camera.
struct MeasureOptions {
  std::array<float, 256> light_of_grey = {};        ///< capture::LightOfGrey of the clip's tone
  Eigen::Vector2d roll = Eigen::Vector2d::UnitY();  ///< in which the shutter rolls, unit
  std::optional<ValueWithSigma> focal;              ///< [px]; else what is usual
  int jobs = 1;                                     ///< threads
};

/// The ball in all frames of its flights and those between, with what is known of it and the
/// camera.
struct OutlineWork {
  OutlineBench bench;
  cv::Mat ground;  ///< without the ball, CV_8UC1
  std::vector<Look> looks;
  BallKnowledge known;
};

/// Before anything is measured.
OutlineWork LookAtBall(const ClipFrames& frames, const ClipSurvey& survey, const BallTrack& track,
                       const MeasureOptions& options);

/// Fits the outline of the ball (FitDisc) in all frames, and cuts what was found into flights anew.
MeasuredBall MeasureBall(const CameraShake& shake, OutlineWork* work);

/// The same again, where the motion showed that the shutter was wrong: from where the outlines were
/// found to be.
/// @param line_time  along the roll [s/px]
MeasuredBall MeasureAgain(const CameraShake& shake, const ValueWithSigma& line_time,
                          OutlineWork* work);

}  // namespace percuss::tracking
