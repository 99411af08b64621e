// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "tracking/pose/tracked_frame.h"
#include "tracking/slides/slide.h"
#include "tracking/slides/slide_model.h"
#include "tracking/slides/sliding_run.h"

namespace percuss::tracking {

/// The numbers of a slide that have a sigma, in the order of SlideValues.
inline constexpr std::array<SlideNumber SlideEstimate::*, 8> kSlideNumbers = {
    &SlideEstimate::mu_k,         &SlideEstimate::angle,          &SlideEstimate::start_ratio,
    &SlideEstimate::acceleration, &SlideEstimate::start_time,     &SlideEstimate::start_speed,
    &SlideEstimate::direction,    &SlideEstimate::friction_change};
using SlideValues = std::array<double, kSlideNumbers.size()>;

/// A slide with the fit that it rests on.
struct SlideFit {
  SlideEstimate estimate;
  SlidingRun run;
  SlideModel model;
  Eigen::VectorXd x;        ///< unknowns of the model
  std::vector<int> frames;  ///< places in the list of frames: those that were fitted
};

/// Friction from the poses of a body that slides down a plate (sun2017, 4.4.1, with all frames in
/// place of two marks, and the start in place of a protractor).
///
/// The frames used are the longest run in which the body lies on the plate: its attitude keeps, or
/// turns with the plate about one axis, and no velocity changes faster than friction can change it.
/// SlideModel is fitted to them by least squares with the covariances of the poses, scaled by what
/// the residuals show, and widened by the errors that neighbouring frames share. Rest and start,
/// rest and knock, or motion in all frames: what needs fewer unknowns holds until the others fit
/// better by a chi-square of 10.8 (once in a thousand times by chance).
///
/// mu_k = tan(theta) - a / (g cos(theta)) on a plate at rest (4.40). mu_s is the ratio of
/// tangential and normal force at the start (tan(theta), 4.32), where the plate is tilted until the
/// body starts. On a slope that does not change, the start bounds mu_s at most: `mu_s_reason`.
///
/// All sigmas are those of the poses alone (noise_sigma). `estimate.reason` says why there is
/// nothing: the body does not move, rolls, or too few frames show it.
SlideFit FitSlide(std::span<const TrackedFrame> frames, const SlideSetting& setting);

/// The values with other poses of the same frames, or another gravity.
SlideValues RefitSlide(const SlideFit& fit, std::span<const TrackedFrame> frames,
                       const SlideSetting& setting);

}  // namespace percuss::tracking
