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
                          .value = ValueInWords(parameter),
                          .interval = StatusInWords(parameter.status)};
  if (parameter.status == ParameterStatus::kIdentified) {
    coefficient.sigma = FormatSigma(parameter.sigma);
    coefficient.interval =
        fmt::format("95 % interval {} to {}", FormatValue(parameter.ci95[0], parameter.sigma),
                    FormatValue(parameter.ci95[1], parameter.sigma));
  }
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
  const LawFit& best = fitting::BestLaw(run.fit->laws);
  const Finding verdict = VerdictOf(run, best);
  Answer answer{.level = verdict.level,
                .verdict = verdict.text,
                .coefficients = CoefficientsOf(*run.fit, best),
                .advice = NextDropInWords(*run.fit, best)};
  if (auto picture = PictureOf(run, best)) answer.figures.push_back(std::move(*picture));
  answer.figures.push_back(DissipationScatter("dissipation-scatter", best, PlacesOfTrials(run)));
  section.blocks.push_back(std::move(answer));
  return section;
}

}  // namespace percuss::report
