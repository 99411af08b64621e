// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <string>
#include <vector>

#include "report/page/document.h"

namespace percuss::report {

// Plots of the page in its own colours, whose marks say what they are where the mouse rests on
// them, and lead to what they are of. All texts are plain.

/// Colours of Okabe and Ito (2008), told apart by people with any common colour blindness; the page
/// chooses the shade for light and dark.
enum class Hue { kBlue, kVermillion, kGreen, kOrange, kSky, kGrey, kInk };
enum class Mark { kDot, kSquare, kDiamond, kNone };

struct ChartPoint {
  double x = kNaN, y = kNaN;
  double x_reach = 0, y_reach = 0;  ///< of bars to both sides; 0 or NaN: none
  std::string says{};               ///< where the mouse rests on it; of a point of many empty
  std::string address{};            ///< where a click leads; empty: nowhere
  std::string label{};              ///< beside it; only of a point that says something
};

struct ChartSeries {
  std::string title{};  ///< in the legend; empty: not there
  Hue hue = Hue::kBlue;
  Mark mark = Mark::kDot;
  double size = 5;  ///< half the width of a mark that says something; others are as thin as a line
  bool line = false, dashed = false;  ///< from point to point
  std::vector<ChartPoint> points{};
};

/// A lightly filled region; all of its border is in the drawing.
struct ChartArea {
  std::string title{};  ///< in the legend; empty: not there
  Hue hue = Hue::kSky;
  std::vector<std::array<double, 2>> border{};
};

/// A bar from one end to the other, as high as it is stated.
struct ChartBar {
  double from = kNaN, to = kNaN;  ///< x
  double y = kNaN, half_height = kNaN;
  Hue hue = Hue::kBlue;
  std::string says{}, address{};
};

struct Chart {
  std::string id{}, caption{}, x_label{}, y_label{};
  std::vector<ChartSeries> series{};
  std::vector<ChartArea> areas{};  ///< below all else
  std::vector<ChartBar> bars{};
  std::vector<ChartSeries> legend{};           ///< further lines of the legend, without points
  std::vector<double> x_rules{}, y_rules{};    ///< dashed lines across
  std::vector<std::string> x_rule_names{};     ///< above them; may be empty
  std::vector<std::array<double, 2>> bands{};  ///< of y, over the whole width
  /// Names of rows from the top, at y = 0, 1, ... down, in place of numbers.
  std::vector<std::string> rows{};
  std::array<double, 2> x_range = {kNaN, kNaN},
                        y_range = {kNaN, kNaN};  ///< NaN: as the data have it
  bool same_scales = false;          ///< x and y over the same numbers, with the diagonal
  double width = 460, height = 300;  ///< of the drawing [px]; with rows as high as they need
  bool equal_lengths = false;        ///< x and y as long per unit
};

/// The drawing; kNoNumbers in its place where nothing finite is to be seen.
Figure ChartFigure(const Chart& chart);

}  // namespace percuss::report
