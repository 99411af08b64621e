// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/slides/slides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/files/files.h"
#include "calibration/calibrate.h"
#include "fitting/bench/bench_measurements.h"
#include "pipeline/step_inputs.h"
#include "tracking/slides/slide_files.h"
#include "tracking/slides/slide_trial.h"
#include "tracking/track_files.h"
#include "tracking/trial.h"

namespace percuss::pipeline {
namespace {

constexpr std::pair<const char*, tracking::SlideNumber tracking::SlideEstimate::*> kColumns[] = {
    {"mu_k", &tracking::SlideEstimate::mu_k},
    {"mu_s", &tracking::SlideEstimate::mu_s},
    {"start_ratio", &tracking::SlideEstimate::start_ratio},
    {"angle", &tracking::SlideEstimate::angle},
    {"acceleration", &tracking::SlideEstimate::acceleration},
    {"start_time", &tracking::SlideEstimate::start_time},
    {"start_speed", &tracking::SlideEstimate::start_speed},
    {"friction_change", &tracking::SlideEstimate::friction_change}};

bool IsSlide(const capture::Trial& trial) { return trial.kind == capture::Trial::Kind::kSlide; }

std::string Cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : std::string();
}

SlideMean MeanOf(const std::string& coefficient, const std::vector<tracking::SlideNumber>& slides) {
  SlideMean mean{.coefficient = coefficient, .repeats = {}};
  const auto count = static_cast<double>(slides.size());
  for (const tracking::SlideNumber& slide : slides) {
    mean.value += slide.value / count;
    mean.reading_sigma += slide.shared_sigma / count;
    mean.repeats.push_back(slide.value);
  }
  if (slides.size() == 1) mean.reading_sigma = slides.front().Sigma();
  double squares = 0.0;
  for (const double value : mean.repeats) squares += (value - mean.value) * (value - mean.value);
  const int dof = static_cast<int>(slides.size()) - 1;
  if (dof > 0) mean.scatter_sigma = std::sqrt(squares / dof / count);
  mean.sigma = std::hypot(mean.scatter_sigma, mean.reading_sigma);
  const double half = fitting::HalfWidth95(mean.scatter_sigma, dof, mean.reading_sigma);
  mean.ci95 = {std::max(0.0, mean.value - half), mean.value + half};
  return mean;
}

}  // namespace

void SlidesStep(const std::vector<capture::Trial>& trials, const RunSettings& settings) {
  std::string csv = "trial,status,start,tilting";
  for (const auto& [name, member] : kColumns) csv += fmt::format(",{0},sigma_{0}", name);
  csv += ",path,frames\n";
  const std::string head = csv;
  for (const capture::Trial& trial : trials) {
    if (!IsSlide(trial)) continue;
    const tracking::TrialSummary summary =
        tracking::ReadTrialSummary(settings.folder / "tracks" / trial.name / "trial.json");
    const tracking::SlideEstimate slide = summary.slide.value_or(tracking::SlideEstimate{});
    const bool ok = summary.status == tracking::TrialResult::Status::kOk;
    csv += fmt::format("{},{},{},{}", trial.name, tracking::StatusName(summary.status),
                       ok ? tracking::SlideStartName(slide.start) : "", ok ? slide.tilting : false);
    for (const auto& [name, member] : kColumns) {
      const tracking::SlideNumber& number = slide.*member;
      csv += "," + Cell(number.value) + "," + Cell(number.Sigma());
    }
    csv += fmt::format(",{},{}\n", Cell(slide.path), slide.frames);
  }
  if (csv == head) {
    RemoveFiles(settings.folder, {"slides.csv"});
  } else {
    WriteFileAtomically(settings.folder / "slides.csv", csv);
  }
}

std::string LineOf(const MeasuredSlide& slide) { return tracking::SlideLine(slide.slide); }
nlohmann::json JsonOf(const MeasuredSlide& slide) { return tracking::SlideJson(slide.slide); }

std::vector<MeasuredSlide> MeasureSlides(const capture::Experiment& experiment,
                                         const std::vector<std::string>& names, int num_threads,
                                         Progress* progress) {
  const std::string file = experiment.file.string();
  std::vector<capture::Trial> trials;
  for (const capture::Trial& trial : experiment.trials) {
    if (IsSlide(trial) && (names.empty() || std::ranges::count(names, trial.name) > 0))
      trials.push_back(trial);
  }
  for (const std::string& name : names) {
    if (std::ranges::count(trials, name, &capture::Trial::name) == 0)
      throw InputError(fmt::format("{}: trials: found no slide '{}'", file, name));
  }
  if (trials.empty()) {
    throw InputError(
        fmt::format("{}: trials: found no slide, allowed at least one with kind: slide", file));
  }
  const bool videos =
      std::ranges::any_of(trials, [](const capture::Trial& trial) { return !trial.motion; });
  if (videos && experiment.body.unplaced) {
    throw InputError(fmt::format(
        "{}: body.markers: found no places, allowed a map of names to places: slides do not show "
        "them; percuss run finds them with drops",
        file));
  }
  calibration::RigCalibration calibration;
  if (videos) {
    calibration::CalibrationOptions options;
    options.num_threads = num_threads;
    options.progress = [&](const std::string& step, double fraction) {
      progress->Update("calibrate: " + step, fraction);
    };
    calibration = calibration::CalibrateRig(experiment, options);
  }
  std::vector<MeasuredSlide> slides;
  for (const capture::Trial& trial : trials) {
    tracking::TrialOptions options;
    options.tracking.num_threads = num_threads;
    options.tracking.progress = [&](const std::string& step, double fraction) {
      progress->Update(fmt::format("track {}: {}", trial.name, step), fraction);
    };
    const tracking::TrialResult result =
        tracking::ProcessTrial(experiment, trial, calibration, options);
    MeasuredSlide& slide = slides.emplace_back(MeasuredSlide{trial.name, result.message, {}});
    if (result.slide) slide.slide = *result.slide;
    slide.slide.warnings = result.warnings;
  }
  return slides;
}

std::vector<SlideMean> MeansOf(std::span<const MeasuredSlide> slides) {
  std::vector<SlideMean> means;
  for (const auto& [name, member] : {kColumns[0], kColumns[1]}) {
    std::vector<tracking::SlideNumber> numbers;
    for (const MeasuredSlide& slide : slides) {
      if (std::isfinite((slide.slide.*member).value)) numbers.push_back(slide.slide.*member);
    }
    if (!numbers.empty()) means.push_back(MeanOf(name, numbers));
  }
  return means;
}

}  // namespace percuss::pipeline
