// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/sweep_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace percuss::app {
namespace {

constexpr std::size_t kMaxCells = 500;  // of the picture along an axis

struct CaseStyle {
  const char* colour;
  const char* meaning;
};

// Colours of Okabe and Ito (2008); the letters of a number are shades of its colour.
constexpr std::array<CaseStyle, kCases.size() + 1> kStyles = {{
    {"0072b2", "slides"},
    {"d55e00", "sticks in compression"},
    {"009e73", "reverses in compression"},
    {"99d8c4", "z reverses in compression"},
    {"00573f", "x reverses in compression"},
    {"009e73", "x and z reverse in compression"},
    {"e69f00", "sticks in restitution"},
    {"cc79a7", "reverses in restitution"},
    {"ebcbdd", "z reverses in restitution"},
    {"7d3a5f", "x reverses in restitution"},
    {"cc79a7", "x and z reverse in restitution"},
    {"404040", "sticks from rest"},
    {"56b4e9", "slides from rest"},
    {"808080", "no case number"},
}};

// Only letters, digits and what cannot end a quoted text.
std::string Quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20;
    quoted += c == '\'' ? "''" : std::string(1, control ? ' ' : c);
  }
  return "'" + quoted + "'";
}

std::string Label(const SweepInput& input) {
  return Quoted(fmt::format("{} [{}]", input.name, input.unit.empty() ? "-" : input.unit));
}

std::string TitleOf(std::uint8_t sun_case) {
  const char* meaning = kStyles[sun_case].meaning;
  return Quoted(sun_case == kNoCase ? meaning : fmt::format("{}  {}", kCases[sun_case], meaning));
}

std::array<bool, kStyles.size()> CasesIn(const SweepResult& result) {
  std::array<bool, kStyles.size()> present{};
  for (const std::uint8_t sun_case : result.cases) {
    if (sun_case != kNoImpact) present[sun_case] = true;
  }
  return present;
}

std::string Settings(const SweepSpec& spec, bool wide_key) {
  std::string text = fmt::format(
      "set encoding utf8\nset terminal svg size {},520 dynamic noenhanced font 'sans-serif,15' "
      "background '#ffffff'\nset tics out nomirror\nset key outside right top Left reverse "
      "samplen 1 spacing 1.2\n",
      wide_key ? 920 : 720);
  const std::string title = spec.title.empty() ? std::string(spec.law.name) : spec.title;
  return text + "set title " + Quoted(title) + "\n";
}

struct Grid {
  std::size_t count, cells;
  double low, high;
  double At(const SweepAxis& axis, std::size_t cell) const { return axis.At(Index(cell)); }
  std::size_t Index(std::size_t cell) const {
    return cells == 1 ? 0 : cell * (count - 1) / (cells - 1);
  }
};

Grid GridOf(const SweepAxis& axis) {
  const std::size_t cells = std::min(axis.count, kMaxCells);
  const double half = 0.5 * std::abs(axis.to - axis.from) /
                      static_cast<double>(std::max<std::size_t>(cells - 1, 1));
  const double margin = half > 0.0 ? half : 0.5;
  return {axis.count, cells, std::min(axis.from, axis.to) - margin,
          std::max(axis.from, axis.to) + margin};
}

std::string Axes(const SweepSpec& spec, const Grid& x, const Grid& y) {
  return fmt::format(
      "set xlabel {}\nset ylabel {}\nset xrange [{:.9g}:{:.9g}]\n"
      "set yrange [{:.9g}:{:.9g}]\n",
      Label(spec.inputs[spec.axes[0].input]), Label(spec.inputs[spec.axes[1].input]), x.low, x.high,
      y.low, y.high);
}

// x y red green blue, or x y value.
std::string MapData(const SweepSpec& spec, const SweepResult& result, const Grid& x, const Grid& y,
                    bool cases) {
  std::string lines = "$d << EOD\n";
  const auto out = std::back_inserter(lines);
  for (std::size_t j = 0; j < y.cells; ++j) {
    for (std::size_t i = 0; i < x.cells; ++i) {
      const std::size_t point = x.Index(i) * spec.axes[1].count + y.Index(j);
      fmt::format_to(out, "{:.9g} {:.9g} ", x.At(spec.axes[0], i), y.At(spec.axes[1], j));
      const std::uint8_t sun_case = result.cases[point];
      if (!cases) {
        const float percent = 100.0F * result.dissipation[point];
        lines += std::isfinite(percent) ? fmt::format("{:.5g}\n", percent) : "NaN\n";
      } else {
        const unsigned long rgb = sun_case == kNoImpact
                                      ? 0xffffffUL
                                      : std::strtoul(kStyles[sun_case].colour, nullptr, 16);
        fmt::format_to(out, "{} {} {}\n", rgb >> 16, (rgb >> 8) & 255, rgb & 255);
      }
    }
  }
  return lines + "EOD\n";
}

std::string CaseMap(const SweepSpec& spec, const SweepResult& result) {
  const Grid x = GridOf(spec.axes[0]);
  const Grid y = GridOf(spec.axes[1]);
  std::string script = Settings(spec, true) + Axes(spec, x, y) + MapData(spec, result, x, y, true);
  script += "plot $d using 1:2:3:4:5 with rgbimage notitle";
  const auto present = CasesIn(result);
  for (std::size_t k = 0; k < present.size(); ++k) {
    if (!present[k]) continue;
    script += fmt::format(", NaN with points pt 5 ps 1.5 lc rgb '#{}' title {}", kStyles[k].colour,
                          TitleOf(static_cast<std::uint8_t>(k)));
  }
  return script + "\n";
}

// A palette that rises in brightness, of colours told apart by everyone.
std::string EnergyMap(const SweepSpec& spec, const SweepResult& result) {
  const Grid x = GridOf(spec.axes[0]);
  const Grid y = GridOf(spec.axes[1]);
  return Settings(spec, false) + Axes(spec, x, y) + MapData(spec, result, x, y, false) +
         "set palette defined (0 '#00204d', 0.25 '#414d6b', 0.5 '#7c7b78', 0.75 '#bcaf6f', 1 "
         "'#ffea46')\nset cblabel 'dissipated [% of the kinetic energy before]'\n"
         "plot $d using 1:2:3 with image notitle\n";
}

std::string Curve(const SweepSpec& spec, const SweepResult& result) {
  const SweepAxis& axis = spec.axes[0];
  const Grid x = GridOf(axis);
  std::string script = Settings(spec, true);
  script += fmt::format(
      "set grid\nset xlabel {}\nset ylabel 'dissipated [% of the kinetic energy before]'\n"
      "set xrange [{:.9g}:{:.9g}]\nset offsets 0, 0, graph 0.05, graph 0.05\n",
      Label(spec.inputs[axis.input]), x.low, x.high);
  std::string plots;
  const auto present = CasesIn(result);
  for (std::size_t k = 0; k < present.size(); ++k) {
    if (!present[k]) continue;
    script += fmt::format("$d{} << EOD\n", k);
    const auto out = std::back_inserter(script);
    for (std::size_t i = 0; i < axis.count; ++i) {
      if (result.cases[i] != k) continue;
      fmt::format_to(out, "{:.9g} {:.9g}\n", axis.At(i), 100.0F * result.dissipation[i]);
    }
    script += "EOD\n";
    plots += fmt::format("{} $d{} using 1:2 with points pt 7 ps 0.5 lc rgb '#{}' title {}",
                         plots.empty() ? "plot" : ",", k, kStyles[k].colour,
                         TitleOf(static_cast<std::uint8_t>(k)));
  }
  return script + plots + "\n";
}

}  // namespace

std::string SweepPlotScript(const SweepSpec& spec, const SweepResult& result) {
  if (spec.axes.size() == 1) return Curve(spec, result);
  return spec.plot == "case" ? CaseMap(spec, result) : EnergyMap(spec, result);
}

}  // namespace percuss::app
