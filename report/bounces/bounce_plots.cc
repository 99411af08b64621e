// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/bounces/bounce_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/plots/plot_parts.h"
#include "report/plots/svg.h"

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
std::string SmoothLine(const std::vector<TimeHeight>& points, double factor) {
  constexpr int kSteps = 6;
  std::string lines;
  const auto add = [&](double time, double height) {
    lines += fmt::format("{:.9g} {:.9g}\n", time, factor * height);
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
  return lines;
}

/// Adds a data block and its series to a plot; empty blocks, which gnuplot refuses, are left out.
void AddSeries(const std::string& name, const std::string& lines, const std::string& style,
               PlotScript* script, std::string* plots) {
  if (lines.empty()) return;
  script->commands += DataBlock(name, lines);
  *plots += fmt::format("{} ${} {}", plots->empty() ? "plot" : ",", name, style);
}

}  // namespace

Figure BounceHeightFigure(const BounceFacts& facts, int width, int height, const Plotter& plotter) {
  const std::string id = "height-plot";
  const std::string caption =
      "Height of the lowest point of the ball above the surface. Dashed: contacts, with their "
      "numbers.";
  Extent heights, times;
  for (const BallFact& ball : facts.balls) {
    heights.Include(ball.height);
    times.Include(ball.time);
  }
  if (heights.IsEmpty() || times.IsEmpty())
    return {.id = id, .caption = caption, .problem = kNoNumbers};
  for (const BounceFact& bounce : facts.bounces) times.Include(bounce.time.value);
  const LengthUnit unit = UnitOfHeights(facts, heights.high);

  std::string seen, left_out, fitted;
  for (const BallFact& ball : facts.balls) {
    if (!std::isfinite(ball.height)) continue;
    (ball.used ? seen : left_out) +=
        fmt::format("{:.9g} {:.9g}\n", ball.time, unit.factor * ball.height);
  }
  for (const auto& [flight, points] : FittedFlights(facts))
    fitted += SmoothLine(points, unit.factor) + "\n";

  PlotScript script{.width = width, .height = height};
  const double range = std::max(times.Length(), 1e-6);
  const double top = std::max(heights.high, 0.0) * unit.factor;
  const double low = std::min(heights.low, 0.0) * unit.factor;
  const double room = std::max(0.06 * (top - low), 1e-6);
  script.commands += fmt::format(
      "set grid\nset key outside above center horizontal samplen 1\nset border 3\n"
      "set tics nomirror\nset xlabel 'time [s]'\nset ylabel 'height [{}]'\n"
      "set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\nset xtics {:.9g}\n"
      "set ytics {:.9g}\n",
      unit.name, times.low - 0.02 * range, times.high + 0.02 * range, low - room, top + 2.2 * room,
      NiceStep(range), NiceStep(std::max(top - low, 1e-6)));
  for (const BounceFact& bounce : facts.bounces) {
    if (!std::isfinite(bounce.time.value)) continue;
    script.commands += fmt::format(
        "set arrow from {0:.9g}, graph 0 to {0:.9g}, graph 0.93 nohead lt 1 lc rgb 'black' "
        "dt (6,6) back\nset label '{1}' at {0:.9g}, graph 0.965 center\n",
        bounce.time.value, bounce.number);
  }
  std::string plots;
  AddSeries("out", left_out,
            fmt::format("using 1:2 with points pt 6 ps 0.5 lc rgb '{}' title 'not used'", kGrey),
            &script, &plots);
  AddSeries("seen", seen,
            fmt::format("using 1:2 with points pt 7 ps 0.5 lc rgb '{}' title 'seen'", kBlue),
            &script, &plots);
  AddSeries("fitted", fitted,
            fmt::format("using 1:2 with lines lw 1.5 lc rgb '{}' title 'fitted'", kVermillion),
            &script, &plots);
  script.commands += plots + "\n";
  return DrawFigure(id, caption, script, plotter);
}

Figure BounceRestitutionFigure(const BounceFacts& facts, const Plotter& plotter) {
  const std::string id = "restitution-plot";
  const std::string caption =
      "e of each bounce, with its number, over the speed before it. Bars: 95 % of the error. Line "
      "and band: e of the clip and its 95 % interval.";
  struct Source {
    const char *key, *title, *colour;
    int point;
    std::string lines;
  };
  std::array<Source, 4> sources = {{{"video", "from the video", kBlue, 7, ""},
                                    {"sound", "from the sound", kOrange, 9, ""},
                                    {"both", "from both", kGreen, 5, ""},
                                    {"", "e", kBlue, 7, ""}}};
  Extent speeds, values;
  for (const BounceFact& bounce : facts.bounces) {
    const double speed = bounce.speed_before.value, e = bounce.e.value;
    if (!std::isfinite(speed) || !std::isfinite(e)) continue;
    const double reach = std::isfinite(bounce.e.sigma) ? kSigmasOf95 * bounce.e.sigma : 0;
    speeds.Include(speed);
    values.Include(e - reach);
    values.Include(e + reach);
    const auto source =
        std::ranges::find_if(sources, [&](const Source& one) { return bounce.source == one.key; });
    (source == sources.end() ? sources.back() : *source).lines +=
        fmt::format("{:.9g} {:.9g} {:.9g} {}\n", speed, e, reach, bounce.number);
  }
  if (speeds.IsEmpty()) return {.id = id, .caption = caption, .problem = kNoNumbers};

  PlotScript script;
  const bool has_e = std::isfinite(facts.e.value);
  const double half = std::isfinite(facts.e.sigma) ? kSigmasOf95 * facts.e.sigma : 0;
  if (has_e) {
    values.Include(facts.e.value - half);
    values.Include(facts.e.value + half);
    script.commands += fmt::format(
        "set object 1 rectangle from graph 0, first {:.9g} to graph 1, first {:.9g} behind "
        "fillcolor rgb '{}' fillstyle solid 0.3 noborder\n"
        "set arrow from graph 0, first {:.9g} to graph 1, first {:.9g} nohead lt 1 lc rgb '{}' "
        "back\n",
        facts.e.value - half, facts.e.value + half, kSky, facts.e.value, facts.e.value, kSky);
  }
  const double wide = std::max(speeds.Length(), 0.1 * std::abs(speeds.high) + 1e-6);
  const double tall = std::max(values.Length(), 1e-4);
  script.commands += fmt::format(
      "set grid\nset key outside above center horizontal samplen 1\nset border 3\n"
      "set tics nomirror\nset xlabel 'speed before [{}/s]'\nset ylabel 'e [-]'\n"
      "set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\nset xtics {:.9g}\n"
      "set ytics {:.9g}\nset errorbars small\n",
      facts.unit == "m" ? "m" : "px", speeds.low - 0.1 * wide, speeds.high + 0.15 * wide,
      values.low - 0.1 * tall, values.high + 0.1 * tall, NiceStep(1.25 * wide),
      NiceStep(1.2 * tall));
  std::string plots, numbers;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    AddSeries(fmt::format("d{}", k), sources[k].lines,
              fmt::format("using 1:2:3 with yerrorbars pt {} ps 0.8 lc rgb '{}' title '{}'",
                          sources[k].point, sources[k].colour, sources[k].title),
              &script, &plots);
    numbers += sources[k].lines;
  }
  std::vector<Eigen::Vector2d> model = facts.e_by_speed;
  std::ranges::sort(model, {}, [](const Eigen::Vector2d& point) { return point.x(); });
  std::string curve;
  for (const Eigen::Vector2d& point : model)
    curve += fmt::format("{:.9g} {:.9g}\n", point.x(), point.y());
  AddSeries("model", curve,
            fmt::format("using 1:2 with lines lw 1.5 lc rgb '{}' title 'e by speed'", kVermillion),
            &script, &plots);
  AddSeries("numbers", numbers, "using 1:2:4 with labels left offset 0.8,0.5 notitle", &script,
            &plots);
  script.commands += plots + "\n";
  return DrawFigure(id, caption, script, plotter);
}

}  // namespace percuss::report
