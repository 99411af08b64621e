// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "report/page/html_parts.h"
#include "report/plots/plot_parts.h"

namespace percuss::report {
namespace {

constexpr double kRowHeight = 34, kLegendLine = 18, kBottom = 46, kRight = 16;
constexpr double kLetter = 6.8;  // width of a letter at 12 px, rather too wide

const char* NameOf(Hue hue) {
  switch (hue) {
    case Hue::kBlue:
      return "blue";
    case Hue::kVermillion:
      return "vermillion";
    case Hue::kGreen:
      return "green";
    case Hue::kOrange:
      return "orange";
    case Hue::kSky:
      return "sky";
    case Hue::kGrey:
      return "grey";
    case Hue::kInk:
      break;
  }
  return "ink";
}

/// Letters, not bytes (UTF-8).
double WidthOf(const std::string& text) {
  return kLetter * static_cast<double>(std::ranges::count_if(text, [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
         }));
}

double Reach(double reach) { return std::isfinite(reach) ? reach : 0.0; }

std::string NumberText(double value, double step) {
  return fmt::format("{:.6g}", std::abs(value) < 1e-9 * step ? 0.0 : value);
}

struct Axis {
  double low = 0, high = 1;  ///< numbers
  double from = 0, to = 1;   ///< place in the drawing [px]
  double step = 1;

  double At(double value) const { return from + (to - from) * (value - low) / (high - low); }
  double First() const { return step * std::ceil(low / step - 1e-9); }
};

void SetRange(Extent extent, const std::array<double, 2>& range, Axis* axis) {
  if (extent.IsEmpty()) extent = {0, 1};
  const double margin =
      std::max(0.06 * extent.Length(), 1e-9 * std::max(1.0, std::abs(extent.high)));
  axis->low = std::isfinite(range[0]) ? range[0] : extent.low - margin;
  axis->high = std::isfinite(range[1]) ? range[1] : extent.high + margin;
  axis->step = NiceStep(axis->high - axis->low);
}

/// The legend, from left to right in lines, and its height.
struct Legend {
  std::string svg{};
  double height = 0;
};

std::string MarkPath(Mark mark, double x, double y, double size) {
  switch (mark) {
    case Mark::kSquare:
      return fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", x - 0.85 * size, y - 0.85 * size,
                         1.7 * size, 1.7 * size, -1.7 * size);
    case Mark::kDiamond:
      return fmt::format("M{0:.1f} {1:.1f}l{2:.1f} {2:.1f}l-{2:.1f} {2:.1f}l-{2:.1f} -{2:.1f}z", x,
                         y - 1.2 * size, 1.2 * size);
    case Mark::kDot:
      return fmt::format(
          "M{0:.1f} {1:.1f}a{2:.1f} {2:.1f} 0 1 0 {3:.1f} 0a{2:.1f} {2:.1f} 0 1 0 "
          "-{3:.1f} 0z",
          x - size, y, size, 2 * size);
    case Mark::kNone:
      break;
  }
  return "";
}

Legend LegendOf(const Chart& chart) {
  Legend legend;
  double x = 4;
  const auto add = [&](const std::string& title, Hue hue, const auto& sign) {
    if (title.empty()) return;
    const double width = 22 + WidthOf(title) + 14;
    if (x > 4 && x + width > chart.width) {
      x = 4;
      legend.height += kLegendLine;
    }
    const double y = legend.height + 11;
    legend.svg += fmt::format("<g class=\"{}\">{}</g><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                              NameOf(hue), sign(x, y), x + 22, y + 4, EscapeHtml(title));
    x += width;
  };
  const auto add_series = [&](const ChartSeries& one) {
    add(one.title, one.hue, [&](double at_x, double at_y) {
      std::string svg;
      if (one.line) {
        svg += fmt::format("<path class=\"line{}\" d=\"M{:.1f} {:.1f}h16\"/>",
                           one.dashed ? " dashed" : "", at_x, at_y);
      }
      if (one.mark != Mark::kNone) {
        svg +=
            fmt::format("<path class=\"mark\" d=\"{}\"/>", MarkPath(one.mark, at_x + 8, at_y, 4));
      }
      return svg;
    });
  };
  for (const ChartArea& one : chart.areas) {
    add(one.title, one.hue, [](double at_x, double at_y) {
      return fmt::format("<path class=\"area\" d=\"M{:.1f} {:.1f}h16v10h-16z\"/>", at_x, at_y - 5);
    });
  }
  for (const ChartSeries& one : chart.series) add_series(one);
  for (const ChartSeries& one : chart.legend) add_series(one);
  if (!legend.svg.empty()) legend.height += kLegendLine + 4;
  return legend;
}

struct Frame {
  Axis x, y;
  double height = 0;
};

double LongestNumber(const Axis& axis) {
  double longest = 0;
  for (double at = axis.First(); at <= axis.high; at += axis.step)
    longest = std::max(longest, WidthOf(NumberText(at, axis.step)));
  return longest;
}

/// Ranges and places of both axes.
Frame FrameOf(const Chart& chart, double legend_height) {
  Extent xs, ys;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      for (const double sign : {-1.0, 1.0}) {
        xs.Include(point.x + sign * Reach(point.x_reach));
        ys.Include(point.y + sign * Reach(point.y_reach));
      }
    }
  }
  for (const ChartBar& bar : chart.bars) {
    xs.Include(bar.from);
    xs.Include(bar.to);
  }
  for (const double at : chart.x_rules) xs.Include(at);
  for (const double at : chart.y_rules) ys.Include(at);
  for (const auto& [low, high] : chart.bands) {
    ys.Include(low);
    ys.Include(high);
  }
  if (chart.same_scales) {
    xs.Include(ys.low);
    xs.Include(ys.high);
    ys = xs;
  }
  Frame frame{.height = chart.height};
  SetRange(xs, chart.x_range, &frame.x);
  SetRange(ys, chart.y_range, &frame.y);
  double left = 0;
  if (chart.rows.empty()) {
    left = LongestNumber(frame.y) + 10;
  } else {
    const double last = static_cast<double>(chart.rows.size()) - 1;
    frame.y.low = last + 0.6;  // the first row on top
    frame.y.high = -0.6;
    frame.height =
        legend_height + kBottom + 10 + kRowHeight * static_cast<double>(chart.rows.size());
    for (const std::string& name : chart.rows) left = std::max(left, WidthOf(name) + 10);
  }
  if (!chart.y_label.empty()) left += 18;
  frame.x.from = left;
  frame.x.to = chart.width - kRight;
  frame.y.from = frame.height - kBottom;
  frame.y.to = legend_height + (chart.x_rule_names.empty() ? 8 : 22);
  if (chart.equal_lengths) {
    // The axis that has room to spare shows more.
    const double per_x = (frame.x.high - frame.x.low) / (frame.x.to - frame.x.from);
    const double per_y = (frame.y.high - frame.y.low) / (frame.y.from - frame.y.to);
    Axis& wider = per_x < per_y ? frame.x : frame.y;
    const double more = std::max(per_x, per_y) / std::min(per_x, per_y);
    const double middle = 0.5 * (wider.low + wider.high), half = 0.5 * (wider.high - wider.low);
    wider.low = middle - more * half;
    wider.high = middle + more * half;
    wider.step = NiceStep(wider.high - wider.low);
  }
  return frame;
}

std::string LineSvg(const char* css_class, double x1, double y1, double x2, double y2) {
  return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", css_class, x1, y1,
                     x2, y2);
}

std::string GridSvg(const Chart& chart, const Frame& frame) {
  const auto& [x, y, height] = frame;
  std::string svg;
  for (const auto& [low, high] : chart.bands) {
    svg += fmt::format(
        "<rect class=\"band\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
        x.from, y.At(high), x.to - x.from, y.At(low) - y.At(high));
  }
  for (double at = x.First(); at <= x.high; at += x.step) {
    svg += LineSvg("grid", x.At(at), y.from, x.At(at), y.to) +
           fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", x.At(at),
                       y.from + 16, NumberText(at, x.step));
  }
  if (chart.rows.empty()) {
    for (double at = y.First(); at <= y.high; at += y.step) {
      svg += LineSvg("grid", x.from, y.At(at), x.to, y.At(at)) +
             fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
                         x.from - 6, y.At(at) + 4, NumberText(at, y.step));
    }
  }
  for (std::size_t k = 0; k < chart.rows.size(); ++k) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", x.from - 6,
                       y.At(static_cast<double>(k)) + 4, EscapeHtml(chart.rows[k]));
  }
  for (const double at : chart.x_rules) svg += LineSvg("same", x.At(at), y.from, x.At(at), y.to);
  for (std::size_t k = 0; k < std::min(chart.x_rules.size(), chart.x_rule_names.size()); ++k) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                       x.At(chart.x_rules[k]), y.to - 5, EscapeHtml(chart.x_rule_names[k]));
  }
  for (const double at : chart.y_rules) svg += LineSvg("same", x.from, y.At(at), x.to, y.At(at));
  if (chart.same_scales) svg += LineSvg("same", x.from, y.from, x.to, y.to);
  svg += fmt::format("\n<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                     0.5 * (x.from + x.to), height - 10, EscapeHtml(chart.x_label));
  if (!chart.y_label.empty()) {
    svg += fmt::format(
        "<text transform=\"translate(13 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        0.5 * (y.from + y.to), EscapeHtml(chart.y_label));
  }
  return svg + "\n";
}

/// What a click and a resting mouse find around a shape.
std::string Explained(const std::string& shape, const std::string& says,
                      const std::string& address) {
  if (says.empty()) return shape;
  const std::string text = fmt::format("<title>{}</title>{}", EscapeHtml(says), shape);
  return address.empty() ? fmt::format("<g class=\"said\">{}</g>\n", text)
                         : fmt::format("<a href=\"{}\">{}</a>\n", EscapeHtml(address), text);
}

bool IsSeen(const ChartPoint& point, const Frame& frame) {
  const auto within = [](const Axis& axis, double value) {
    return value >= std::min(axis.low, axis.high) && value <= std::max(axis.low, axis.high);
  };
  return within(frame.x, point.x) && within(frame.y, point.y);
}

std::string AreaSvg(const ChartArea& area, const Frame& frame) {
  std::string path;
  for (const auto& [x, y] : area.border)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", frame.x.At(x), frame.y.At(y));
  if (path.empty()) return "";
  return fmt::format("<g class=\"{}\"><path class=\"area\" d=\"{}z\"/></g>\n", NameOf(area.hue),
                     path);
}

std::string SeriesSvg(const ChartSeries& series, const Frame& frame) {
  const auto& [x, y, height] = frame;
  std::string svg, line, dots;
  std::set<std::pair<long, long>> pixels;  // a second dot on one is not seen
  for (const ChartPoint& point : series.points) {
    if (!IsSeen(point, frame)) continue;
    const double at_x = x.At(point.x), at_y = y.At(point.y);
    if (series.line) line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", at_x, at_y);
    if (series.mark == Mark::kNone) continue;
    if (point.says.empty()) {
      if (pixels.emplace(std::lround(at_x), std::lround(at_y)).second)
        dots += fmt::format("M{:.1f} {:.1f}h0", at_x, at_y);
      continue;
    }
    std::string shape;
    if (const double reach = Reach(point.x_reach); reach > 0)
      shape += LineSvg("bar", x.At(point.x - reach), at_y, x.At(point.x + reach), at_y);
    if (const double reach = Reach(point.y_reach); reach > 0)
      shape += LineSvg("bar", at_x, y.At(point.y - reach), at_x, y.At(point.y + reach));
    shape += fmt::format("<path class=\"mark\" d=\"{}\"/>",
                         MarkPath(series.mark, at_x, at_y, series.size));
    if (!point.label.empty()) {
      shape += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at_x + 8, at_y - 6,
                           EscapeHtml(point.label));
    }
    svg += Explained(shape, point.says, point.address);
  }
  if (!line.empty()) {
    svg += fmt::format("<path class=\"line{}\" d=\"{}\"/>\n", series.dashed ? " dashed" : "", line);
  }
  if (!dots.empty()) {  // below the marks, which one is to find
    svg = fmt::format("<path class=\"dots{}{}\" d=\"{}\"/>\n",
                      series.mark == Mark::kSquare ? " square" : "", svg.empty() ? "" : " cloud",
                      dots) +
          svg;
  }
  return fmt::format("<g class=\"{}\">\n{}</g>\n", NameOf(series.hue), svg);
}

std::string BarSvg(const ChartBar& bar, const Frame& frame) {
  if (!std::isfinite(bar.from) || !std::isfinite(bar.to)) return "";
  const auto [left, right] = std::minmax({frame.x.At(bar.from), frame.x.At(bar.to)});
  const auto [top, bottom] =
      std::minmax({frame.y.At(bar.y - bar.half_height), frame.y.At(bar.y + bar.half_height)});
  return fmt::format("<g class=\"{}\">{}</g>", NameOf(bar.hue),
                     Explained(fmt::format("<rect class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" "
                                           "width=\"{:.1f}\" height=\"{:.1f}\"/>",
                                           left, top, right - left, bottom - top),
                               bar.says, bar.address));
}

}  // namespace

Figure ChartFigure(const Chart& chart) {
  Figure figure{.id = chart.id, .caption = chart.caption};
  const Legend legend = LegendOf(chart);
  const Frame frame = FrameOf(chart, legend.height);
  std::string marks;
  for (const ChartArea& area : chart.areas) marks += AreaSvg(area, frame);
  for (const ChartBar& bar : chart.bars) marks += BarSvg(bar, frame);
  bool any = !marks.empty();
  for (const ChartSeries& series : chart.series) {
    any = any || std::ranges::any_of(series.points,
                                     [&](const ChartPoint& point) { return IsSeen(point, frame); });
    marks += SeriesSvg(series, frame);
  }
  if (!any) {
    figure.problem = kNoNumbers;
    return figure;
  }
  figure.svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {:.0f}\" role=\"group\" aria-label=\"{}\">\n{}{}{}"
      "</svg>\n",
      chart.width, frame.height, EscapeHtml(chart.x_label + ", " + chart.y_label), legend.svg,
      GridSvg(chart, frame), marks);
  return figure;
}

}  // namespace percuss::report
