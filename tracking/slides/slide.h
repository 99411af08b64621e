// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/nan.h"

namespace percuss::tracking {

/// A number of a slide with its two kinds of error, standard deviations.
struct SlideNumber {
  double value = kNaN;
  double noise_sigma = kNaN;  ///< by the pixels: another one in each video
  double shared_sigma = 0.0;  ///< by calibration, gravity and tilt: the same in all videos

  double Sigma() const { return std::hypot(noise_sigma, shared_sigma); }
};

/// How a slide begins.
enum class SlideStart {
  kFromRest,  ///< rests on the plate, then starts without speed
  kKnocked,   ///< rests on the plate, then has a speed at once
  kMoving,    ///< moves in all frames
};
const char* SlideStartName(SlideStart start);  ///< from-rest | knocked | moving

/// One frame of a slide.
struct SlidePoint {
  int frame = 0;        ///< of the left video
  double time = 0.0;    ///< [s]
  double s = 0.0;       ///< way of the mass centre on the plate from where it rested [m]
  double fitted = 0.0;  ///< the same of the model [m]
  double angle = 0.0;   ///< of the plate to the horizontal, of the model [rad]
};

/// What a video of a body that slides down a plate says of friction.
struct SlideEstimate {
  std::string reason;    ///< why there is no mu_k; empty if there is
  bool tilting = false;  ///< the plate turned while the body lay on it
  SlideStart start = SlideStart::kMoving;
  SlideNumber mu_k;
  SlideNumber mu_s;
  std::string
      mu_s_reason;    ///< why mu_s is NaN, and what is known of it; empty where it is a number
  SlideNumber angle;  ///< of the plate to the horizontal when the body starts [rad]
  SlideNumber start_ratio;   ///< of tangential to normal force then: tan(angle) on a plate at rest
  SlideNumber acceleration;  ///< along the plate at the start [m/s^2]
  SlideNumber start_time;    ///< [s]; of kMoving the first frame
  SlideNumber start_speed;   ///< [m/s]
  SlideNumber direction;     ///< from downhill to the direction of the path, about the normal [rad]
  SlideNumber friction_change;          ///< of mu_k from the start of the path to its end
  double path = kNaN;                   ///< length of the way [m]
  int first_frame = 0, last_frame = 0;  ///< of the left video: those that were fitted
  int frames = 0;
  double rms = kNaN;                   ///< of the distances along the path from the model [m]
  double noise_scale = 1.0;            ///< by which the sigmas of the poses were multiplied
  double correlation_inflation = 1.0;  ///< of variances, for errors that neighbouring frames share
  std::vector<SlidePoint> points;
  std::vector<std::string> warnings;

  bool usable() const { return reason.empty(); }
};

}  // namespace percuss::tracking
