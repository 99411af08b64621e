// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/overlay/frame_strips.h"
#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

using fitting::ParameterStatus;

Coefficient CoefficientOf(const ParameterEstimate& parameter) {
  Coefficient coefficient{.symbol = parameter.name,
                          .meaning = ParameterInWords(parameter.name),
                          .value = FormatValue(parameter.value, parameter.sigma)};
  const std::string number = FormatSignificant(parameter.value, 3);
  switch (parameter.status) {
    case ParameterStatus::kIdentified:
      coefficient.sigma = FormatSigma(parameter.sigma);
      coefficient.interval =
          fmt::format("95 % interval {} to {}", FormatValue(parameter.ci95[0], parameter.sigma),
                      FormatValue(parameter.ci95[1], parameter.sigma));
      break;
    case ParameterStatus::kLowerBound:
      coefficient.value = "≥ " + number;
      break;
    case ParameterStatus::kUpperBound:
      coefficient.value = "≤ " + number;
      break;
    case ParameterStatus::kUnidentified:
      coefficient.value = "not known";
      break;
    case ParameterStatus::kGiven:
      break;
  }
  if (coefficient.interval.empty()) coefficient.interval = StatusInWords(parameter.status);
  return coefficient;
}

/// Each coefficient of the best law, with what the others say of it.
std::vector<Coefficient> CoefficientsOf(const fitting::FitReport& fit, const LawFit& best) {
  std::vector<const LawFit*> laws = {&best};
  for (const LawFit& law : fit.laws) {
    if (&law != &best) laws.push_back(&law);
  }
  std::vector<Coefficient> coefficients;
  for (const ParameterEstimate& parameter : best.parameters) {
    Coefficient& one = coefficients.emplace_back(CoefficientOf(parameter));
    for (const LawFit* law : laws) {
      const auto same =
          std::ranges::find(law->parameters, parameter.name, &ParameterEstimate::name);
      if (same == law->parameters.end() || same->status == ParameterStatus::kUnidentified) continue;
      one.intervals.push_back({law->law, same->value, same->ci95[0], same->ci95[1]});
    }
  }
  return coefficients;
}

std::string DataInWords(const fitting::FitReport& fit) {
  const auto bad = std::ranges::count(fit.audit, false, &fitting::AuditFinding::ok);
  if (fit.audit.empty()) return "";
  if (bad == 0) return fmt::format(" The data pass all {}.", Count(std::ssize(fit.audit), "check"));
  return fmt::format(" {} of {} of the data {}: see “Can the data be believed?”.", bad,
                     Count(std::ssize(fit.audit), "check"), bad == 1 ? "fails" : "fail");
}

/// Which impacts the fit took.
std::string ImpactsInWords(const LawFit& law) {
  const auto used = std::ranges::count(law.trials, true, &TrialComparison::used);
  const auto all = std::ssize(law.trials);
  if (used < all)
    return fmt::format("{} of {}, the others being left out,", used, Count(all, "impact"));
  return all == 1 ? "the impact" : fmt::format("all {} impacts", all);
}

/// Whether the best law explains the impacts.
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

/// Whether the law holds, the data are sound, and trials were lost.
Finding VerdictOf(const RunFolder& run, const LawFit& best) {
  Finding verdict = LawInVerdict(best, run.fit->laws.size() == 1);
  verdict.text += DataInWords(*run.fit);
  const auto lost = std::ranges::count_if(
      run.trials, [](const TrialFacts& trial) { return trial.status != "ok"; });
  if (lost > 0)
    verdict.text +=
        fmt::format(" {} of {} gave no impact.", lost, Count(std::ssize(run.trials), "trial"));
  if (lost > 0 || !std::ranges::all_of(run.fit->audit, &fitting::AuditFinding::ok))
    verdict.level = Level::kWarning;
  return verdict;
}

/// The drop that would tell most, in one line.
std::string AdviceOf(const fitting::FitReport& fit, const LawFit& best) {
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

/// The trial that a picture is shown of: the first that has one.
std::optional<Figure> PictureOf(const RunFolder& run, const LawFit& best) {
  constexpr std::size_t kMostTries = 5;
  const std::vector<NamedView> views = ViewsOf(run);
  for (std::size_t k = 0; k < std::min(kMostTries, run.trials.size()); ++k) {
    if (run.trials[k].status != "ok") continue;
    TrialFacts trial = run.trials[k];
    ReadShownFacts(&trial);
    if (auto picture = PictureOfImpact(trial, best, views)) return picture;
  }
  return std::nullopt;
}

}  // namespace

Section AnswerSection(const RunFolder& run) {
  Section section{.id = "answer"};
  if (!run.fit || run.fit->laws.empty()) {
    section.blocks.push_back(
        Answer{.level = Level::kFailure,
               .verdict = "There are no coefficients: what failed is below, with the reason."});
    return section;
  }
  const LawFit& best = BestLaw(*run.fit);
  const Finding verdict = VerdictOf(run, best);
  Answer answer{.level = verdict.level,
                .verdict = verdict.text,
                .coefficients = CoefficientsOf(*run.fit, best),
                .advice = AdviceOf(*run.fit, best)};
  if (auto picture = PictureOf(run, best)) answer.figures.push_back(std::move(*picture));
  answer.figures.push_back(DissipationScatter(best, PlacesOfTrials(run)));
  section.blocks.push_back(std::move(answer));
  return section;
}

}  // namespace percuss::report
