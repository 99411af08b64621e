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

/// Places of the trials with an impact; of more than a page has room for, a dozen from the worst
/// explained to the best.
std::vector<std::size_t> ViewedTrials(const RunFolder& run) {
  constexpr std::size_t kMost = 12;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < run.trials.size(); ++k) {
    if (run.trials[k].status == "ok") places.push_back(k);
  }
  if (places.size() <= kMost) return places;
  std::ranges::stable_sort(places, std::greater<>(),
                           [&](std::size_t k) { return VelocityError(run, run.trials[k].name); });
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < kMost; ++k)
    some.push_back(places[k * (places.size() - 1) / (kMost - 1)]);
  return some;
}

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
        "it explains best. A click on a mark of the plot above shows any other.",
        places.size(), with_impact, FirstLaw(run))});
  }
  section.blocks.push_back(Viewer{.id = "viewer", .scene = std::move(scene)});
  return section;
}

std::vector<std::size_t> TrialsWithPages(const RunFolder& run) {
  const std::vector<std::size_t> figured = FiguredTrials(run);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < run.trials.size(); ++k) {
    if (run.trials[k].status == "ok" && std::ranges::find(figured, k) == figured.end())
      places.push_back(k);
  }
  return places;
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
