// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plot_parts.h"
#include "report/plots.h"
#include "report/svg.h"

namespace percuss::report {
namespace {

constexpr double kMillimetres = 1000;

// Half of the body along the body axis in which it is longest; zero where the shape is not known.
std::array<double, 3> LongestHalfAxis(const TrialPictures& pictures) {
  std::array<double, 3> half{};
  double longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Extent extent;
    for (const auto& point : pictures.outline) extent.Include(point[axis]);
    if (extent.IsEmpty() || extent.Length() <= longest) continue;
    longest = extent.Length();
    half = {};
    half[axis] = longest / 2;
  }
  return half;
}

std::string PointLine(const PoseFacts& pose, const std::array<double, 3>& arm) {
  return fmt::format("{:.6g} {:.6g} {:.6g}\n", kMillimetres * (pose.x + arm[0]),
                     kMillimetres * (pose.y + arm[1]), kMillimetres * (pose.z + arm[2]));
}

}  // namespace

Figure TrajectoryFigure(const TrialFacts& trial, int number, const Plotter& plotter) {
  const std::string id = fmt::format("trial-{}-trajectory", number);
  std::string caption =
      trial.name +
      ": way of the mass centre before and after the impact, and below it on the surface.";
  const std::array<double, 3> half = LongestHalfAxis(trial.pictures);
  const bool has_axis = Dot(half, half) > 0;
  if (has_axis) caption += " Lines: the longest axis of the body.";

  PlotScript script;
  script.height = 400;
  const auto in_arcs = std::ranges::count_if(
      trial.poses, [](const PoseFacts& pose) { return pose.phase != "other"; });
  const auto stride = std::max<std::ptrdiff_t>(1, in_arcs / 24);
  std::string sticks, shadow, plots;
  for (const auto& [phase, colour, type] :
       {std::tuple{"before", kBlue, 7}, {"after", kVermillion, 5}}) {
    std::string lines;
    std::ptrdiff_t place = 0;
    for (const PoseFacts& pose : trial.poses) {
      if (pose.phase != phase || !std::isfinite(pose.x + pose.y + pose.z)) continue;
      lines += PointLine(pose, {});
      shadow += fmt::format("{:.6g} {:.6g} 0\n", kMillimetres * pose.x, kMillimetres * pose.y);
      if (!has_axis || place++ % stride != 0) continue;
      const std::array<double, 3> arm = Rotated(pose.orientation, half);
      sticks += PointLine(pose, arm) + PointLine(pose, {-arm[0], -arm[1], -arm[2]}) + "\n\n";
    }
    shadow += "\n";
    if (lines.empty()) continue;
    script.commands += DataBlock(phase, lines);
    plots +=
        fmt::format(", ${} using 1:2:3 with linespoints pt {} ps 0.4 lw 1.5 lc rgb '{}' title '{}'",
                    phase, type, colour, phase);
  }
  if (plots.empty()) return {.id = id, .caption = caption, .problem = kNoNumbers};
  script.commands += DataBlock("shadow", shadow);
  std::string first = "$shadow using 1:2:3 with lines lw 1 lc rgb '#808080' notitle";
  if (!sticks.empty()) {
    script.commands += DataBlock("sticks", sticks);
    first += ", $sticks using 1:2:3 with lines lw 0.7 lc rgb '#56b4e9' notitle";
  }
  script.commands +=
      "set view 68, 28, 1, 1\nset view equal xyz\nset xyplane at 0\nset border 127 lw 0.6\n"
      "set grid x y\nset key outside above center horizontal samplen 1\n"
      "set xlabel 'x [mm]' offset 0,-0.5\nset ylabel 'y [mm]' offset 1,-0.5\n"
      "set zlabel 'z [mm]' rotate parallel\nset xtics 100 offset 0,-0.3\nset ytics 100 offset "
      "0.3,-0.2\n"
      "set ztics 100\nset tics font ',13'\nsplot " +
      first + plots + "\n";
  return DrawFigure(id, caption, script, plotter);
}

}  // namespace percuss::report
