// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/sections/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace percuss::report {

using fitting::ParameterStatus;

namespace {

std::string Lookup(const std::map<std::string, std::string>& words, const std::string& name,
                   const std::string& otherwise) {
  const auto found = words.find(name);
  return found == words.end() ? otherwise : found->second;
}

bool IsMotionCapture(const TrialFacts& trial) { return trial.is_motion_capture; }
bool IsOfBall(const TrialFacts& trial) { return !trial.ball.empty(); }

// How many names a sentence bears; the table of trials, and its CSV, list them all.
std::string TrialsInWords(const std::vector<TrialFacts>& trials) {
  constexpr std::size_t kMostNames = 12;
  std::vector<std::string> names;
  for (const TrialFacts& trial : trials) names.push_back(trial.name);
  const std::string count = Count(std::ssize(names), "trial");
  if (names.size() <= kMostNames) return fmt::format("{} ({})", count, Join(names));
  return fmt::format("{} ({} to {}, all in tables/trials.csv)", count, names.front(), names.back());
}

std::string BodyInWords(const RunFolder& run) {
  if (!run.experiment || run.experiment->body.empty()) return "";
  std::string text = fmt::format("The body is a {}", run.experiment->body);
  if (std::isfinite(run.experiment->mass)) {
    text += fmt::format(" of {} kg", FormatSignificant(run.experiment->mass, 4));
  }
  if (run.experiment->markers > 0) {
    text += fmt::format(" with {}", Count(run.experiment->markers, "marker"));
  }
  return text + ". ";
}

std::string RateInWords(const RunFolder& run) {
  return std::isfinite(run.frame_rate) ? fmt::format(" at {:.4g} frames per second", run.frame_rate)
                                       : "";
}

// How the places of a ball without markers were recorded.
std::string BallTrialsInWords(const std::vector<TrialFacts>& trials) {
  std::vector<std::string> kinds;
  for (const auto& [source, what] :
       {std::pair{"clip", "clip of one camera"}, std::pair{"videos", "pair of videos"},
        std::pair{"table", "table of the centres"}}) {
    const auto count = std::ranges::count(trials, source, &TrialFacts::ball);
    if (count == 0) continue;
    kinds.push_back(count == 1 ? fmt::format("one {}", what)
                               : fmt::format("{} times a {}", count, what));
  }
  return fmt::format("A ball without markers bounced in {}: {}. ", TrialsInWords(trials),
                     Join(kinds));
}

std::string CamerasInWords(const RunFolder& run) {
  if (std::ranges::any_of(run.trials, IsOfBall)) return BallTrialsInWords(run.trials);
  if (std::ranges::all_of(run.trials, IsMotionCapture)) {
    return fmt::format("A motion-capture system recorded {}{}. ", TrialsInWords(run.trials),
                       RateInWords(run));
  }
  std::string text = "Two cameras";
  if (run.calibration) {
    const auto& cameras = run.calibration->cameras;
    if (cameras.size() == 1) text = "One camera";
    if (cameras.size() > 2) text = Count(std::ssize(cameras), "camera");
    text +=
        fmt::format(" ({} × {} px)", cameras.front().camera.width, cameras.front().camera.height);
  }
  text += fmt::format(" filmed {}{}. ", TrialsInWords(run.trials), RateInWords(run));
  const auto captured = std::ranges::count_if(run.trials, IsMotionCapture);
  if (captured > 0) {
    text +=
        fmt::format("Of these, {} were recorded by a motion-capture system instead. ", captured);
  }
  return text;
}

std::string CalibrationInWords(const calibration::RigCalibration& calibration,
                               const std::string& board) {
  if (!calibration.source.empty()) {
    return fmt::format(
        "The cameras are those of {}, calibrated beforehand; the world frame was placed on the "
        "impact surface by {} on it, with a residual of {} px (rms). ",
        calibration.source, board.empty() ? "the board" : board,
        FormatSignificant(calibration.rms_px, 2));
  }
  const auto used = std::ranges::count_if(calibration.views, &calibration::ViewReport::used);
  return fmt::format(
      "The {} calibrated from {} of {} of {}, with a residual of {} px (rms), "
      "and the world frame was placed on the impact surface. ",
      calibration.cameras.size() == 1   ? "camera was"
      : calibration.cameras.size() == 2 ? "camera pair was"
                                        : "cameras were",
      used, Count(std::ssize(calibration.views), "view"), board.empty() ? "the board" : board,
      FormatSignificant(calibration.rms_px, 2));
}

std::string TrackingInWords(const RunFolder& run) {
  const auto good = std::ranges::count_if(
      run.trials, [](const TrialFacts& trial) { return trial.status == "ok"; });
  std::string text;
  if (std::ranges::all_of(run.trials, IsMotionCapture)) {
    text = "The recorded trajectories gave the pose of the body at every instant. ";
  } else {
    text = fmt::format(
        "In {} the markers on the body were located and tracked, and the pose of the body was "
        "found "
        "in every frame. ",
        run.calibration && run.calibration->cameras.size() == 1 ? "each video"
                                                                : "each pair of videos");
  }
  const std::string states = run.trials.front().states;
  if (std::ranges::any_of(run.trials, IsOfBall)) {
    text =
        "All flights and bounces of a trial were fitted at once, as one motion; it gives the "
        "velocity just before and just after each bounce, with standard deviations. ";
  } else {
    text += fmt::format(
        "Before and after the impact one ballistic arc each was fitted, never across it; {} the "
        "velocity and the angular velocity just before and just after the impact, with standard "
        "deviations. ",
        states == "arcs"
            ? "the arcs give"
            : fmt::format("the arcs give the instant and the pose, the method {}", states));
  }
  std::size_t impacts = 0;
  for (const TrialFacts& trial : run.trials) impacts += trial.impacts.size();
  return text +
         fmt::format("{} of {} gave {}. ", good, Count(std::ssize(run.trials), "trial"),
                     impacts == 1 ? "an impact" : Count(static_cast<long long>(impacts), "impact"));
}

std::string FitInWords(const fitting::FitReport& fit) {
  std::vector<std::string> laws;
  for (const LawFit& law : fit.laws) laws.push_back(LawInWords(law.law));
  if (laws.empty()) return "";
  const auto& trials = fit.laws.front().trials;
  const auto used = std::count_if(trials.begin(), trials.end(),
                                  [](const TrialComparison& trial) { return trial.used; });
  const bool given =
      std::ranges::any_of(fit.laws, [](const LawFit& law) { return law.agreement.has_value(); });
  return fmt::format(
      "From {} together the coefficients of {} were estimated{}: {}. Each impact was then "
      "predicted from its state just before and compared with the state measured just after.",
      Count(used, "impact"), laws.size() == 1 ? "one impact law" : "each impact law",
      given ? ", as far as they were not given" : "", Join(laws));
}

/// Which impacts the fit took.
std::string ImpactsInWords(const LawFit& law) {
  const auto used = std::ranges::count(law.trials, true, &TrialComparison::used);
  const auto all = std::ssize(law.trials);
  if (used < all)
    return fmt::format("{} of {}, the others being left out,", used, Count(all, "impact"));
  return all == 1 ? "the impact" : fmt::format("all {} impacts", all);
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

std::string ValueInWords(const ParameterEstimate& parameter) {
  switch (parameter.status) {
    case ParameterStatus::kLowerBound:
      return "≥ " + FormatSignificant(parameter.value, 3);
    case ParameterStatus::kUpperBound:
      return "≤ " + FormatSignificant(parameter.value, 3);
    case ParameterStatus::kUnidentified:
      return "not known";
    case ParameterStatus::kIdentified:
    case ParameterStatus::kGiven:
      break;
  }
  return FormatValue(parameter.value, parameter.sigma);
}

std::string StatusInWords(ParameterStatus status) {
  switch (status) {
    case ParameterStatus::kIdentified:
      return "identified by the data";
    case ParameterStatus::kLowerBound:
      return "the data only bound it from below";
    case ParameterStatus::kUpperBound:
      return "the data only bound it from above";
    case ParameterStatus::kGiven:
      return "given, not fitted";
    case ParameterStatus::kUnidentified:
      break;
  }
  return "the data say nothing about it";
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

std::string EstimateInWords(const ParameterEstimate& parameter) {
  const std::string meaning = ParameterInWords(parameter.name);
  const std::string name =
      meaning.empty() ? parameter.name : fmt::format("the {} {}", meaning, parameter.name);
  if (parameter.status == ParameterStatus::kIdentified) {
    return fmt::format("{} is {} (95 % interval {} to {})", name,
                       FormatWithSigma(parameter.value, parameter.sigma),
                       FormatValue(parameter.ci95[0], parameter.sigma),
                       FormatValue(parameter.ci95[1], parameter.sigma));
  }
  if (parameter.status == ParameterStatus::kGiven) {
    return fmt::format("{} was given as {}", name,
                       FormatWithSigma(parameter.value, parameter.sigma));
  }
  if (parameter.status == ParameterStatus::kLowerBound) {
    return fmt::format("{} is at least {}: the data only bound it from below", name,
                       FormatSignificant(parameter.value, 3));
  }
  if (parameter.status == ParameterStatus::kUpperBound) {
    return fmt::format("{} is at most {}: the data only bound it from above", name,
                       FormatSignificant(parameter.value, 3));
  }
  return fmt::format("{} is not known: {}", name, StatusInWords(parameter.status));
}

Finding LawInVerdict(const LawFit& best, bool alone) {
  const std::string impacts = ImpactsInWords(best);
  if (!std::isfinite(best.cost_probability)) {
    return {Level::kNote, "",
            fmt::format("Whether the law {} holds is not known: {} leave nothing to check it by.",
                        best.law, impacts)};
  }
  if (best.cost_probability >= kUnlikely) {
    return {
        Level::kOk, "",
        fmt::format("The law {} explains {} within the errors of measurement.", best.law, impacts)};
  }
  const std::string misfit = fmt::format(
      "its velocities are {} % off on average, and its intervals are {} times as wide for it.",
      FormatSignificant(100 * best.velocity_error_mean, 2),
      FormatSignificant(best.interval_scale, 2));
  return {Level::kWarning, "",
          alone ? fmt::format("The law {} does not explain {} within the errors of measurement: {}",
                              best.law, impacts, misfit)
                : fmt::format("No law explains {} within the errors of measurement. {} comes "
                              "nearest: {}",
                              impacts, best.law, misfit)};
}

std::string NextDropInWords(const fitting::FitReport& fit, const LawFit& best) {
  const auto advice = std::ranges::find(fit.next_drop, best.law, &fitting::NextDropAdvice::law);
  if (advice == fit.next_drop.end() || !advice->usable) return "";
  const auto& drop = advice->d_optimal;
  std::vector<std::string> gains;
  for (const auto& [name, factor] : drop.interval_factors) {
    constexpr double kWorthIt = 0.97;
    if (factor < kWorthIt)
      gains.push_back(fmt::format("{} to {} %", name, FormatSignificant(100 * factor, 2)));
  }
  if (gains.empty()) return "";
  return fmt::format(
      "To know more: one drop at {}° pitch, {}° roll and {} m/s narrows the interval of {} of its "
      "width.",
      FormatSignificant(drop.pitch_deg, 2), FormatSignificant(drop.roll_deg, 2),
      FormatSignificant(drop.speed, 2), Join(gains));
}

std::string RunInWords(const RunFolder& run) {
  std::string text;
  if (!run.trials.empty()) text += CamerasInWords(run);
  text += BodyInWords(run);
  if (run.calibration) {
    text += CalibrationInWords(*run.calibration, run.experiment ? run.experiment->board : "");
  }
  if (!run.trials.empty()) text += TrackingInWords(run);
  if (run.trials.empty() && !run.impacts.empty()) {
    text += fmt::format("The states before and after {} come from a table. ",
                        Count(std::ssize(run.impacts), "impact"));
  }
  if (run.fit) text += FitInWords(*run.fit);
  return text;
}

}  // namespace percuss::report
