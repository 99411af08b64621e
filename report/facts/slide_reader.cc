// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_field.h"
#include "report/facts/csv.h"
#include "report/facts/run_folder.h"

namespace percuss::report {
namespace {

Measured ReadNumber(const JsonField& slide, std::string_view key) {
  const JsonField number = slide.At(key);
  return {number.At("value").Number(), number.At("sigma").Number()};
}

}  // namespace

std::optional<SlideFacts> ReadSlideFacts(const std::filesystem::path& trial_folder) {
  return ReadSlideFacts(JsonField::ReadFile(trial_folder / "trial.json"), trial_folder);
}

std::optional<SlideFacts> ReadSlideFacts(const JsonField& root,
                                         const std::filesystem::path& trial_folder) {
  if (root.TextOr("kind", "drop") != "slide") return {};
  SlideFacts facts{.trial = ReadTrialFacts(root, trial_folder)};
  const auto slide = root.Find("slide");
  if (!slide) return facts;
  facts.start = slide->At("start").Text();
  facts.mu_s_reason = slide->At("mu_s_reason").Text();
  facts.tilting = slide->At("tilting").Boolean();
  facts.mu_k = ReadNumber(*slide, "mu_k");
  facts.mu_s = ReadNumber(*slide, "mu_s");
  facts.angle = ReadNumber(*slide, "angle");
  facts.acceleration = ReadNumber(*slide, "acceleration");
  facts.friction_change = ReadNumber(*slide, "friction_change");
  facts.path = slide->At("path").Number();
  facts.frames = slide->At("frames").Integer();
  if (!std::filesystem::exists(trial_folder / "slide.csv")) return facts;
  const CsvTable table = ReadCsv(trial_folder / "slide.csv");
  const int time = table.Require("time"), s = table.Require("s"),
            fitted = table.Require("s_fitted"), slope = table.Require("slope_deg");
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    facts.points.push_back({table.Number(row, time), table.Number(row, s),
                            table.Number(row, fitted), table.Number(row, slope)});
  }
  return facts;
}

}  // namespace percuss::report
