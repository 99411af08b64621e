// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plots/plot_parts.h"
#include "report/plots/svg.h"
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

const TrialComparison* FindComparison(const RunFolder& run, const std::string& law,
                                      const std::string& trial) {
  for (const LawFit& candidate : run.fit->laws) {
    if (candidate.law != law) continue;
    const auto found = std::ranges::find(candidate.trials, trial, &TrialComparison::trial);
    if (found != candidate.trials.end()) return &*found;
  }
  return nullptr;
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
  for (const ImpulseDiagram& first : run.impulses.front().second) {
    Row before = SharesRow(first.trial, "before, measured", first.before);
    Row after = SharesRow(first.trial, "after, measured", first.after_measured);
    for (Row* row : {&before, &after}) row->cells.resize(table.columns.size());
    before.starts_group = true;
    table.rows.push_back(before);
    table.rows.push_back(after);
    for (const auto& [law, diagrams] : run.impulses) {
      for (const ImpulseDiagram& impulse : diagrams) {
        if (impulse.trial != first.trial) continue;
        table.rows.push_back(PredictedRow(impulse, law, FindComparison(run, law, impulse.trial)));
      }
    }
  }
  return table;
}

}  // namespace

Figure EnergySharesFigure(const std::string& law, const std::vector<ImpulseDiagram>& trials,
                          const Plotter& plotter) {
  constexpr std::size_t kMostTrials = 25, kLongestName = 18;
  const std::size_t num_trials = std::min(trials.size(), kMostTrials);
  const std::string id = "energy-shares-plot";
  std::string caption = fmt::format(
      "Kinetic energy by its kind. Of each trial the upper bar is before the impact, the middle "
      "one "
      "after it as measured, the lower one after it as law {} predicts.",
      law);
  if (num_trials < trials.size()) {
    caption += fmt::format(" The first {} of {} trials.", num_trials, trials.size());
  }
  if (num_trials == 0) return {.id = id, .caption = caption, .problem = kNoNumbers};
  PlotScript script;
  script.width = 720;
  script.height = 110 + 62 * static_cast<int>(num_trials);
  std::array<std::string, 3> boxes;
  std::string tics;
  std::size_t longest = 4;
  for (std::size_t i = 0; i < num_trials; ++i) {
    const ImpulseDiagram& trial = trials[i];
    const double row = static_cast<double>(num_trials - 1 - i);
    double offset = 0.27;
    for (const fitting::EnergyShares* shares :
         {&trial.before, &trial.after_measured, &trial.after_predicted}) {
      double from = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double to = from + kMillijoule * (*shares)[k].value;
        if (!std::isfinite(to)) break;
        boxes[k] += fmt::format("{:.6g} {:.6g} {:.6g}\n", from, to, row + offset);
        from = to;
      }
      offset -= 0.27;
    }
    const std::string name = Shortened(trial.trial, kLongestName);
    longest = std::max(longest, name.size());
    tics += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", LabelMark(i), row);
    script.labels.push_back(name);
  }
  const std::array<const char*, 3> colours = {kBlue, kOrange, kSky};
  const std::array<const char*, 3> titles = {"along the normal", "along the surface", "rotation"};
  std::string plots;
  for (std::size_t k = 0; k < 3; ++k) {
    if (boxes[k].empty()) continue;
    script.commands += DataBlock(std::string(fitting::kEnergyShareNames[k]), boxes[k]);
    plots += fmt::format(
        "{} ${} using (($1+$2)/2):3:1:2:($3-0.11):($3+0.11) with boxxyerror fs solid noborder lc "
        "rgb "
        "'{}' title '{}'",
        plots.empty() ? "plot" : ",", fitting::kEnergyShareNames[k], colours[k], titles[k]);
  }
  if (plots.empty()) return {.id = id, .caption = caption, .problem = kNoNumbers};
  script.commands += fmt::format(
      "set ytics ({})\nset yrange [-0.55:{}]\nset lmargin {}\nset border 1\nset tics nomirror\n"
      "set ytics scale 0\nset grid x\nset key outside above center horizontal samplen 1\n"
      "set xlabel 'kinetic energy [mJ]'\nset xrange [0:*]\n",
      tics, static_cast<double>(num_trials) - 0.45, longest + 2);
  script.commands += plots + "\n";
  Figure figure = DrawFigure(id, caption, script, plotter);
  figure.wide = true;
  return figure;
}

Section EnergySection(const RunFolder& run, const Plotter& plotter) {
  Section section{.id = "energy-section", .title = "Where the energy went"};
  const bool has_any = run.fit && !run.impulses.empty() && !run.impulses.front().second.empty();
  if (!has_any) {
    section.blocks.push_back(Paragraph{
        "Nothing is known about it: impulses.json is missing, or the fit used no trial."});
    return section;
  }
  section.blocks.push_back(Figures{
      {EnergySharesFigure(run.impulses.front().first, run.impulses.front().second, plotter)}});
  section.blocks.push_back(SharesTable(run));
  return section;
}

}  // namespace percuss::report
