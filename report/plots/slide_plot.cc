// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "report/plots/chart.h"
#include "report/plots/plots.h"

namespace percuss::report {

Figure SlideFigure(const SlideFacts& slide, int number) {
  constexpr double kMillimetresOfWay = 1000;
  ChartSeries seen{.title = "measured", .hue = Hue::kBlue};
  ChartSeries fitted{.title = "fitted", .hue = Hue::kVermillion, .mark = Mark::kNone, .line = true};
  for (const SlideFacts::Point& point : slide.points) {
    seen.points.push_back({.x = point.time, .y = kMillimetresOfWay * point.s});
    fitted.points.push_back({.x = point.time, .y = kMillimetresOfWay * point.fitted});
  }
  return ChartFigure(
      {.id = fmt::format("slide-{}", number),
       .caption = slide.trial.name + ": way of the mass centre on the plate, measured and fitted.",
       .x_label = "time [s]",
       .y_label = "way [mm]",
       .series = {seen, fitted}});
}

}  // namespace percuss::report
