// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

/// mu of the first law, where the impacts themselves gave it.
const ParameterEstimate* FrictionOfImpacts(const RunFolder& run) {
  if (!run.fit || run.fit->laws.empty()) return nullptr;
  const LawFit& law = run.fit->laws.front();
  const auto& parameters = law.agreement ? law.agreement->fitted : law.parameters;
  const auto mu = std::ranges::find(parameters, "mu", &ParameterEstimate::name);
  return law.converged && mu != parameters.end() ? &*mu : nullptr;
}

Table SlideTable(const RunFolder& run) {
  Table table{
      .id = "slides",
      .caption = "Friction of slides",
      .columns = {TextColumn("trial", "trial"), MeasuredColumn("mu_k", "mu_k", "-"),
                  MeasuredColumn("mu_s", "mu_s", "-"), TextColumn("start", "start"),
                  MeasuredColumn("angle", "slope at the start", "deg", 57.29577951308232),
                  MeasuredColumn("acceleration", "acceleration", "m/s²"),
                  NumberColumn("path", "way", "mm"), CountColumn("frames", "length", "frames"),
                  MeasuredColumn("friction_change", "mu_k, end less start", "-"),
                  NumberColumn("difference_sigmas", "from mu of the impacts", "sigma", 2)},
      .note =
          "mu_k from the acceleration of the slide, mu_s from the slope at which it starts. "
          "A coefficient of slow sliding need not be that of an impact."};
  table.columns[6].scale = 1000;
  const ParameterEstimate* mu = FrictionOfImpacts(run);
  for (const SlideFacts& slide : run.slides) {
    const double difference =
        mu ? (slide.mu_k.value - mu->value) / std::hypot(slide.mu_k.sigma, mu->sigma) : kNaN;
    table.rows.push_back(
        {.cells = {TextCell(slide.trial.name), NumberCell(slide.mu_k.value, slide.mu_k.sigma),
                   NumberCell(slide.mu_s.value, slide.mu_s.sigma), TextCell(slide.start),
                   NumberCell(slide.angle.value, slide.angle.sigma),
                   NumberCell(slide.acceleration.value, slide.acceleration.sigma),
                   NumberCell(slide.path), NumberCell(slide.frames),
                   NumberCell(slide.friction_change.value, slide.friction_change.sigma),
                   NumberCell(difference)}});
  }
  return table;
}

/// Places of the slides with a figure: all, or of many those whose mu_k is farthest from the
/// median.
std::vector<std::size_t> FiguredSlides(const std::vector<SlideFacts>& slides) {
  constexpr std::size_t kMostFigures = 12;
  std::vector<std::size_t> places;
  std::vector<double> values;
  for (std::size_t k = 0; k < slides.size(); ++k) {
    if (slides[k].trial.status != "ok") continue;
    places.push_back(k);
    if (std::isfinite(slides[k].mu_k.value)) values.push_back(slides[k].mu_k.value);
  }
  if (places.size() <= kMostFigures || values.empty()) return places;
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  const double median = values[values.size() / 2];
  std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t k) {
    const double distance = std::abs(slides[k].mu_k.value - median);
    return std::isnan(distance) ? -1.0 : distance;
  });
  places.resize(kMostFigures);
  std::ranges::sort(places);
  return places;
}

/// What failed, and what is to be said of the others.
Findings FindingsOf(const std::vector<SlideFacts>& slides) {
  constexpr std::size_t kMostFindings = 60;
  std::vector<Finding> findings;
  for (const SlideFacts& slide : slides) {
    if (slide.trial.status != "ok") {
      findings.push_back({Level::kFailure, slide.trial.name, slide.trial.message});
      continue;
    }
    if (!slide.mu_s_reason.empty())
      findings.push_back({Level::kNote, slide.trial.name, slide.mu_s_reason});
    for (const std::string& warning : slide.trial.warnings)
      findings.push_back({Level::kWarning, slide.trial.name, warning});
  }
  if (findings.size() > kMostFindings) {
    const std::string left =
        fmt::format("{} more, each in tracks/TRIAL/trial.json.", findings.size() - kMostFindings);
    findings.resize(kMostFindings);
    findings.push_back({Level::kNote, "", left});
  }
  return {std::move(findings)};
}

}  // namespace

Section SlidesSection(const RunFolder& run) {
  Section section{.id = "slides-section", .title = "Slides on a plate"};
  section.blocks.push_back(SlideTable(run));
  Findings findings = FindingsOf(run.slides);
  if (!findings.findings.empty()) section.blocks.push_back(std::move(findings));
  const std::vector<std::size_t> places = FiguredSlides(run.slides);
  const auto good = std::ranges::count(run.slides, "ok",
                                       [](const SlideFacts& slide) { return slide.trial.status; });
  if (std::ssize(places) < good) {
    section.blocks.push_back(Paragraph{fmt::format(
        "Plots follow for {} of the {} slides: those whose mu_k is farthest from the median.",
        places.size(), good)});
  }
  Figures figures;
  for (const std::size_t place : places)
    figures.figures.push_back(
        SlideFigure(run.slides[place], static_cast<int>(std::ssize(figures.figures)) + 1));
  if (!figures.figures.empty()) section.blocks.push_back(std::move(figures));
  return section;
}

}  // namespace percuss::report
