// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "base/value_with_sigma.h"
#include "calibration/rig/rig_calibration.h"
#include "tracking/bounces/bounce_fit.h"
#include "tracking/outline/ball_sighting.h"
#include "tracking/space/ball_place.h"
#include "tracking/space/space_setting.h"

namespace percuss::tracking {

/// Flights and bounces of a ball in space.
struct SpaceFit {
  /// Lengths in metres where BounceFit says radii, in the frame of the places or of the
  /// calibration's world. `used` counts the places, or the outlines of the left camera and then
  /// those of the right. Numbers of one camera's picture are NaN.
  BounceFit fit;
  double rms = std::numeric_limits<double>::quiet_NaN();  ///< of used places, each coordinate [m]
  ValueWithSigma radius;                                  ///< of the ball [m]; two cameras alone
  ValueWithSigma clock_offset;  ///< time of the left camera less that of the right [s]
};

/// Fits one BouncingBall to the places of its centre by least squares: all flights (CutPlaces) and
/// bounces are one problem, with drag, duration of the contacts and tilt of the surface as unknowns
/// of their own, known as far as `setting` says.
///
/// Covariances of the places are multiplied by what the residuals show and by their autocorrelation
/// (SharedInflation). Places more than 4.5 sigmas off, or within 1 ms of a contact, are left out.
/// @param places in the order of time
SpaceFit FitPlaces(std::span<const BallPlace> places, const SpaceSetting& setting);

/// What one of two cameras saw, in the order of time, by its own clock.
struct SpaceView {
  std::span<const BallSighting> outlines;
  SpaceCamera camera;
};

/// The same motion fitted to the outlines of a ball in two cameras, whose errors are in pixels. The
/// distance between the cameras gives the scale; the ball's radius is an unknown, as are the offset
/// between the clocks, the time from row to row of each camera, and all that the calibration leaves
/// open (its covariance). Frames need not be simultaneous.
/// @param rig of two cameras, left first
/// @param clock_offset to be added to times of the right camera for those of the left [s]
SpaceFit FitTwoViews(const SpaceView& left, const SpaceView& right,
                     const calibration::RigCalibration& rig, const ValueWithSigma& clock_offset,
                     const SpaceSetting& setting);

}  // namespace percuss::tracking
