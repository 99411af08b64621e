// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace

Section SlidesSection(const RunFolder& run) {
  Section section{.id = "slides-section", .title = "Slides on a plate"};
  section.blocks.push_back(SlideTable(run));
  Findings findings;
  Figures figures;
  int number = 0;
  for (const SlideFacts& slide : run.slides) {
    if (slide.trial.status != "ok") {
      findings.findings.push_back({Level::kFailure, slide.trial.name, slide.trial.message});
      continue;
    }
    if (!slide.mu_s_reason.empty())
      findings.findings.push_back({Level::kNote, slide.trial.name, slide.mu_s_reason});
    for (const std::string& warning : slide.trial.warnings)
      findings.findings.push_back({Level::kWarning, slide.trial.name, warning});
    figures.figures.push_back(SlideFigure(slide, ++number));
  }
  if (!findings.findings.empty()) section.blocks.push_back(findings);
  if (!figures.figures.empty()) section.blocks.push_back(std::move(figures));
  return section;
}

}  // namespace percuss::report
