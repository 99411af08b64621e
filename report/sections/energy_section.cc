// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "report/facts/by_trial.h"
#include "report/plots/chart.h"
#include "report/plots/plot_parts.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

constexpr double kMillijoule = 1000;

Row SharesRow(const std::string& trial, const std::string& state,
              const fitting::EnergyShares& shares) {
  Row row{.cells = {TextCell(trial), TextCell(state)}};
  for (const Measured& share : shares) row.cells.push_back(NumberCell(share.value, share.sigma));
  return row;
}

Row PredictedRow(const ImpulseDiagram& impulse, const std::string& law,
                 const TrialComparison* comparison) {
  Row row = SharesRow(impulse.trial, "after, " + law, impulse.after_predicted);
  const Measured normal = comparison ? comparison->normal_work : Measured{};
  const Measured friction = comparison ? comparison->friction_work : Measured{};
  row.cells.push_back(NumberCell(normal.value, normal.sigma));
  row.cells.push_back(NumberCell(friction.value, friction.sigma));
  return row;
}

/// What a law says of the impacts, by their trials.
struct LawAndImpacts {
  std::string law;
  ByTrial<ImpulseDiagram> impulses;
  std::optional<ByTrial<TrialComparison>> comparisons;
};

std::vector<LawAndImpacts> LawsOf(const RunFolder& run) {
  std::vector<LawAndImpacts> laws;
  for (const auto& [name, diagrams] : run.impulses) {
    LawAndImpacts& one = laws.emplace_back(LawAndImpacts{name, ByTrial(diagrams), {}});
    const auto fit = std::ranges::find(run.fit->laws, name, &LawFit::law);
    if (fit != run.fit->laws.end()) one.comparisons.emplace(fit->trials);
  }
  return laws;
}

void AddShares(const ImpulseDiagram& first, const std::vector<LawAndImpacts>& laws,
               std::size_t columns, const RowSink& add) {
  Row before = SharesRow(first.trial, "before, measured", first.before);
  Row after = SharesRow(first.trial, "after, measured", first.after_measured);
  for (Row* row : {&before, &after}) row->cells.resize(columns);
  before.starts_group = true;
  add(before);
  add(after);
  for (const LawAndImpacts& law : laws) {
    if (const ImpulseDiagram* impulse = law.impulses.Find(first.trial)) {
      add(PredictedRow(*impulse, law.law,
                       law.comparisons ? law.comparisons->Find(first.trial) : nullptr));
    }
  }
}

Table SharesTable(const RunFolder& run) {
  Table table{
      .id = "energy-shares",
      .caption = "Kinetic energy before and after each impact, and the works of the impulse",
      .columns = {TextColumn("trial", "trial"), TextColumn("state", "state"),
                  MeasuredColumn("normal", "along the normal", "mJ", kMillijoule),
                  MeasuredColumn("tangential", "along the surface", "mJ", kMillijoule),
                  MeasuredColumn("rotation", "rotation", "mJ", kMillijoule),
                  MeasuredColumn("total", "total", "mJ", kMillijoule),
                  MeasuredColumn("normal_work", "work of the normal impulse", "mJ", kMillijoule),
                  MeasuredColumn("friction_work", "work of friction", "mJ", kMillijoule)},
      .note =
          "Of the motion of the mass centre along the surface normal and along the surface, and of "
          "the rotation. Works are those of the surface on the body: negative takes energy away; "
          "their sum is what the total changes by. CSV and JSON: joule."};
  SetRows(
      [&impacts = run.impulses.front().second, laws = LawsOf(run),
       columns = table.columns.size()](const RowSink& add) {
        for (const ImpulseDiagram& impact : impacts) AddShares(impact, laws, columns, add);
      },
      &table, TabledRows(run));
  return table;
}

/// Kinetic energy before and after each impact by its kind, of one law.
Figure EnergySharesFigure(const std::string& law, const std::vector<ImpulseDiagram>& impacts,
                          const PlaceOfTrial& place_of) {
  constexpr std::size_t kMostImpacts = 25, kLongestName = 18;
  struct Kind {
    Hue hue;
    const char* name;
  };
  constexpr std::array<Kind, 3> kKinds = {{{Hue::kBlue, "along the normal"},
                                           {Hue::kOrange, "along the surface"},
                                           {Hue::kSky, "rotation"}}};
  Chart chart{.id = "energy-shares-plot",
              .caption = fmt::format(
                  "Kinetic energy by its kind. Of each impact the upper bar is before it, the "
                  "middle one after it as measured, the lower one after it as law {} predicts.",
                  law),
              .x_label = "kinetic energy [mJ]",
              .x_range = {0, kNaN}};
  const std::size_t shown = std::min(impacts.size(), kMostImpacts);
  if (shown < impacts.size())
    chart.caption += fmt::format(" The first {} of {} impacts.", shown, impacts.size());
  for (const Kind& kind : kKinds)
    chart.legend.push_back({.title = kind.name, .hue = kind.hue, .mark = Mark::kSquare});
  for (std::size_t i = 0; i < shown; ++i) {
    const ImpulseDiagram& impact = impacts[i];
    chart.rows.push_back(Shortened(impact.trial, kLongestName));
    double row = static_cast<double>(i) - 0.27;
    const std::array<std::pair<const fitting::EnergyShares*, const char*>, 3> bars = {
        {{&impact.before, "before"},
         {&impact.after_measured, "after, measured"},
         {&impact.after_predicted, "after, predicted"}}};
    for (const auto& [shares, when] : bars) {
      double from = 0;
      for (std::size_t k = 0; k < kKinds.size(); ++k) {
        const double to = from + kMillijoule * (*shares)[k].value;
        if (!std::isfinite(to)) break;
        chart.bars.push_back({from, to, row, 0.11, kKinds[k].hue,
                              fmt::format("{}, {}: {} {} mJ", impact.trial, when, kKinds[k].name,
                                          FormatSignificant(to - from, 4)),
                              place_of(impact.trial).value_or("")});
        from = to;
      }
      row += 0.27;
    }
  }
  return ChartFigure(chart);
}

}  // namespace

Section EnergySection(const RunFolder& run) {
  Section section{.id = "energy-section", .title = "Where the energy went"};
  const bool has_any = run.fit && !run.impulses.empty() && !run.impulses.front().second.empty();
  if (!has_any) {
    section.blocks.push_back(Paragraph{
        "Nothing is known about it: impulses.json is missing, or the fit used no trial."});
    return section;
  }
  section.blocks.push_back(Figures{{EnergySharesFigure(
      run.impulses.front().first, run.impulses.front().second, PlacesOfTrials(run))}});
  section.blocks.push_back(SharesTable(run));
  return section;
}

}  // namespace percuss::report
