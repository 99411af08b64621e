// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace percuss::report {
namespace {

std::string Lookup(const std::map<std::string, std::string>& words, const std::string& name,
                   const std::string& otherwise) {
  const auto found = words.find(name);
  return found == words.end() ? otherwise : found->second;
}

// Median step of the frame times, so that a lost frame does not count.
double FrameRate(const std::vector<TrialFacts>& trials) {
  std::vector<double> steps;
  for (const TrialFacts& trial : trials) {
    for (std::size_t i = 1; i < trial.poses.size(); ++i) {
      const double step = (trial.poses[i].time - trial.poses[i - 1].time) /
                          (trial.poses[i].frame - trial.poses[i - 1].frame);
      if (std::isfinite(step) && step > 0) steps.push_back(step);
    }
  }
  if (steps.empty()) return kNaN;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return 1.0 / *middle;
}

std::string CamerasInWords(const RunFolder& run) {
  std::vector<std::string> names;
  for (const TrialFacts& trial : run.trials) names.push_back(trial.name);
  std::string text = "Two cameras";
  if (run.calibration) {
    const std::vector<CameraFacts>& cameras = run.calibration->cameras;
    if (cameras.size() != 2) text = Count(std::ssize(cameras), "camera");
    text += fmt::format(" ({} × {} px)", cameras.front().width, cameras.front().height);
  }
  text += names.size() <= 12
              ? fmt::format(" filmed {} ({})", Count(std::ssize(names), "trial"), Join(names))
              : fmt::format(" filmed {}", Count(std::ssize(names), "trial"));
  const double rate = FrameRate(run.trials);
  if (std::isfinite(rate)) {
    text += fmt::format(" at {:.4g} frames per second", rate);
  }
  return text + ". ";
}

std::string CalibrationInWords(const CalibrationFacts& calibration) {
  const auto used = std::count_if(calibration.views.begin(), calibration.views.end(),
                                  [](const ViewFacts& view) { return view.used; });
  return fmt::format(
      "The {} calibrated from {} of {} of the board, with a residual of {} px (rms), "
      "and the world frame was placed on the impact surface. ",
      calibration.cameras.size() == 1   ? "camera was"
      : calibration.cameras.size() == 2 ? "camera pair was"
                                        : "cameras were",
      used, Count(std::ssize(calibration.views), "view"), FormatSignificant(calibration.rms_px, 2));
}

std::string TrackingInWords(const RunFolder& run) {
  const auto good = std::count_if(run.trials.begin(), run.trials.end(),
                                  [](const TrialFacts& trial) { return trial.status == "ok"; });
  return fmt::format(
      "In each pair of videos the markers on the body were located and tracked, and the pose of "
      "the "
      "body was found in every frame. Before and after the impact one ballistic arc each was "
      "fitted, "
      "never across it; the arcs give the velocity and the angular velocity just before and just "
      "after the impact, with standard deviations. {} of {} gave an impact. ",
      good, Count(std::ssize(run.trials), "trial"));
}

std::string FitInWords(const FitFacts& fit) {
  std::vector<std::string> laws;
  for (const LawFacts& law : fit.laws) laws.push_back(LawInWords(law.name));
  if (laws.empty()) return "";
  const auto& trials = fit.laws.front().trials;
  const auto used = std::count_if(trials.begin(), trials.end(),
                                  [](const ComparisonFacts& trial) { return trial.used; });
  return fmt::format(
      "From {} together the coefficients of {} were estimated: {}. Each impact was then "
      "predicted from its state just before and compared with the state measured just after.",
      Count(used, "impact"), laws.size() == 1 ? "one impact law" : "each impact law", Join(laws));
}

}  // namespace

std::string LawInWords(const std::string& law) {
  static const std::map<std::string, std::string> kLaws = {
      {"newton",
       "Darboux-Keller impulse integration with Coulomb friction and Newton's (kinematic) "
       "restitution"},
      {"poisson",
       "Darboux-Keller impulse integration with Coulomb friction and Poisson's (kinetic) "
       "restitution"},
      {"stronge",
       "Darboux-Keller impulse integration with Coulomb friction and Stronge's "
       "(energetic) restitution"}};
  const std::string meaning = Lookup(kLaws, law, "");
  return meaning.empty() ? law : fmt::format("{} ({})", law, meaning);
}

std::string ParameterInWords(const std::string& parameter) {
  static const std::map<std::string, std::string> kParameters = {
      {"mu", "friction coefficient"},
      {"mu_s", "static friction coefficient"},
      {"mu_k", "kinetic friction coefficient"},
      {"e", "restitution coefficient"},
      {"e_n", "normal restitution coefficient"},
      {"e_t", "tangential restitution coefficient"}};
  return Lookup(kParameters, parameter, "");
}

std::string ParameterStatusInWords(const std::string& status) {
  static const std::map<std::string, std::string> kStatuses = {
      {"identified", "identified by the data"},
      {"lower_bound", "the data only bound it from below"},
      {"upper_bound", "the data only bound it from above"},
      {"unidentified", "the data say nothing about it"}};
  return Lookup(kStatuses, status, status);
}

std::string TrialStatusInWords(const std::string& status) {
  static const std::map<std::string, std::string> kStatuses = {
      {"ok", "ok"}, {"bad_input", "bad input"}, {"no_answer", "no answer"}};
  return Lookup(kStatuses, status, status);
}

std::string ModesInWords(const std::vector<std::string>& modes) {
  if (modes.empty()) return "-";
  std::string text;
  for (const std::string& mode : modes) text += (text.empty() ? "" : ", then ") + mode;
  return text;
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string EstimateInWords(const ParameterFacts& parameter) {
  const std::string meaning = ParameterInWords(parameter.name);
  const std::string name =
      meaning.empty() ? parameter.name : fmt::format("the {} {}", meaning, parameter.name);
  if (parameter.status == "identified") {
    return fmt::format("{} is {} (95 % interval {} to {})", name,
                       FormatWithSigma(parameter.value, parameter.sigma),
                       FormatValue(parameter.ci95[0], parameter.sigma),
                       FormatValue(parameter.ci95[1], parameter.sigma));
  }
  if (parameter.status == "lower_bound") {
    return fmt::format("{} is at least {}: the data only bound it from below", name,
                       FormatSignificant(parameter.value, 3));
  }
  if (parameter.status == "upper_bound") {
    return fmt::format("{} is at most {}: the data only bound it from above", name,
                       FormatSignificant(parameter.value, 3));
  }
  return fmt::format("{} is not known: {}", name, ParameterStatusInWords(parameter.status));
}

std::string RunInWords(const RunFolder& run) {
  std::string text;
  if (!run.trials.empty()) text += CamerasInWords(run);
  if (run.calibration) text += CalibrationInWords(*run.calibration);
  if (!run.trials.empty()) text += TrackingInWords(run);
  if (run.trials.empty() && !run.impacts.empty()) {
    text += fmt::format("The states before and after {} come from a table. ",
                        Count(std::ssize(run.impacts), "impact"));
  }
  if (run.fit) text += FitInWords(*run.fit);
  return text;
}

}  // namespace percuss::report
