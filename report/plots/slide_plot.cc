// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "report/plots/plot_parts.h"
#include "report/plots/plots.h"
#include "report/plots/svg.h"

namespace percuss::report {

Figure SlideFigure(const SlideFacts& slide, int number, const Plotter& plotter) {
  const std::string id = fmt::format("slide-{}", number);
  const std::string caption =
      slide.trial.name + ": way of the mass centre on the plate, measured and fitted.";
  if (slide.points.empty()) return {.id = id, .caption = caption, .problem = kNoNumbers};
  constexpr double kMillimetresOfWay = 1000;
  std::string seen, fitted;
  for (const SlideFacts::Point& point : slide.points) {
    seen += fmt::format("{:.9g} {:.9g}\n", point.time, kMillimetresOfWay * point.s);
    fitted += fmt::format("{:.9g} {:.9g}\n", point.time, kMillimetresOfWay * point.fitted);
  }
  PlotScript script;
  const double first = slide.points.front().time, last = slide.points.back().time;
  script.commands = DataBlock("seen", seen) + DataBlock("fitted", fitted) +
                    fmt::format(
                        "set grid\nset key outside above center horizontal samplen 1\n"
                        "set border 3\nset tics nomirror\nset xlabel 'time [s]'\n"
                        "set ylabel 'way [mm]'\nset xrange [{:.9g}:{:.9g}]\nset xtics {:.9g}\n"
                        "plot $seen using 1:2 with points pt 7 ps 0.5 lc rgb '{}' "
                        "title 'measured', $fitted using 1:2 with lines lw 1.5 lc rgb '{}' "
                        "title 'fitted'\n",
                        first, last, NiceStep(std::max(last - first, 1e-6)), kBlue, kVermillion);
  return DrawFigure(id, caption, script, plotter);
}

}  // namespace percuss::report
