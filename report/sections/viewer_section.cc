// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "report/scene/scene.h"
#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {

Section ViewerSection(const RunFolder& run) {
  Section section{.id = "viewer-section",
                  .title = "The drops, as they were and as the laws have them"};
  std::vector<TrialFacts> trials;
  for (const std::size_t place : FiguredTrials(run)) {
    trials.push_back(run.trials[place]);
    ReadShownFacts(&trials.back());
  }
  const bool has_law = run.fit && !run.fit->laws.empty();
  std::string scene = ViewerScene(run, trials, has_law ? BestLaw(*run.fit).law : "");
  if (!scene.empty()) section.blocks.push_back(Viewer{.id = "viewer", .scene = std::move(scene)});
  return section;
}

}  // namespace percuss::report
