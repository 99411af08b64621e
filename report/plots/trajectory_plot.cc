// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/plots/plot_parts.h"
#include "report/plots/plots.h"
#include "report/plots/svg.h"

namespace percuss::report {
namespace {

constexpr double kTrajectoryMillimetres = 1000;

// Half of the body along the body axis in which it is longest; zero where the shape is not known.
Eigen::Vector3d LongestHalfAxis(const TrialPictures& pictures) {
  Eigen::Vector3d half = Eigen::Vector3d::Zero();
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    Extent extent;
    for (const Eigen::Vector3d& point : pictures.outline) extent.Include(point[axis]);
    if (extent.IsEmpty() || extent.Length() <= longest) continue;
    longest = extent.Length();
    half = longest / 2 * Eigen::Vector3d::Unit(axis);
  }
  return half;
}

}  // namespace

Figure TrajectoryFigure(const TrialFacts& trial, int number, const Plotter& plotter) {
  const std::string id = fmt::format("trial-{}-trajectory", number);
  std::string caption =
      trial.name +
      ": way of the mass centre before and after the impact, and below it on the surface.";
  const Eigen::Vector3d half = LongestHalfAxis(trial.pictures);
  const bool has_axis = !half.isZero(0.0);
  if (has_axis) caption += " Lines: the longest axis of the body.";

  PlotScript script;
  script.height = 420;
  const auto in_arcs = std::ranges::count_if(
      trial.poses, [](const PoseFacts& pose) { return pose.phase != "other"; });
  const auto stride = std::max<std::ptrdiff_t>(1, in_arcs / 24);
  std::array<Extent, 3> extents;
  const auto place = [&](const PoseFacts& pose, const Eigen::Vector3d& arm) {
    const Eigen::Vector3d point = Eigen::Vector3d(pose.x, pose.y, pose.z) + arm;
    std::string line;
    for (int axis = 0; axis < 3; ++axis) {
      extents[axis].Include(kTrajectoryMillimetres * point[axis]);
      line += fmt::format("{:.6g} ", kTrajectoryMillimetres * point[axis]);
    }
    return line + "\n";
  };
  std::string shadow, behind, plots;
  for (const auto& [phase, colour, stick_colour, type] :
       {std::tuple{"before", kBlue, kSky, 7}, {"after", kVermillion, kOrange, 5}}) {
    std::string lines, sticks;
    std::ptrdiff_t count = 0;
    for (const PoseFacts& pose : trial.poses) {
      if (pose.phase != phase || !std::isfinite(pose.x + pose.y + pose.z)) continue;
      lines += place(pose, Eigen::Vector3d::Zero());
      shadow += fmt::format("{:.6g} {:.6g} 0\n", kTrajectoryMillimetres * pose.x,
                            kTrajectoryMillimetres * pose.y);
      if (!has_axis || count++ % stride != 0) continue;
      const Eigen::Vector3d arm = pose.orientation * half;
      sticks += place(pose, arm) + place(pose, -arm) + "\n\n";
    }
    shadow += "\n";
    if (lines.empty()) continue;
    script.commands += DataBlock(phase, lines);
    plots +=
        fmt::format(", ${} using 1:2:3 with linespoints pt {} ps 0.4 lw 1.5 lc rgb '{}' title '{}'",
                    phase, type, colour, phase);
    if (sticks.empty()) continue;
    script.commands += DataBlock(fmt::format("sticks_{}", phase), sticks);
    behind += fmt::format(", $sticks_{} using 1:2:3 with lines lw 0.7 lc rgb '{}' notitle", phase,
                          stick_colour);
  }
  if (plots.empty()) return {.id = id, .caption = caption, .problem = kNoNumbers};
  script.commands += DataBlock("shadow", shadow);
  extents[2].Include(0);
  const double longest =
      std::max({extents[0].Length(), extents[1].Length(), extents[2].Length(), 1e-3});
  script.commands += fmt::format(
      "set view 66, 24, 0.98, 1\nset view equal xyz\nset autoscale fix\nset zrange [{0:.6g}:*]\n"
      "set xyplane at {0:.6g}\nset border 31 lw 0.6\nset grid x y\n"
      "set lmargin at screen 0.16\nset rmargin at screen 0.9\nset tmargin at screen 0.93\n"
      "set bmargin at screen 0.18\n"
      "set key at screen 0.5,0.985 center top horizontal samplen 1 maxrows 1\n"
      "set label 1 'x [mm]' at screen 0.45,0.03 center\n"
      "set label 2 'y [mm]' at screen 0.985,0.03 right\n"
      "set label 3 'z [mm]' at screen 0.02,0.94 left\nset xtics {1:.6g} offset 0,-0.3\n"
      "set ytics {1:.6g} offset 0.5,-0.2\nset ztics {1:.6g}\n"
      "splot $shadow using 1:2:3 with lines lw 1 lc rgb '#808080' notitle{2}{3}\n",
      extents[2].low, NiceStep(longest), behind, plots);
  return DrawFigure(id, caption, script, plotter);
}

}  // namespace percuss::report
