// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/svg.h"

#include <fmt/format.h>

#include <array>
#include <regex>
#include <utility>

#include "report/page/html_parts.h"
#include "report/plots/gnuplot.h"

namespace percuss::report {
namespace {

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// gnuplot writes fixed colours; the page needs its own for light, dark and print.
void UsePageColours(std::string& svg) {
  const std::array<std::pair<const char*, const char*>, 10> colours = {{
      {"rgb(  0, 114, 178)", "var(--blue)"},
      {"rgb(213,  94,   0)", "var(--vermillion)"},
      {"rgb(  0, 158, 115)", "var(--green)"},
      {"rgb(230, 159,   0)", "var(--orange)"},
      {"rgb( 86, 180, 233)", "var(--sky)"},
      {"rgb(128, 128, 128)", "var(--grey)"},
      {"#FFFFFF", "var(--page)"},
      {"#ffffff", "var(--page)"},
      {"rgb(255, 255, 255)", "var(--page)"},
      {"rgb(  0,   0,   0)", "var(--ink)"},
  }};
  for (const auto& [from, to] : colours) {
    ReplaceAll(svg, from, to);
  }
  ReplaceAll(svg, "\"black\"", "\"var(--ink)\"");
  ReplaceAll(svg, "'black'", "'var(--ink)'");
  ReplaceAll(svg, "\"gray\"", "\"var(--rule)\"");
  ReplaceAll(svg, "'gray'", "'var(--rule)'");
}

// Ids are shared by the whole page, so each drawing needs its own.
void MakeIdsUnique(std::string& svg, const std::string& id) {
  for (const char* quote : {"'", "\""}) {
    ReplaceAll(svg, fmt::format(" id={}", quote), fmt::format(" id={}{}-", quote, id));
    ReplaceAll(svg, fmt::format("href={}#", quote), fmt::format("href={}#{}-", quote, id));
  }
}

// In one pass: a label may look like the mark of another one.
std::string WithLabels(const std::string& svg, const std::vector<std::string>& labels) {
  static const std::regex kMark("@([0-9]+)@");
  std::string filled;
  auto rest = svg.begin();
  for (std::sregex_iterator mark(svg.begin(), svg.end(), kMark), end; mark != end; ++mark) {
    const std::size_t index = std::stoul((*mark)[1]);
    filled.append(rest, (*mark)[0].first);
    filled += index < labels.size() ? EscapeHtml(labels[index]) : mark->str();
    rest = (*mark)[0].second;
  }
  return filled.append(rest, svg.end());
}

std::string ToPageElement(std::string svg, const std::string& id, const std::string& caption,
                          const PlotScript& script) {
  svg.erase(0, svg.find("<svg"));
  svg = std::regex_replace(svg, std::regex("<title>[^<]*</title>|<desc>[^<]*</desc>"), "");
  svg = std::regex_replace(svg, std::regex("<filter[^]*?</filter>"), "");
  const std::regex empty_group("<g [^>]*>\\s*</g>\\s*");
  svg = std::regex_replace(svg, empty_group, "");
  UsePageColours(svg);
  MakeIdsUnique(svg, id);
  svg = WithLabels(svg, script.labels);
  const std::string attributes =
      fmt::format("<svg role=\"img\" aria-label=\"{}\" width=\"{}\" height=\"{}\"",
                  EscapeHtml(caption), script.width, script.height);
  svg.replace(0, 4, attributes);
  return svg;
}

}  // namespace

std::string LabelMark(std::size_t index) { return fmt::format("@{}@", index); }

Figure DrawFigure(const std::string& id, const std::string& caption, const PlotScript& script,
                  const Plotter& plotter) {
  Figure figure{.id = id, .caption = caption};
  const std::string terminal = fmt::format(
      "set encoding utf8\n"
      "set terminal svg size {},{} dynamic noenhanced font 'sans-serif,16' linewidth 1.3 "
      "background '#ffffff'\n",
      script.width, script.height);
  const ProgramAnswer result = RunGnuplot(plotter.program, terminal + script.commands);
  if (result.problem.empty() && result.output.find("</svg>") == std::string::npos) {
    figure.problem = "No plot: " + plotter.program + " did not finish the drawing.";
  } else if (result.problem.empty()) {
    figure.svg = ToPageElement(result.output, id, caption, script);
  } else {
    figure.problem = "No plot: " + result.problem + ".";
  }
  return figure;
}

}  // namespace percuss::report
