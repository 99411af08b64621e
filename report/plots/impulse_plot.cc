// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/plots/chart.h"
#include "report/plots/plot_parts.h"
#include "report/plots/plots.h"

namespace percuss::report {
namespace {

using Point = std::array<double, 2>;  // along the tangent, along the normal [N s]

Point InPlane(const ImpulseDiagram& impulse, const Eigen::Vector3d& vector) {
  return {impulse.tangent.dot(vector), impulse.normal.dot(vector)};
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
  Hue hue;
  Mark mark;
};
constexpr std::array<LawStyle, 4> kStyles = {{{Hue::kBlue, Mark::kDot},
                                              {Hue::kVermillion, Mark::kDiamond},
                                              {Hue::kGreen, Mark::kSquare},
                                              {Hue::kOrange, Mark::kDot}}};

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

ChartSeries LineThrough(const std::vector<Point>& points, Hue hue, bool dashed) {
  ChartSeries line{.hue = hue, .mark = Mark::kNone, .line = true, .dashed = dashed};
  for (const Point& point : points) line.points.push_back({.x = point[0], .y = point[1]});
  return line;
}

ChartPoint MarkAt(const Point& point, const std::string& what) {
  return {.x = point[0],
          .y = point[1],
          .says = fmt::format("{}: {:.4g} mN s along the surface, {:.4g} mN s normal", what,
                              point[0], point[1])};
}

Figure PlaneFigure(const std::string& id, const std::string& caption,
                   const std::vector<LawImpulse>& laws, const Window& window, bool is_whole) {
  const ImpulseDiagram& first = *laws.front().impulse;
  const double spread = std::max({window.x.Length(), window.y.Length(), 1e-9});
  const auto range = [&](const Extent& extent) {
    const double middle = (extent.low + extent.high) / 2,
                 half = 0.58 * std::max(extent.Length(), 0.3 * spread);
    return std::array{middle - half, middle + half};
  };
  Chart chart{.id = id,
              .caption = caption,
              .x_label = "impulse along the surface [mN s]",
              .y_label = "normal impulse [mN s]",
              .x_range = range(window.x),
              .y_range = range(window.y),
              .height = 360};
  if (is_whole) chart.y_range[0] = 0;
  if (std::isfinite(first.friction)) {
    // In steps, for what leaves the drawing is left out.
    std::vector<Point> cone;
    constexpr int kSteps = 200;
    for (int k = -kSteps; k <= kSteps; ++k) {
      const double height = std::abs(k) * chart.y_range[1] / kSteps;
      cone.push_back({std::copysign(first.friction * height, k), height});
    }
    chart.series.push_back(LineThrough(cone, Hue::kInk, true));
    chart.series.back().title = "friction cone";
  }
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const ImpulseDiagram& impulse = *laws[k].impulse;
    const auto [hue, mark] = kStyles[k];
    std::vector<Point> path;
    for (const auto& point : impulse.path) path.push_back(InPlane(impulse, point));
    chart.series.push_back(LineThrough(path, hue, false));
    ChartSeries turn{.hue = hue, .mark = Mark::kDiamond, .size = 3};
    turn.points = {
        MarkAt(InPlane(impulse, impulse.compression_end), laws[k].name + ", end of compression")};
    ChartSeries end{.title = laws[k].name, .hue = hue, .mark = mark};
    end.points = {MarkAt(InPlane(impulse, impulse.predicted), laws[k].name)};
    chart.series.push_back(std::move(turn));
    chart.series.push_back(std::move(end));
  }
  chart.series.push_back(LineThrough(EllipseOf(first), Hue::kInk, false));
  ChartSeries measured{.title = "measured", .hue = Hue::kInk, .size = 3};
  measured.points = {MarkAt(InPlane(first, first.measured), "measured")};
  chart.series.push_back(std::move(measured));
  return ChartFigure(chart);
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

std::vector<Figure> ImpulseFigures(const fitting::ImpulsesOfLaws& laws, const std::string& trial,
                                   int number) {
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
      PlaneFigure(id,
                  what + "in the plane of the surface normal and the direction in which "
                         "friction pushes first. Lines: how it grows by each law; small marks: "
                         "end of compression; large ones: its end.",
                  found, whole, true),
      PlaneFigure(id + "-end", what + "near its end. Ellipse: 95 % region of the measured impulse.",
                  found, end, false)};
}

}  // namespace percuss::report
