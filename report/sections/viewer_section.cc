// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/scene/scene.h"
#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

std::string FirstLaw(const RunFolder& run) {
  return run.fit && !run.fit->laws.empty() ? fitting::BestLaw(run.fit->laws).law : "";
}

}  // namespace

Section ViewerSection(const RunFolder& run) {
  Section section{.id = "viewer-section",
                  .title = "The drops, as they were and as the laws have them"};
  const std::vector<std::size_t> places = ViewedTrials(run);
  std::vector<TrialFacts> trials;
  for (const std::size_t place : places) {
    trials.push_back(run.trials[place]);
    ReadShownFacts(&trials.back());
  }
  std::string scene = ViewerScene(run, trials, FirstLaw(run));
  if (scene.empty()) return section;
  const auto with_impact = std::ranges::count(run.trials, "ok", &TrialFacts::status);
  if (std::ssize(places) < with_impact) {
    section.blocks.push_back(Paragraph{fmt::format(
        "{} of the {} trials with an impact, from the one that {} explains worst to the one that "
        "it explains best. A click on a mark of the plot above shows {}.",
        places.size(), with_impact, FirstLaw(run), MarkedImpacts(run) ? "others" : "any other")});
  }
  section.blocks.push_back(Viewer{.id = "viewer", .scene = std::move(scene)});
  return section;
}

std::optional<Document> PageOfDrop(const RunFolder& run, const TrialFacts& trial) {
  TrialFacts shown = trial;
  ReadShownFacts(&shown);
  std::string scene = ViewerScene(run, {shown}, FirstLaw(run));
  if (scene.empty()) return std::nullopt;
  return Document{.title = trial.name,
                  .subtitle = "A drop of " + run.name,
                  .sections = {{.id = "viewer-section",
                                .blocks = {Viewer{.id = "viewer", .scene = std::move(scene)},
                                           Link{"All trials", "../../report.html"}}}}};
}

}  // namespace percuss::report
