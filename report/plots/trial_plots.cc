// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/plots/chart.h"
#include "report/plots/plot_parts.h"
#include "report/plots/plots.h"

namespace percuss::report {
namespace {

constexpr double kMillimetres = 1000, kMilliseconds = 1000;

using PoseValue = std::function<double(const PoseFacts&)>;

// Time relative to the impact where there is one, so that both arcs meet at zero; the arcs and a
// quarter of their length on either side: the body may be held for much longer.
struct TimeAxis {
  double origin = 0, scale = 1;
  std::array<double, 2> range = {kNaN, kNaN};
  std::string label = "time [s]";

  double At(double time) const { return (time - origin) * scale; }
};

TimeAxis MakeTimeAxis(const TrialFacts& trial) {
  if (trial.impacts.empty()) return {};
  TimeAxis axis{.origin = trial.impacts.front().time.value,
                .scale = kMilliseconds,
                .label = "time after the impact [ms]"};
  Extent flights;
  for (const PoseFacts& pose : trial.poses) {
    if (pose.phase != "other") flights.Include(pose.time);
  }
  if (flights.low < flights.high) {
    const double margin = 0.25 * flights.Length();
    axis.range = {axis.At(flights.low - margin), axis.At(flights.high + margin)};
  }
  return axis;
}

struct Series {
  std::string phase;  ///< empty: all
  std::string title;
  Hue hue;
  Mark mark;
  PoseValue value;
};

Figure TimeFigure(const std::string& id, const std::string& caption, const std::string& y_label,
                  const std::vector<Series>& series, const TrialFacts& trial) {
  const TimeAxis axis = MakeTimeAxis(trial);
  Chart chart{.id = id, .caption = caption, .x_label = axis.label, .y_label = y_label};
  for (const Series& one : series) {
    ChartSeries shown{.title = one.title, .hue = one.hue, .mark = one.mark};
    for (const PoseFacts& pose : trial.poses) {
      const double time = axis.At(pose.time), y = one.value(pose);
      const bool outside = time < axis.range[0] || time > axis.range[1];
      if ((one.phase.empty() || pose.phase == one.phase) && std::isfinite(y) && !outside)
        shown.points.push_back({.x = time, .y = y});
    }
    if (!shown.points.empty()) chart.series.push_back(std::move(shown));
  }
  if (!chart.series.empty()) {
    for (const TrialImpactFacts& impact : trial.impacts)
      chart.x_rules.push_back(axis.At(impact.time.value));
  }
  return ChartFigure(chart);
}

}  // namespace

std::vector<Figure> TrialFigures(const TrialFacts& trial, int number) {
  const std::string id = fmt::format("trial-{}", number);
  const auto millimetres = [](double PoseFacts::*place) -> PoseValue {
    return [place](const PoseFacts& pose) { return kMillimetres * pose.*place; };
  };
  const auto by_phase = [](const PoseValue& value) {
    return std::vector<Series>{{"before", "before", Hue::kBlue, Mark::kDot, value},
                               {"after", "after", Hue::kVermillion, Mark::kSquare, value},
                               {"other", "not used", Hue::kGrey, Mark::kDot, value}};
  };
  const std::string impact = trial.impacts.empty() ? "" : " Dashed: the impact.";
  std::vector<Series> heights = by_phase(millimetres(&PoseFacts::z));
  heights.push_back(
      {"", "lowest marker", Hue::kGreen, Mark::kDot, millimetres(&PoseFacts::lowest_marker)});
  std::vector<Figure> figures = {
      TimeFigure(id + "-height",
                 trial.name + ": height of the mass centre and of the lowest marker seen." + impact,
                 "height z [mm]", heights, trial),
      TimeFigure(id + "-position",
                 trial.name + ": position of the mass centre along the surface." + impact,
                 "position [mm]",
                 {{"", "x", Hue::kBlue, Mark::kDot, millimetres(&PoseFacts::x)},
                  {"", "y", Hue::kVermillion, Mark::kSquare, millimetres(&PoseFacts::y)}},
                 trial)};
  const PoseValue rms = [](const PoseFacts& pose) { return pose.rms_px; };
  if (std::ranges::any_of(trial.poses,
                          [](const auto& pose) { return std::isfinite(pose.rms_px); })) {
    figures.push_back(TimeFigure(
        id + "-residual",
        trial.name + ": residual of the pose in each frame, rms over the markers." + impact,
        "residual [px]", by_phase(rms), trial));
  }
  return figures;
}

}  // namespace percuss::report
