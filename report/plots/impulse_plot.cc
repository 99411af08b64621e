// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/plots/plot_parts.h"
#include "report/plots/plots.h"
#include "report/plots/svg.h"

namespace percuss::report {
namespace {

using Point = std::array<double, 2>;  // along the tangent, along the normal [N s]

Point InPlane(const ImpulseDiagram& impulse, const Eigen::Vector3d& vector) {
  return {impulse.tangent.dot(vector), impulse.normal.dot(vector)};
}

std::string LineOf(const Point& point) {
  return fmt::format("{:.9g} {:.9g}\n", point[0], point[1]);
}

// Border of the region that holds the measured impulse with 95 %: chi-square of two degrees of
// freedom is below 5.991. Empty without a covariance.
std::vector<Point> EllipseOf(const ImpulseDiagram& impulse) {
  const auto variance = [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return a.dot(impulse.covariance * b);
  };
  const double tt = variance(impulse.tangent, impulse.tangent);
  const double tn = variance(impulse.tangent, impulse.normal);
  const double nn = variance(impulse.normal, impulse.normal);
  if (!(tt > 0 && nn * tt - tn * tn >= 0)) return {};
  const double radius = std::sqrt(5.991), l00 = std::sqrt(tt), l10 = tn / l00;
  const double l11 = std::sqrt(std::max(0.0, nn - l10 * l10));
  const Point centre = InPlane(impulse, impulse.measured);
  std::vector<Point> border;
  constexpr int kPoints = 72;
  for (int k = 0; k <= kPoints; ++k) {
    const double angle = 2 * std::numbers::pi * k / kPoints;
    const double c = radius * std::cos(angle), s = radius * std::sin(angle);
    border.push_back({centre[0] + l00 * c, centre[1] + l10 * c + l11 * s});
  }
  return border;
}

struct LawStyle {
  const char* colour;
  int point_type;
  const char* dashes;
};
constexpr std::array<LawStyle, 4> kStyles = {{{kBlue, 7, "solid"},
                                              {kVermillion, 9, "(12,5)"},
                                              {kGreen, 5, "(3,4)"},
                                              {kOrange, 11, "(12,4,3,4)"}}};

// What is drawn of one law.
struct LawImpulse {
  std::string name;
  const ImpulseDiagram* impulse;
};

std::vector<LawImpulse> ImpulsesOf(const fitting::ImpulsesOfLaws& laws, const std::string& trial) {
  std::vector<LawImpulse> found;
  for (const auto& [law, diagrams] : laws) {
    const auto impulse = std::ranges::find(diagrams, trial, &ImpulseDiagram::trial);
    if (impulse != diagrams.end()) found.push_back({law, &*impulse});
  }
  if (found.size() > kStyles.size()) found.resize(kStyles.size());
  return found;
}

struct Window {
  Extent x, y;
  void Include(const Point& point) {
    x.Include(point[0]);
    y.Include(point[1]);
  }
};

Figure PlaneFigure(const std::string& id, const std::string& caption,
                   const std::vector<LawImpulse>& laws, Window window, bool is_whole,
                   const Plotter& plotter) {
  const ImpulseDiagram& first = *laws.front().impulse;
  PlotScript script;
  script.height = 380;
  const double spread = std::max({window.x.Length(), window.y.Length(), 1e-9});
  const auto range = [&](const Extent& extent) {
    const double middle = (extent.low + extent.high) / 2,
                 half = 0.58 * std::max(extent.Length(), 0.3 * spread);
    return std::pair(middle - half, middle + half);
  };
  auto [x_low, x_high] = range(window.x);
  auto [y_low, y_high] = range(window.y);
  if (is_whole) y_low = 0;
  std::string plots;
  const auto add = [&](const std::string& name, const std::string& lines, const std::string& with) {
    if (lines.empty()) return;
    script.commands += DataBlock(name, lines);
    plots += fmt::format("{} ${} using 1:2 {}", plots.empty() ? "plot" : ",", name, with);
  };
  if (std::isfinite(first.friction)) {
    const double top = 1.2 * y_high;
    const Point left = {-first.friction * top, top}, right = {first.friction * top, top};
    add("cone", LineOf(left) + LineOf({0, 0}) + LineOf(right),
        "with lines lw 1 dt (2,4) lc rgb 'black' title 'friction cone'");
  }
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const ImpulseDiagram& impulse = *laws[k].impulse;
    const LawStyle& style = kStyles[k];
    script.labels.push_back(laws[k].name);
    std::string path;
    for (const auto& point : impulse.path) path += LineOf(InPlane(impulse, point));
    add(fmt::format("path{}", k), path,
        fmt::format("with lines lw 1.6 dt {} lc rgb '{}' notitle", style.dashes, style.colour));
    const Point turn = InPlane(impulse, impulse.compression_end);
    if (std::isfinite(turn[0])) {
      add(fmt::format("turn{}", k), LineOf(turn),
          fmt::format("with points pt 6 ps 0.7 lc rgb '{}' notitle", style.colour));
    }
    add(fmt::format("end{}", k), LineOf(InPlane(impulse, impulse.predicted)),
        fmt::format("with points pt {} ps 0.8 lc rgb '{}' title '{}'", style.point_type,
                    style.colour, LabelMark(k)));
  }
  std::string ellipse;
  for (const Point& point : EllipseOf(first)) ellipse += LineOf(point);
  add("ellipse", ellipse, "with lines lw 1.2 lc rgb 'black' notitle");
  add("measured", LineOf(InPlane(first, first.measured)),
      "with points pt 1 ps 0.9 lw 1.5 lc rgb 'black' title 'measured'");
  script.commands += fmt::format(
      "set grid\nset key outside above center horizontal samplen 1.5\nset border 3\n"
      "set tics nomirror\nset xlabel 'impulse along the surface [mN s]'\n"
      "set ylabel 'normal impulse [mN s]'\nset xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n"
      "set xtics {:.9g}\nset ytics {:.9g}\n",
      x_low, x_high, y_low, y_high, NiceStep(1.2 * (x_high - x_low)), NiceStep(y_high - y_low));
  script.commands += plots + "\n";
  return DrawFigure(id, caption, script, plotter);
}

// In mN s, so that the tics are short.
ImpulseDiagram InMilli(ImpulseDiagram impulse) {
  constexpr double kMilli = 1000;
  for (auto* vector : {&impulse.measured, &impulse.predicted, &impulse.compression_end}) {
    *vector *= kMilli;
  }
  for (Eigen::Vector3d& point : impulse.path) point *= kMilli;
  impulse.covariance *= kMilli * kMilli;
  return impulse;
}

}  // namespace

Figures ImpulseFigures(const fitting::ImpulsesOfLaws& laws, const std::string& trial, int number,
                       const Plotter& plotter) {
  std::vector<LawImpulse> found = ImpulsesOf(laws, trial);
  std::vector<ImpulseDiagram> scaled;
  for (const LawImpulse& law : found) scaled.push_back(InMilli(*law.impulse));
  for (std::size_t k = 0; k < found.size(); ++k) found[k].impulse = &scaled[k];
  const std::string id = fmt::format("trial-{}-impulse", number);
  const std::string what = trial + ": impulse of the surface on the body, ";
  if (found.empty()) return {};
  Window whole, end;
  whole.Include({0, 0});
  for (const LawImpulse& law : found) {
    for (const auto& point : law.impulse->path) whole.Include(InPlane(*law.impulse, point));
    for (const auto* vector : {&law.impulse->measured, &law.impulse->predicted}) {
      whole.Include(InPlane(*law.impulse, *vector));
      end.Include(InPlane(*law.impulse, *vector));
    }
  }
  for (const Point& point : EllipseOf(*found.front().impulse)) end.Include(point);
  return {
      {PlaneFigure(id,
                   what + "in the plane of the surface normal and the direction in which friction "
                          "pushes first. Lines: how it grows by each law; rings: end of "
                          "compression; full marks: its end.",
                   found, whole, true, plotter),
       PlaneFigure(id + "-end",
                   what + "near its end. Ellipse: 95 % region of the measured impulse.", found, end,
                   false, plotter)}};
}

}  // namespace percuss::report
