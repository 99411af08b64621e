// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "base/value_with_sigma.h"

namespace percuss::report {

/// One bounce of a clip. Speeds are in BounceFacts::unit per second.
struct BounceFact {
  int number = 0;       ///< from 1
  ValueWithSigma time;  ///< [s]
  ValueWithSigma e;     ///< of the velocities along the normal of the surface
  ValueWithSigma speed_before, speed_after;
  ValueWithSigma tangential_ratio;  ///< R_t; NaN where the ball comes straight down
  ValueWithSigma speed_ratio;       ///< R_v
  double impact_angle_deg = kNaN;   ///< between velocity and surface; 90 straight down
  std::string source;               ///< "video", "sound" or "both"
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();  ///< centre of the ball at the contact
  double radius_px = 0.0;                           ///< its radius there
};

/// The ball in one frame.
struct BallFact {
  int frame = 0;
  double time = 0.0;                                ///< [s]
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();  ///< centre of its outline
  double radius_px = 0.0;
  int flight = 0;              ///< from 0: before the first bounce
  bool used = false;           ///< else it lies off the fitted motion, or was exposed at a contact
  double height = 0.0;         ///< of its lowest point above the surface, as seen [unit]
  double fitted_height = 0.0;  ///< and as fitted
};

/// One way in which the scale of a clip is known.
struct ScaleFact {
  std::string source;       ///< "diameter", "length" or "gravity"
  ValueWithSigma diameter;  ///< of the ball that follows from it [m]
};

/// What a clip of a bouncing ball says.
struct BounceFacts {
  std::string clip;           ///< name of its file
  std::string unit = "px";    ///< of lengths: "m", or "px" where the scale is not known
  int width = 0, height = 0;  ///< of the frames [px]
  double frame_rate = 0.0;    ///< [Hz]
  double exposure = 0.0;      ///< [s]
  ValueWithSigma e;           ///< of the clip, one for all bounces
  double e_scatter = 0.0;     ///< of single bounces beyond their sigmas; 0: none is needed
  ValueWithSigma e_slope;     ///< change of e per unit of speed [s/unit]
  std::vector<BounceFact> bounces;
  /// Speed before each bounce and e that a model of the speed gives it; empty if e is one number.
  std::vector<Eigen::Vector2d> e_by_speed;
  std::vector<BallFact> balls;  ///< in the order of time
  std::vector<ScaleFact> scales;
  Eigen::Vector2d surface_from = Eigen::Vector2d::Zero();  ///< line where the ball touches [px]
  Eigen::Vector2d surface_to = Eigen::Vector2d::Zero();
  double rms_px = 0.0;                ///< of the places of the ball about the motion
  std::vector<std::string> verdict;   ///< one or two sentences: what came out, how good it is
  std::vector<std::string> warnings;  ///< what is wrong and what to do, one line each
  std::vector<std::string> notes;     ///< what else was found: lens, drag, shutter, shake
};

}  // namespace percuss::report
