// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/numbers.h"
#include "report/plots/chart.h"
#include "report/plots/law_plots.h"

namespace percuss::report {
namespace {

using fitting::ContactNumbers;
using NumberOfImpact = Measured ContactNumbers::*;

/// Of numbers that nobody measured sigma is larger than this.
constexpr double kLargestSigma = 1.0;

struct ImpactPoints {
  ChartSeries series{};
  std::string dots_in_words{};
};

ImpactPoints PointsOf(const RunFolder& run, const PlaceOfTrial& place_of, NumberOfImpact at,
                      NumberOfImpact number, const char* format) {
  std::vector<ChartPoint> points;
  std::size_t num_marks = 0;
  for (const ContactNumbers& impact : run.fit->impacts) {
    const Measured &x = impact.*at, &y = impact.*number;
    if (!std::isfinite(x.value) || !std::isfinite(y.value) || y.sigma > kLargestSigma) continue;
    ChartPoint& point = points.emplace_back();
    point.x = x.value;
    point.y = y.value;
    const std::optional<std::string> address = place_of(impact.trial);
    if (!address) continue;
    ++num_marks;
    point.x_reach = kSigmasOf95 * x.sigma;
    point.y_reach = kSigmasOf95 * y.sigma;
    point.says =
        fmt::format(fmt::runtime(format), impact.trial, FormatWithSigma(y), FormatWithSigma(x));
    point.address = *address;
  }
  const std::string dots_in_words = DotsInWords(points.size(), num_marks);
  return {{.points = std::move(points)}, dots_in_words};
}

}  // namespace

Figure RestitutionFigure(const RunFolder& run, const PlaceOfTrial& place_of) {
  const ImpactPoints points =
      PointsOf(run, place_of, &ContactNumbers::approach, &ContactNumbers::e_n, "{}: {} at {} m/s");
  return ChartFigure({.id = "restitution-plot",
                      .caption = "What each impact alone says of restitution, over its speed: the "
                                 "contact point's speed off the surface just after the impact over "
                                 "that towards it just before. Bars: 95 %." +
                                 points.dots_in_words,
                      .x_label = "speed towards the surface [m/s]",
                      .y_label = "ratio of speeds",
                      .series = {points.series}});
}

Figure FrictionFigure(const RunFolder& run, double friction, const PlaceOfTrial& place_of) {
  const ImpactPoints points =
      PointsOf(run, place_of, &ContactNumbers::slip, &ContactNumbers::impulse_ratio,
               "{}: {} at a slip of {} m/s");
  Chart chart{.id = "friction-plot",
              .caption =
                  "What each impact alone says of friction, over its slip: tangential over "
                  "normal impulse.",
              .x_label = "slip of the contact point just before [m/s]",
              .y_label = "ratio of impulses",
              .series = {points.series}};
  if (std::isfinite(friction)) {
    chart.y_rules = {friction};
    chart.caption +=
        " Dashed: mu of the best law, which impacts that slip to the end lie on, and "
        "others below.";
  }
  chart.caption += " Bars: 95 %." + points.dots_in_words;
  return ChartFigure(chart);
}

}  // namespace percuss::report
