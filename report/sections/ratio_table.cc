// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "impacts/restitution_ratios.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

Column ShownRatioColumn(const impacts::RatioColumn& column) {
  const std::string name = column.name;
  if (name == "impact_speed") return MeasuredColumn(name, "impact speed", "m/s");
  if (name == "impact_angle_deg") return MeasuredColumn(name, "impact angle", "°");
  return MeasuredColumn(name, name, "-");
}

}  // namespace

std::vector<Block> RatioBlocks(const RunFolder& run) {
  Table table{
      .id = "impact-ratios",
      .caption = "Ratios of the mass centre's velocity, after to before",
      .columns = {TextColumn("trial", "trial")},
      .note =
          "As rock falls are tabulated: speed and angle to the surface (90° is a vertical drop) of "
          "the mass centre; R_n, R_t: its velocity after over before, along the normal and along "
          "the surface (below 0: it comes back); R_v: the same of its speed; R_E: of the kinetic "
          "energy with rotation. They are of the mass centre and of one impact: R_n is no e, which "
          "is of the contact point, and exceeds 1 where rotation throws the body up. A ratio to a "
          "velocity below three of its sigmas is left out."};
  for (const impacts::RatioColumn& column : impacts::kRatioColumns)
    table.columns.push_back(ShownRatioColumn(column));
  SetRows(
      [&run](const RowSink& add) {
        for (const ImpactRecord& impact : run.impacts) {
          const impacts::RestitutionRatios ratios = impacts::StatedRatios(impact);
          if (std::isnan(ratios.impact_speed.value)) continue;
          Row row{.cells = {TextCell(impact.trial)}};
          for (const impacts::RatioColumn& column : impacts::kRatioColumns) {
            const Measured& ratio = ratios.*column.value;
            row.cells.push_back(NumberCell(ratio.value, ratio.sigma));
          }
          add(row);
        }
      },
      &table, TabledRows(run));
  if (table.rows.empty()) return {};
  return {table};
}

}  // namespace percuss::report
