// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "report/facts/numbers.h"
#include "report/plots/plot_parts.h"
#include "report/plots/svg.h"

namespace percuss::report {
namespace {

constexpr double kMillimetres = 1000, kMilliseconds = 1000, kPercent = 100;

using PoseValue = std::function<double(const PoseFacts&)>;

// Time relative to the impact where there is one, so that both arcs meet at zero.
struct TimeAxis {
  double origin = 0, scale = 1;
  double first = -std::numeric_limits<double>::infinity();
  double last = std::numeric_limits<double>::infinity();
  std::string label;

  double At(double time) const { return (time - origin) * scale; }
};

// The arcs and a quarter of their length on either side: the body may be held for much longer.
TimeAxis MakeTimeAxis(const TrialFacts& trial) {
  TimeAxis axis{.label = "time [s]"};
  if (trial.impacts.empty()) return axis;
  axis = {.origin = trial.impacts.front().time.value,
          .scale = kMilliseconds,
          .label = "time after the impact [ms]"};
  double first = kNaN, last = kNaN;
  for (const PoseFacts& pose : trial.poses) {
    if (pose.phase == "other") continue;
    first = std::fmin(first, pose.time);
    last = std::fmax(last, pose.time);
  }
  if (first < last) {
    const double margin = 0.25 * (last - first);
    axis.first = axis.At(first - margin);
    axis.last = axis.At(last + margin);
  }
  return axis;
}

std::string PoseLines(const TrialFacts& trial, const TimeAxis& axis, const std::string& phase,
                      const PoseValue& value, Extent& times) {
  std::string lines;
  for (const PoseFacts& pose : trial.poses) {
    const double time = axis.At(pose.time), y = value(pose);
    const bool is_shown = (phase.empty() || pose.phase == phase) && std::isfinite(time) &&
                          std::isfinite(y) && time >= axis.first && time <= axis.last;
    if (!is_shown) continue;
    times.Include(time);
    lines += fmt::format("{:.9g} {:.9g}\n", time, y);
  }
  return lines;
}

struct Series {
  std::string phase;  ///< empty: all
  std::string title;
  std::string colour;
  int point_type;
  PoseValue value;
};

struct TimePlot {
  std::string id, caption, y_label;
  std::string y_range = "[*:*]";
  std::vector<Series> series{};
};

Figure TimeFigure(const TimePlot& plot, const TrialFacts& trial, const Plotter& plotter) {
  const TimeAxis axis = MakeTimeAxis(trial);
  PlotScript script;
  Extent times;
  std::string plots;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    const std::string lines = PoseLines(trial, axis, series.phase, series.value, times);
    if (lines.empty()) continue;
    const std::string name = fmt::format("d{}", i);
    script.commands += DataBlock(name, lines);
    plots += fmt::format("{} ${} using 1:2 with points pt {} ps 0.5 lc rgb '{}' title '{}'",
                         plots.empty() ? "plot" : ",", name, series.point_type, series.colour,
                         series.title);
  }
  if (plots.empty()) {
    return {.id = plot.id, .caption = plot.caption, .problem = kNoNumbers};
  }
  const double range = std::max(times.high - times.low, 1e-6);
  script.commands += fmt::format(
      "set grid\nset key outside above center horizontal samplen 1\nset border 3\n"
      "set tics nomirror\nset xlabel '{}'\nset ylabel '{}'\nset xrange [{:.9g}:{:.9g}]\n"
      "set xtics {:.9g}\nset yrange {}\nset offsets 0, 0, graph 0.06, graph 0.06\n",
      axis.label, plot.y_label, times.low - 0.03 * range, times.high + 0.03 * range,
      NiceStep(range), plot.y_range);
  for (const TrialImpactFacts& impact : trial.impacts) {
    script.commands += fmt::format(
        "set arrow from {0:.9g}, graph 0 to {0:.9g}, graph 1 nohead lt 1 lc rgb 'black' dt (6,6) "
        "back\n",
        axis.At(impact.time.value));
  }
  script.commands += plots + "\n";
  return DrawFigure(plot.id, plot.caption, script, plotter);
}

// A figure has room for so many trials: of more, those with the largest errors.
constexpr std::size_t kMostTrials = 40;

LawFit WorstTrials(LawFit law) {
  if (law.trials.size() <= kMostTrials) return law;
  const auto error = [](const TrialComparison& trial) {
    const double size =
        std::abs(trial.dissipation_predicted.value - trial.dissipation_measured.value);
    return std::isfinite(size) ? size : -1.0;
  };
  std::vector<double> errors;
  for (const TrialComparison& trial : law.trials) errors.push_back(error(trial));
  std::nth_element(errors.begin(), errors.begin() + kMostTrials - 1, errors.end(),
                   std::greater<>());
  const double least = errors[kMostTrials - 1];
  std::erase_if(law.trials, [&](const TrialComparison& trial) { return error(trial) < least; });
  law.trials.resize(kMostTrials);
  return law;
}

std::string WorstInWords(const LawFit& law) {
  if (law.trials.size() <= kMostTrials) return "";
  return fmt::format(" Shown are the {} of {} trials with the largest error.", kMostTrials,
                     law.trials.size());
}

// Trials are rows, the first on top: names of any length and any number of trials have room.
struct TrialRows {
  PlotScript script;
  std::size_t num_trials;

  double RowOf(std::size_t trial) const { return static_cast<double>(num_trials - 1 - trial); }
};

TrialRows MakeTrialRows(const LawFit& law) {
  constexpr std::size_t kLongestName = 18;
  TrialRows rows{.script = {}, .num_trials = law.trials.size()};
  rows.script.height = 120 + 42 * static_cast<int>(law.trials.size());
  std::size_t longest = 4;
  std::string tics;
  for (std::size_t i = 0; i < law.trials.size(); ++i) {
    const std::string name = Shortened(law.trials[i].trial, kLongestName);
    longest = std::max(longest, name.size());
    tics += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", LabelMark(i), rows.RowOf(i));
    rows.script.labels.push_back(name);
  }
  rows.script.commands = fmt::format(
      "set ytics ({})\nset yrange [-0.6:{}]\nset lmargin {}\nset border 1\nset tics nomirror\n"
      "set ytics scale 0\nset grid x\nset key outside above center horizontal samplen 1\n"
      "set xlabel 'percent of the kinetic energy before'\n",
      tics, static_cast<double>(law.trials.size()) - 0.4, longest + 2);
  return rows;
}

struct DotSeries {
  std::string title, colour;
  int point_type;
  double offset;  ///< of the row, so that marks do not cover each other
  std::function<Measured(const TrialComparison&)> fraction;
};

struct DotPlot {
  std::string id, caption, x_label;
  std::vector<DotSeries> series;
  bool shows_zero = false;
};

// One mark with a 95 % bar per trial and series.
Figure DotFigure(const DotPlot& plot, const LawFit& all, const Plotter& plotter) {
  const LawFit law = WorstTrials(all);
  TrialRows rows = MakeTrialRows(law);
  Extent extent;
  if (plot.shows_zero) extent.Include(0);
  std::string plots;
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const DotSeries& series = plot.series[k];
    std::string lines;
    for (std::size_t i = 0; i < law.trials.size(); ++i) {
      const Measured fraction = series.fraction(law.trials[i]);
      if (!std::isfinite(fraction.value)) continue;
      const double centre = kPercent * fraction.value;
      const double reach =
          std::isfinite(fraction.sigma) ? kPercent * kSigmasOf95 * fraction.sigma : 0;
      extent.Include(centre - reach);
      extent.Include(centre + reach);
      lines += fmt::format("{:.9g} {:.9g} {:.9g}\n", centre, rows.RowOf(i) + series.offset, reach);
    }
    if (lines.empty()) continue;
    rows.script.commands += DataBlock(fmt::format("d{}", k), lines);
    plots += fmt::format("{} $d{} using 1:2:3 with xerrorbars pt {} ps 0.8 lc rgb '{}' title '{}'",
                         plots.empty() ? "plot" : ",", k, series.point_type, series.colour,
                         series.title);
  }
  if (plots.empty()) {
    return {.id = plot.id, .caption = plot.caption, .problem = kNoNumbers};
  }
  const double range = std::max(extent.high - extent.low, 1e-3);
  rows.script.commands += fmt::format(
      "set xlabel '{}'\nset xrange [{:.9g}:{:.9g}]\nset xtics {:.9g}\nset errorbars small\n"
      "set pointintervalbox 0\n",
      plot.x_label, extent.low - 0.08 * range, extent.high + 0.08 * range, NiceStep(1.16 * range));
  if (plot.shows_zero) {
    rows.script.commands +=
        "set arrow from 0, graph 0 to 0, graph 1 nohead lt 1 lc rgb 'black' dt (6,6) back\n";
  }
  rows.script.commands += plots + "\n";
  return DrawFigure(plot.id, plot.caption + WorstInWords(all), rows.script, plotter);
}

}  // namespace

Figures TrialFigures(const TrialFacts& trial, int number, const Plotter& plotter) {
  const std::string id = fmt::format("trial-{}", number);
  const auto x = [](const PoseFacts& pose) { return kMillimetres * pose.x; };
  const auto y = [](const PoseFacts& pose) { return kMillimetres * pose.y; };
  const auto z = [](const PoseFacts& pose) { return kMillimetres * pose.z; };
  const auto lowest = [](const PoseFacts& pose) { return kMillimetres * pose.lowest_marker; };
  const auto rms = [](const PoseFacts& pose) { return pose.rms_px; };
  const auto by_phase = [](const PoseValue& value) {
    return std::vector<Series>{{"before", "before", kBlue, 7, value},
                               {"after", "after", kVermillion, 5, value},
                               {"other", "not used", kGrey, 7, value}};
  };
  const std::string impact = trial.impacts.empty() ? "" : " Dashed: the impact.";

  TimePlot height{
      .id = id + "-height",
      .caption = trial.name + ": height of the mass centre and of the lowest marker seen." + impact,
      .y_label = "height z [mm]",
      .series = by_phase(z)};
  height.series.push_back({"", "lowest marker", kGreen, 13, lowest});
  const TimePlot position{
      .id = id + "-position",
      .caption = trial.name + ": position of the mass centre along the surface." + impact,
      .y_label = "position [mm]",
      .series = {{"", "x", kBlue, 7, x}, {"", "y", kVermillion, 9, y}}};
  const TimePlot residual{
      .id = id + "-residual",
      .caption =
          trial.name + ": residual of the pose in each frame, rms over the markers." + impact,
      .y_label = "residual [px]",
      .y_range = "[0:*]",
      .series = by_phase(rms)};
  Figures figures{{TimeFigure(height, trial, plotter), TimeFigure(position, trial, plotter)}};
  const bool has_residuals = std::ranges::any_of(
      trial.poses, [](const PoseFacts& pose) { return std::isfinite(pose.rms_px); });
  if (has_residuals) figures.figures.push_back(TimeFigure(residual, trial, plotter));
  return figures;
}

Figure DissipationFigure(const LawFit& law, const Plotter& plotter) {
  return DotFigure(
      {.id = "dissipation-plot-" + Slug(law.law),
       .caption = fmt::format("Energy dissipated in the impact, measured and predicted (law {}). "
                              "Bars: 95 % of the sampling error, where wider than the mark.",
                              law.law),
       .x_label = "percent of the kinetic energy before",
       .series = {{"measured", kBlue, 7, 0.15,
                   [](const TrialComparison& trial) { return trial.dissipation_measured; }},
                  {"predicted", kVermillion, 9, -0.15,
                   [](const TrialComparison& trial) { return trial.dissipation_predicted; }}}},
      law, plotter);
}

Figure DissipationErrorFigure(const LawFit& law, const Plotter& plotter) {
  return DotFigure(
      {.id = "dissipation-error-plot-" + Slug(law.law),
       .caption = fmt::format("The same as a difference (law {}). Bars: 95 % of the sampling error "
                              "of the difference, where wider than the mark.",
                              law.law),
       .x_label = "percent of the kinetic energy before",
       .series = {{"predicted - measured", kVermillion, 9, 0,
                   [](const TrialComparison& trial) { return trial.dissipation_difference; }}},
       .shows_zero = true},
      law, plotter);
}

Figure EnergySplitFigure(const LawFit& all, const Plotter& plotter) {
  const LawFit law = WorstTrials(all);
  TrialRows rows = MakeTrialRows(law);
  std::string kept, normal, friction, measured;
  bool has_gain = false;
  const auto box = [](double row, double from, double to) {
    return fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", row, from, to, 0.3);
  };
  for (std::size_t i = 0; i < law.trials.size(); ++i) {
    const TrialComparison& trial = law.trials[i];
    const double by_normal = -kPercent * trial.normal_work.value / trial.energy_before.value;
    const double by_friction = -kPercent * trial.friction_work.value / trial.energy_before.value;
    const double remains = 100 - by_normal - by_friction;
    if (!std::isfinite(remains)) continue;
    has_gain = has_gain || by_normal < 0 || by_friction < 0;
    const double row = rows.RowOf(i);
    kept += box(row, 0, remains);
    normal += box(row, remains, remains + by_normal);
    friction += box(row, remains + by_normal, 100);
    if (std::isfinite(trial.dissipation_measured.value)) {
      measured +=
          fmt::format("{:.9g} {:.9g}\n", 100 - kPercent * trial.dissipation_measured.value, row);
    }
  }
  const std::string id = "energy-split-plot-" + Slug(law.law);
  std::string caption = fmt::format(
      "Where the kinetic energy goes as predicted (law {}): kept, lost to the normal impulse, lost "
      "to friction. Mark: kept as measured.",
      law.law);
  caption += WorstInWords(all);
  if (has_gain) caption += " A part that gains energy is drawn backwards.";
  if (kept.empty()) return {.id = id, .caption = caption, .problem = kNoNumbers};
  const auto boxes = [](const char* name, const char* colour, const char* title) {
    return fmt::format(
        "${} using (($2+$3)/2):1:2:3:($1-$4):($1+$4) with boxxyerror fs solid noborder lc rgb '{}' "
        "title '{}'",
        name, colour, title);
  };
  rows.script.commands += DataBlock("kept", kept) + DataBlock("normal", normal) +
                          DataBlock("friction", friction) + "set xrange [0:100]\nplot " +
                          boxes("kept", kSky, "kept") + ", " + boxes("normal", kBlue, "normal") +
                          ", " + boxes("friction", kOrange, "friction");
  if (!measured.empty()) {
    rows.script.commands =
        DataBlock("measured", measured) + rows.script.commands +
        // A rim in the colour of the page keeps the mark apart from every bar.
        ", $measured using 1:2 with points pt 13 ps 1.7 lc rgb '#ffffff' notitle"
        ", $measured using 1:2 with points pt 13 ps 1.1 lc rgb 'black' title 'measured'";
  }
  rows.script.commands += "\n";
  return DrawFigure(id, caption, rows.script, plotter);
}

}  // namespace percuss::report
