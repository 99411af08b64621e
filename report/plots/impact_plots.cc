// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>

#include "base/text/numbers.h"
#include "report/plots/chart.h"
#include "report/plots/law_plots.h"

namespace percuss::report {
namespace {

using fitting::ContactNumbers;
using NumberOfImpact = Measured ContactNumbers::*;

/// Of numbers that nobody measured sigma is larger than this.
constexpr double kLargestSigma = 1.0;

ChartSeries PointsOf(const RunFolder& run, const PlaceOfTrial& place_of, NumberOfImpact at,
                     NumberOfImpact number, const char* format) {
  ChartSeries series;
  for (const ContactNumbers& impact : run.fit->impacts) {
    const Measured &x = impact.*at, &y = impact.*number;
    if (!std::isfinite(x.value) || !std::isfinite(y.value) || y.sigma > kLargestSigma) continue;
    series.points.push_back({.x = x.value,
                             .y = y.value,
                             .x_reach = kSigmasOf95 * x.sigma,
                             .y_reach = kSigmasOf95 * y.sigma,
                             .says = fmt::format(fmt::runtime(format), impact.trial,
                                                 FormatWithSigma(y), FormatWithSigma(x)),
                             .address = place_of(impact.trial)});
  }
  return series;
}

}  // namespace

Figure RestitutionFigure(const RunFolder& run, const PlaceOfTrial& place_of) {
  return ChartFigure({.id = "restitution-plot",
                      .caption = "What each impact alone says of restitution, over its speed: the "
                                 "contact point's speed off the surface just after the impact over "
                                 "that towards it just before. Bars: 95 %.",
                      .x_label = "speed towards the surface [m/s]",
                      .y_label = "ratio of speeds",
                      .series = {PointsOf(run, place_of, &ContactNumbers::approach,
                                          &ContactNumbers::e_n, "{}: {} at {} m/s")}});
}

Figure FrictionFigure(const RunFolder& run, double friction, const PlaceOfTrial& place_of) {
  Chart chart{.id = "friction-plot",
              .caption =
                  "What each impact alone says of friction, over its slip: tangential over "
                  "normal impulse.",
              .x_label = "slip of the contact point just before [m/s]",
              .y_label = "ratio of impulses",
              .series = {PointsOf(run, place_of, &ContactNumbers::slip,
                                  &ContactNumbers::impulse_ratio, "{}: {} at a slip of {} m/s")}};
  if (std::isfinite(friction)) {
    chart.y_rules = {friction};
    chart.caption +=
        " Dashed: mu of the best law, which impacts that slip to the end lie on, and "
        "others below.";
  }
  chart.caption += " Bars: 95 %.";
  return ChartFigure(chart);
}

}  // namespace percuss::report
