// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "pipeline/progress.h"
#include "pipeline/run_settings.h"
#include "tracking/slides/slide.h"

namespace percuss::pipeline {

/// slides.csv: the numbers of all these trials that are slides, from their trial.json; removed
/// where there is none.
/// @throws InputError for one that has not been tracked.
void SlidesStep(const std::vector<capture::Trial>& trials, const RunSettings& settings);

/// What became of the video of one slide.
struct MeasuredSlide {
  std::string trial;
  std::string message;  ///< why there are no numbers; empty if there are
  tracking::SlideEstimate slide;
};
/// The numbers in one line, and as `slide` of trial.json has them.
std::string LineOf(const MeasuredSlide& slide);
nlohmann::json JsonOf(const MeasuredSlide& slide);

/// The slides of an experiment from its pictures and videos, with the bench as stated; writes
/// nothing.
/// @param names of trials; all slides where there is none
/// @throws InputError for a name that is no slide, an experiment without one, or markers without
/// places; CalibrationError.
std::vector<MeasuredSlide> MeasureSlides(const capture::Experiment& experiment,
                                         const std::vector<std::string>& names, int num_threads,
                                         Progress* progress);

/// A coefficient of several videos: its mean, with the interval of fitting::HalfWidth95. What the
/// videos share (shared_sigma) does not average out.
struct SlideMean {
  std::string coefficient;  ///< mu_k | mu_s
  double value = 0.0;
  double sigma = 0.0;
  std::array<double, 2> ci95{};  ///< cut at 0
  double scatter_sigma = 0.0;    ///< of the mean, from the videos; 0 of one
  double reading_sigma = 0.0;    ///< of the mean: shared errors, of one video all its errors
  std::vector<double> repeats;
};
/// mu_k and mu_s, as far as any of the slides tells them.
std::vector<SlideMean> MeansOf(std::span<const MeasuredSlide> slides);

}  // namespace percuss::pipeline
