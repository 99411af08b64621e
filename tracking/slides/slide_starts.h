// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/math/least_squares.h"
#include "tracking/slides/slide.h"
#include "tracking/slides/slide_frames.h"
#include "tracking/slides/slide_model.h"

namespace percuss::tracking {

/// A fit of one model.
struct SlideCandidate {
  SlideModel model;
  LeastSquares solution;
};

/// What the forces at the start are.
struct SlideAtStart {
  double angle = 0.0, ratio = 0.0, acceleration = 0.0, downhill = 0.0;
};
SlideAtStart StartOf(const SlideModel& model, const Eigen::VectorXd& x);

/// SolveLeastSquares of a model.
LeastSquares SolveSlide(const SlideModel& model, const Eigen::VectorXd& start, const Shown& shown,
                        int iterations, const std::vector<int>& free = {});

/// The best of the ways to start: with more unknowns only where these fit better by a chi-square
/// of 10.8 in units of what is left.
SlideCandidate FitStarts(const Shown& shown, bool tilting, const SlideSetting& setting,
                         SlideStart* start);

}  // namespace percuss::tracking
