// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>

#include "tracking/bench/bench.h"
#include "tracking/pose/tracked_frame.h"
#include "tracking/slides/slide.h"

namespace percuss::tracking {

/// What a trial of a slide is estimated with.
struct SlideSurroundings {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< W, with the bench's change [m/s^2]
  calibration::SurfacePlane surface = {};             ///< of the plate in the first frame
  bool planar = false;
  bool has_pixels = true;  ///< false: poses and points of other motion capture
};

/// FitSlide of the poses that the bench gives the labelled sightings, each taken to the time of its
/// frame. shared_sigma: what the bench leaves open (cameras and surfaces, places of markers,
/// gravity) moved by each direction of its covariance, the slide fitted again, and the tilt of the
/// surface (BodySigmas::tilt). Warnings where the path is not downhill, friction changes along the
/// way, or the body is not where the surface is.
SlideEstimate EstimateSlide(std::span<const TrackedFrame> frames, const Bench& bench,
                            const SlideSurroundings& surroundings);

/// One line on the terminal: the numbers, or why there are none.
std::string SlideLine(const SlideEstimate& slide);

}  // namespace percuss::tracking
