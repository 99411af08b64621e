// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/law_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/numbers.h"
#include "report/plots/chart.h"
#include "report/plots/plot_parts.h"

namespace percuss::report {
namespace {

constexpr double kPercent = 100;
constexpr const char* kOfEnergyBefore = "percent of the kinetic energy before";

double Reach95(const Measured& one) {
  return std::isfinite(one.sigma) ? kSigmasOf95 * one.sigma : 0.0;
}

std::string InPercent(const Measured& one) {
  return FormatWithSigma(kPercent * one.value, kPercent * one.sigma) + " %";
}

// A figure of rows has room for so many impacts: of more, those with the largest errors.
constexpr std::size_t kMostRows = 40;

std::vector<TrialComparison> WorstTrials(const LawFit& law) {
  if (law.trials.size() <= kMostRows) return law.trials;
  const auto error = [](const TrialComparison& trial) {
    const double size =
        std::abs(trial.dissipation_predicted.value - trial.dissipation_measured.value);
    return std::isfinite(size) ? size : -1.0;
  };
  std::vector<double> errors;
  for (const TrialComparison& trial : law.trials) errors.push_back(error(trial));
  std::nth_element(errors.begin(), errors.begin() + kMostRows - 1, errors.end(), std::greater<>());
  const double least = errors[kMostRows - 1];
  std::vector<TrialComparison> worst;
  for (const TrialComparison& trial : law.trials) {
    if (worst.size() < kMostRows && error(trial) >= least) worst.push_back(trial);
  }
  return worst;
}

std::string WorstInWords(const LawFit& law) {
  if (law.trials.size() <= kMostRows) return "";
  return fmt::format(" Shown are the {} of {} impacts with the largest error.", kMostRows,
                     law.trials.size());
}

// Impacts are rows, the first on top: names of any length and any number of impacts have room.
std::vector<std::string> RowsOf(const std::vector<TrialComparison>& trials) {
  constexpr std::size_t kLongestName = 18;
  std::vector<std::string> rows;
  for (const TrialComparison& trial : trials) rows.push_back(Shortened(trial.trial, kLongestName));
  return rows;
}

}  // namespace

std::string DotsInWords(std::size_t num_impacts, std::size_t num_marks) {
  if (num_marks == num_impacts) return "";
  return fmt::format(
      " Of {} impacts the {} that the first law explains worst are marks, which lead to their "
      "trials; the others are dots.",
      num_impacts, num_marks);
}

Figure DissipationScatter(const std::string& id, const LawFit& law, const PlaceOfTrial& place_of) {
  ChartSeries used{.hue = Hue::kBlue}, unused{.hue = Hue::kGrey};
  std::size_t num_marks = 0;
  for (const TrialComparison& trial : law.trials) {
    const Measured &measured = trial.dissipation_measured, &predicted = trial.dissipation_predicted;
    if (!std::isfinite(measured.value) || !std::isfinite(predicted.value)) continue;
    ChartPoint& point = (trial.used ? used : unused).points.emplace_back();
    point.x = kPercent * measured.value;
    point.y = kPercent * predicted.value;
    const std::optional<std::string> address = place_of(trial.trial);
    if (!address) continue;
    ++num_marks;
    point.x_reach = kPercent * Reach95(measured);
    point.y_reach = kPercent * Reach95(predicted);
    point.says = fmt::format("{}: measured {}, predicted {}", trial.trial, InPercent(measured),
                             InPercent(predicted));
    point.address = *address;
  }
  if (!unused.points.empty()) {
    used.title = "used in the fit";
    unused.title = "left out";
  }
  return ChartFigure(
      {.id = id,
       .caption =
           fmt::format("Energy dissipated by each impact: on the line {} predicts what was "
                       "measured. Bars: 95 %, where wider than the mark.{}",
                       law.law, DotsInWords(used.points.size() + unused.points.size(), num_marks)),
       .x_label = "dissipated, measured [%]",
       .y_label = "predicted [%]",
       .series = {unused, used},
       .same_scales = true});
}

Figure DissipationErrorFigure(const LawFit& law, const PlaceOfTrial& place_of) {
  const std::vector<TrialComparison> trials = WorstTrials(law);
  ChartSeries series{.hue = Hue::kVermillion};
  for (std::size_t k = 0; k < trials.size(); ++k) {
    const Measured& difference = trials[k].dissipation_difference;
    if (!std::isfinite(difference.value)) continue;
    series.points.push_back({.x = kPercent * difference.value,
                             .y = static_cast<double>(k),
                             .x_reach = kPercent * Reach95(difference),
                             .says = trials[k].trial + ": " + InPercent(difference),
                             .address = place_of(trials[k].trial).value_or("")});
  }
  return ChartFigure(
      {.id = "dissipation-error-plot-" + Slug(law.law),
       .caption = fmt::format("Predicted less measured dissipation (law {}). Bars: 95 % of the "
                              "sampling error of the difference, where wider than the mark.{}",
                              law.law, WorstInWords(law)),
       .x_label = kOfEnergyBefore,
       .series = {series},
       .x_rules = {0.0},
       .rows = RowsOf(trials)});
}

Figure EnergySplitFigure(const LawFit& law, const PlaceOfTrial& place_of) {
  const std::vector<TrialComparison> trials = WorstTrials(law);
  Chart chart{.id = "energy-split-plot-" + Slug(law.law),
              .x_label = kOfEnergyBefore,
              .legend = {{.title = "kept", .hue = Hue::kSky, .mark = Mark::kSquare},
                         {.title = "normal", .hue = Hue::kBlue, .mark = Mark::kSquare},
                         {.title = "friction", .hue = Hue::kOrange, .mark = Mark::kSquare}},
              .rows = RowsOf(trials),
              .x_range = {0, 100}};
  ChartSeries measured{.title = "kept, measured", .hue = Hue::kInk, .mark = Mark::kDiamond};
  bool has_gain = false;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    const TrialComparison& trial = trials[k];
    const double by_normal = -kPercent * trial.normal_work.value / trial.energy_before.value;
    const double by_friction = -kPercent * trial.friction_work.value / trial.energy_before.value;
    const double remains = 100 - by_normal - by_friction;
    if (!std::isfinite(remains)) continue;
    has_gain = has_gain || by_normal < 0 || by_friction < 0;
    const auto add = [&](double from, double to, Hue hue, const char* what) {
      constexpr double kHalfHeight = 0.3;
      chart.bars.push_back(
          {from, to, static_cast<double>(k), kHalfHeight, hue,
           fmt::format("{}: {} {} %", trial.trial, what, FormatSignificant(to - from, 3)),
           place_of(trial.trial).value_or("")});
    };
    add(0, remains, Hue::kSky, "kept");
    add(remains, remains + by_normal, Hue::kBlue, "lost to the normal impulse");
    add(remains + by_normal, 100, Hue::kOrange, "lost to friction");
    const Measured& lost = trial.dissipation_measured;
    if (std::isfinite(lost.value)) {
      measured.points.push_back(
          {.x = 100 - kPercent * lost.value,
           .y = static_cast<double>(k),
           .says = fmt::format("{}: kept as measured {} %", trial.trial,
                               FormatWithSigma(100 - kPercent * lost.value, kPercent * lost.sigma)),
           .address = place_of(trial.trial).value_or("")});
    }
  }
  chart.caption = fmt::format(
      "Where the kinetic energy goes as predicted (law {}): kept, lost to the normal impulse, lost "
      "to friction. Mark: kept as measured.{}{}",
      law.law, WorstInWords(law), has_gain ? " A part that gains energy is drawn backwards." : "");
  if (!measured.points.empty()) chart.series.push_back(std::move(measured));
  return ChartFigure(chart);
}

Figure ResidualFigure(const LawFit& law, const PlaceOfTrial& place_of) {
  const std::vector<TrialComparison> trials = WorstTrials(law);
  ChartSeries translation{.title = "velocity", .hue = Hue::kBlue};
  ChartSeries rotation{.title = "angular velocity", .hue = Hue::kVermillion, .mark = Mark::kSquare};
  int all = 0, within = 0;
  const auto add = [&](const TrialComparison& trial, const Eigen::Vector3d& difference,
                       const Eigen::Vector3d& sigma, double y, const char* name,
                       ChartSeries* series) {
    for (int axis = 0; axis < 3; ++axis) {
      const double share = difference[axis] / sigma[axis];
      if (!std::isfinite(share)) continue;
      ++all;
      if (std::abs(share) <= kSigmasOf95) ++within;
      if (y < 0) continue;  // counted, but not among the rows
      series->points.push_back({.x = share,
                                .y = y,
                                .says = fmt::format("{}: {}{} {} sigma", trial.trial, name,
                                                    "xyz"[axis], FormatSignificant(share, 2)),
                                .address = place_of(trial.trial).value_or("")});
    }
  };
  for (const TrialComparison& trial : law.trials) {
    const auto row = std::ranges::find(trials, trial.trial, &TrialComparison::trial);
    const double y = row == trials.end() ? -1 : static_cast<double>(row - trials.begin());
    add(trial, trial.v_predicted - trial.v_measured, trial.v_difference_sigma, y, "v",
        &translation);
    add(trial, trial.w_predicted - trial.w_measured, trial.w_difference_sigma, y, "w", &rotation);
  }
  return ChartFigure(
      {.id = "residual-plot-" + Slug(law.law),
       .caption = fmt::format("Predicted less measured velocities just after the impact, over the "
                              "sigma of this difference (law {}). Of {}, {} lie between the dashed "
                              "lines, where 95 of 100 belong.{}",
                              law.law, all, within, WorstInWords(law)),
       .x_label = "sigmas",
       .series = {translation, rotation},
       .x_rules = {-kSigmasOf95, kSigmasOf95},
       .rows = RowsOf(trials)});
}

}  // namespace percuss::report
