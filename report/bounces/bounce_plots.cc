// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/bounces/bounce_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "report/plots/chart.h"
#include "report/plots/plot_parts.h"

namespace percuss::report {
namespace {

/// How lengths are shown: small ones in millimetres.
struct LengthUnit {
  double factor = 1;
  std::string name = "px";
};

LengthUnit UnitOfHeights(const BounceFacts& facts, double highest) {
  constexpr double kSmall = 0.5;  // [m]
  if (facts.unit != "m") return {};
  return highest < kSmall ? LengthUnit{1000, "mm"} : LengthUnit{1, "m"};
}

struct TimeHeight {
  double time, height;
};

/// The fitted heights of each flight, with the contacts at its ends, where the height is zero.
std::map<int, std::vector<TimeHeight>> FittedFlights(const BounceFacts& facts) {
  std::map<int, std::vector<TimeHeight>> flights;
  for (const BallFact& ball : facts.balls) {
    if (!std::isfinite(ball.fitted_height) || !std::isfinite(ball.time)) continue;
    flights[ball.flight].push_back({ball.time, ball.fitted_height});
  }
  for (const BounceFact& bounce : facts.bounces) {
    if (!std::isfinite(bounce.time.value)) continue;
    for (const int flight : {bounce.number - 1, bounce.number}) {
      if (const auto found = flights.find(flight); found != flights.end())
        found->second.push_back({bounce.time.value, 0});
    }
  }
  for (auto& [flight, points] : flights) std::ranges::sort(points, {}, &TimeHeight::time);
  return flights;
}

/// Through three points (Lagrange).
double Parabola(const TimeHeight& a, const TimeHeight& b, const TimeHeight& c, double t) {
  return a.height * (t - b.time) * (t - c.time) / ((a.time - b.time) * (a.time - c.time)) +
         b.height * (t - a.time) * (t - c.time) / ((b.time - a.time) * (b.time - c.time)) +
         c.height * (t - a.time) * (t - b.time) / ((c.time - a.time) * (c.time - b.time));
}

/// The points with as many between them as a smooth line needs: flights are all but parabolas.
std::vector<ChartPoint> SmoothLine(const std::vector<TimeHeight>& points, double factor) {
  constexpr int kSteps = 6;
  std::vector<ChartPoint> line;
  const auto add = [&](double time, double height) {
    line.push_back({.x = time, .y = factor * height});
  };
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    add(points[k].time, points[k].height);
    // Not at the very end: a contact may lie beside a frame, and three points close together say
    // nothing of the curve.
    if (points.size() < 3) continue;
    const std::size_t first = k + 2 < points.size() ? k : k - 1;
    const TimeHeight &a = points[first], &b = points[first + 1], &c = points[first + 2];
    const double shortest = std::min(b.time - a.time, c.time - b.time);
    if (shortest < 0.05 * (c.time - a.time)) continue;
    for (int i = 1; i < kSteps; ++i) {
      const double t = points[k].time + (points[k + 1].time - points[k].time) * i / kSteps;
      add(t, Parabola(a, b, c, t));
    }
  }
  if (!points.empty()) add(points.back().time, points.back().height);
  return line;
}

}  // namespace

Figure BounceHeightFigure(const BounceFacts& facts, int width, int height) {
  Chart chart{.id = "height-plot",
              .caption =
                  "Height of the lowest point of the ball above the surface. Dashed: "
                  "contacts, with their numbers.",
              .x_label = "time [s]",
              .width = static_cast<double>(width),
              .height = static_cast<double>(height)};
  Extent heights;
  for (const BallFact& ball : facts.balls) heights.Include(ball.height);
  const LengthUnit unit = UnitOfHeights(facts, heights.high);
  chart.y_label = fmt::format("height [{}]", unit.name);
  ChartSeries seen{.title = "seen", .hue = Hue::kBlue},
      unused{.title = "not used", .hue = Hue::kGrey};
  for (const BallFact& ball : facts.balls) {
    if (std::isfinite(ball.height))
      (ball.used ? seen : unused)
          .points.push_back({.x = ball.time, .y = unit.factor * ball.height});
  }
  if (!unused.points.empty()) chart.series.push_back(std::move(unused));
  chart.series.push_back(std::move(seen));
  std::string title = "fitted";
  for (const auto& [flight, points] : FittedFlights(facts)) {
    chart.series.push_back({.title = std::exchange(title, ""),
                            .hue = Hue::kVermillion,
                            .mark = Mark::kNone,
                            .line = true,
                            .points = SmoothLine(points, unit.factor)});
  }
  if (!heights.IsEmpty()) {
    for (const BounceFact& bounce : facts.bounces) {
      if (!std::isfinite(bounce.time.value)) continue;
      chart.x_rules.push_back(bounce.time.value);
      chart.x_rule_names.push_back(std::to_string(bounce.number));
    }
    chart.y_rules = {0.0};
  }
  return ChartFigure(chart);
}

Figure BounceRestitutionFigure(const BounceFacts& facts) {
  const std::string unit = facts.unit == "m" ? "m/s" : "px/s";
  Chart chart{.id = "restitution-plot",
              .caption =
                  "e of each bounce, with its number, over the speed before it. Bars: 95 % of "
                  "the error. Line and band: e of the clip and its 95 % interval.",
              .x_label = "speed before [" + unit + "]",
              .y_label = "e [-]"};
  struct Source {
    const char* key;
    ChartSeries series;
  };
  std::array<Source, 4> sources = {
      {{"video", {.title = "from the video", .hue = Hue::kBlue}},
       {"sound", {.title = "from the sound", .hue = Hue::kOrange, .mark = Mark::kDiamond}},
       {"both", {.title = "from both", .hue = Hue::kGreen, .mark = Mark::kSquare}},
       {"", {.title = "e", .hue = Hue::kBlue}}}};
  Extent speeds;
  for (const BounceFact& bounce : facts.bounces) {
    const double speed = bounce.speed_before.value, e = bounce.e.value;
    if (!std::isfinite(speed) || !std::isfinite(e)) continue;
    speeds.Include(speed);
    const auto source =
        std::ranges::find_if(sources, [&](const Source& one) { return bounce.source == one.key; });
    (source == sources.end() ? sources.back() : *source)
        .series.points.push_back({.x = speed,
                                  .y = e,
                                  .y_reach = kSigmasOf95 * bounce.e.sigma,
                                  .says = fmt::format("bounce {}: e = {} at {} {}", bounce.number,
                                                      FormatWithSigma(e, bounce.e.sigma),
                                                      FormatSignificant(speed, 3), unit),
                                  .label = std::to_string(bounce.number)});
  }
  for (Source& source : sources) {
    if (!source.series.points.empty()) chart.series.push_back(std::move(source.series));
  }
  if (!speeds.IsEmpty()) {
    const double wide = std::max(speeds.Length(), 0.1 * std::abs(speeds.high) + 1e-6);
    chart.x_range = {speeds.low - 0.1 * wide, speeds.high + 0.15 * wide};
    if (std::isfinite(facts.e.value)) {
      chart.y_rules = {facts.e.value};
      if (const double half = kSigmasOf95 * facts.e.sigma; half > 0)
        chart.bands = {{facts.e.value - half, facts.e.value + half}};
    }
  }
  ChartSeries model{
      .title = "e by speed", .hue = Hue::kVermillion, .mark = Mark::kNone, .line = true};
  for (const Eigen::Vector2d& point : facts.e_by_speed)
    model.points.push_back({.x = point.x(), .y = point.y()});
  std::ranges::sort(model.points, {}, &ChartPoint::x);
  if (!model.points.empty()) chart.series.push_back(std::move(model));
  return ChartFigure(chart);
}

}  // namespace percuss::report
