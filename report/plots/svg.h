// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "report/page/document.h"
#include "report/plots/gnuplot.h"

namespace percuss::report {

// Colours of Okabe and Ito (2008), told apart by people with any common colour blindness. A plot
// script names them; the page chooses the shade for light and dark (page_style.cc).
inline constexpr const char* kBlue = "#0072b2";
inline constexpr const char* kVermillion = "#d55e00";
inline constexpr const char* kGreen = "#009e73";
inline constexpr const char* kOrange = "#e69f00";
inline constexpr const char* kSky = "#56b4e9";
inline constexpr const char* kGrey = "#808080";

struct PlotScript {
  int width = 480, height = 330;  ///< [px] of the drawing; the page scales it
  std::string commands{};         ///< after `set terminal`
  /// Texts from files. The script holds LabelMark(i) in their place, so that nothing a user wrote
  /// ever reaches the plotting program.
  std::vector<std::string> labels{};
};
std::string LabelMark(std::size_t index);

/// Draws the script as an SVG element to put into a page: ids made unique by `id`, colours as CSS
/// variables, labels filled in and escaped.
Figure DrawFigure(const std::string& id, const std::string& caption, const PlotScript& script,
                  const Plotter& plotter);

}  // namespace percuss::report
