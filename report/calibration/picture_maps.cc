// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/calibration/picture_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/numbers.h"
#include "calibration/rig/parameter_derivatives.h"
#include "report/page/html_parts.h"
#include "report/plots/plot_parts.h"

namespace percuss::report {
namespace {

constexpr double kMapWidth = 460, kMapLeft = 44, kMapRight = 8, kMapTop = 10, kMapBottom = 24;
constexpr double kAcross = kMapWidth - kMapLeft - kMapRight;  // of what is mapped

/// What a map shows: a picture, or a piece of a plane. Coordinates run from 0 to 1, y down.
struct MapFrame {
  double shape = 1;                   ///< height over width
  std::array<std::string, 2> x_ends;  ///< what stands at the ends of the axes
  std::array<std::string, 2> y_ends;  ///< top, bottom

  double Down() const { return shape * kAcross; }
  double X(double x) const { return kMapLeft + kAcross * x; }
  double Y(double y) const { return kMapTop + Down() * y; }
};

MapFrame PictureFrame(const calibration::Camera& camera) {
  return {.shape = static_cast<double>(camera.height) / camera.width,
          .x_ends = {"0", fmt::format("{} px", camera.width)},
          .y_ends = {"0", fmt::format("{}", camera.height)}};
}

std::string MapSvg(const MapFrame& frame, const std::string& says, const std::string& content) {
  const double bottom = frame.Y(1), right = frame.X(1);
  return fmt::format(
      "<svg class=\"plot map\" viewBox=\"0 0 {} {:.1f}\" role=\"img\" aria-label=\"{}\">\n{}"
      "<rect class=\"frame-line\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{:.1f}\"/>\n"
      "<text x=\"{}\" y=\"{:.1f}\">{}</text><text x=\"{}\" y=\"{:.1f}\" "
      "text-anchor=\"end\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n</svg>\n",
      kMapWidth, bottom + kMapBottom, EscapeHtml(says), content, kMapLeft, kMapTop, kAcross,
      frame.Down(), kMapLeft, bottom + 16, EscapeHtml(frame.x_ends[0]), right, bottom + 16,
      EscapeHtml(frame.x_ends[1]), kMapLeft - 5, kMapTop + 10, EscapeHtml(frame.y_ends[0]),
      kMapLeft - 5, bottom, EscapeHtml(frame.y_ends[1]));
}

/// Numbers on a raster, row by row, each in its cell: the larger the darker.
struct CellMap {
  std::vector<double> x_edges, y_edges;  ///< of the cells, from 0 to 1
  std::vector<double> values;            ///< NaN: there is nothing to say
  const char* css_class_of_none = "blank";
};

std::vector<double> EvenEdges(int cells) {
  std::vector<double> edges;
  for (int i = 0; i <= cells; ++i) edges.push_back(static_cast<double>(i) / cells);
  return edges;
}

/// Of cells about points that reach from one end to the other.
std::vector<double> EdgesBetween(int points) {
  std::vector<double> edges = {0.0};
  for (int i = 1; i < points; ++i) edges.push_back((i - 0.5) / (points - 1));
  edges.push_back(1.0);
  return edges;
}

std::string CellsSvg(const MapFrame& frame, const CellMap& map) {
  constexpr double kDarkest = 0.5;             // letters stay readable on it
  constexpr double kHalfText = 12, kText = 4;  // half a number, half its height
  const Extent extent = [&] {
    Extent all;
    for (const double value : map.values) all.Include(value);
    return all;
  }();
  std::string svg;
  std::size_t k = 0;
  for (std::size_t row = 0; row + 1 < map.y_edges.size(); ++row) {
    for (std::size_t column = 0; column + 1 < map.x_edges.size(); ++column, ++k) {
      const double x = frame.X(map.x_edges[column]), y = frame.Y(map.y_edges[row]);
      const double width = frame.X(map.x_edges[column + 1]) - x;
      const double height = frame.Y(map.y_edges[row + 1]) - y;
      if (!std::isfinite(map.values[k])) {
        svg += fmt::format(
            "<path class=\"{}\" d=\"M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}zl{:.1f} "
            "{:.1f}\"/>\n",
            map.css_class_of_none, x, y, width, height, -width, width, height);
        continue;
      }
      const double across =
          std::clamp(x + 0.5 * width, kMapLeft + kHalfText, kMapLeft + kAcross - kHalfText);
      svg += fmt::format(
          "<rect class=\"cell\" fill-opacity=\"{:.2f}\" x=\"{:.1f}\" y=\"{:.1f}\" "
          "width=\"{:.1f}\" height=\"{:.1f}\"/><text class=\"in-cell\" x=\"{:.1f}\" y=\"{:.1f}\" "
          "text-anchor=\"middle\">{:.0f}</text>\n",
          kDarkest * map.values[k] / extent.high, x, y, width, height, across,
          y + 0.5 * height + kText, map.values[k]);
    }
  }
  return svg;
}

/// Index of the cell of a raster; those beyond the ends count to the last.
std::size_t CellOf(const calibration::Camera& camera, const CornerFacts& corner, int columns,
                   int rows) {
  const int column = static_cast<int>((corner.x_px + 0.5) / camera.width * columns);
  const int row = static_cast<int>((corner.y_px + 0.5) / camera.height * rows);
  return static_cast<std::size_t>(std::clamp(row, 0, rows - 1)) * columns +
         std::clamp(column, 0, columns - 1);
}

// 1, 2 or 5 times a power of ten, not above the number.
double NiceBelow(double number) {
  const double decade = std::pow(10.0, std::floor(std::log10(number)));
  const double share = number / decade;
  return decade * (share < 2 ? 1 : share < 5 ? 2 : 5);
}

/// An arrow in the drawing, its head at (x + dx, y + dy).
std::string ArrowSvg(double x, double y, double dx, double dy, const char* css_class) {
  const double length = std::hypot(dx, dy), head = std::min(4.0, 0.4 * length);
  const double ux = dx / length, uy = dy / length;
  return fmt::format(
      "<path class=\"{}\" d=\"M{:.1f} {:.1f}l{:.2f} {:.2f}m{:.2f} {:.2f}l{:.2f} {:.2f}l{:.2f} "
      "{:.2f}\"/>\n",
      css_class, x, y, dx, dy, head * (-ux - 0.6 * uy), head * (-uy + 0.6 * ux),
      head * (ux + 0.6 * uy), head * (uy - 0.6 * ux), head * (-ux + 0.6 * uy),
      head * (-uy - 0.6 * ux));
}

constexpr const char* kNoCorners = "No plot: corners.csv is missing.";

}  // namespace

int Coverage::NumEmpty() const { return static_cast<int>(std::ranges::count(corners, 0)); }

Coverage CoverageOf(const calibration::Camera& camera, const std::vector<CornerFacts>& corners) {
  Coverage coverage{std::vector<int>(Coverage::kColumns * Coverage::kRows)};
  for (const CornerFacts& corner : corners)
    ++coverage.corners[CellOf(camera, corner, Coverage::kColumns, Coverage::kRows)];
  return coverage;
}

std::string UncoveredParts(const Coverage& coverage) {
  constexpr std::array<const char*, 9> kNames = {"top left",    "top",    "top right",
                                                 "left",        "middle", "right",
                                                 "bottom left", "bottom", "bottom right"};
  std::array<int, 9> cells{}, empty{};
  for (int row = 0; row < Coverage::kRows; ++row) {
    for (int column = 0; column < Coverage::kColumns; ++column) {
      const int part = 3 * (3 * row / Coverage::kRows) + 3 * column / Coverage::kColumns;
      ++cells[part];
      empty[part] += coverage.corners[row * Coverage::kColumns + column] == 0;
    }
  }
  std::string parts;
  for (std::size_t part = 0; part < kNames.size(); ++part) {
    if (2 * empty[part] > cells[part])
      parts += (parts.empty() ? "" : ", ") + std::string(kNames[part]);
  }
  return parts;
}

Figure CoverageFigure(const calibration::CalibratedCamera& camera,
                      const std::vector<CornerFacts>& corners) {
  Figure figure{.id = "coverage-" + Slug(camera.name)};
  figure.caption =
      fmt::format("{} camera: corners of the board in each part of the picture", camera.name);
  if (corners.empty()) {
    figure.caption += ".";
    figure.problem = kNoCorners;
    return figure;
  }
  const Coverage coverage = CoverageOf(camera.camera, corners);
  CellMap map{EvenEdges(Coverage::kColumns), EvenEdges(Coverage::kRows), {}, "empty"};
  for (const int count : coverage.corners) map.values.push_back(count > 0 ? count : kNaN);
  figure.caption += fmt::format(
      ", {} in all, of all views. Crossed out: the {} of {} parts that "
      "have none.",
      corners.size(), coverage.NumEmpty(), coverage.corners.size());
  const MapFrame frame = PictureFrame(camera.camera);
  figure.svg = MapSvg(frame, figure.caption, CellsSvg(frame, map));
  return figure;
}

Figure ResidualsFigure(const calibration::CalibratedCamera& calibrated,
                       const std::vector<CornerFacts>& corners, double corner_sigma_px) {
  const calibration::Camera& camera = calibrated.camera;
  Figure figure{.id = "residuals-" + Slug(calibrated.name),
                .caption = fmt::format("{} camera: residuals of the corners", calibrated.name)};
  if (corners.empty()) {
    figure.caption += ".";
    figure.problem = kNoCorners;
    return figure;
  }
  struct Sum {
    double x = 0, y = 0, dx = 0, dy = 0, count = 0;

    double Length() const { return count > 0 ? std::hypot(dx, dy) / count : 0; }
  };
  const MapFrame frame = PictureFrame(camera);
  constexpr int kColumns = 16;
  const int rows = std::clamp(static_cast<int>(std::lround(kColumns * frame.shape)), 1, kColumns);
  std::vector<Sum> cells(static_cast<std::size_t>(kColumns) * rows);
  for (const CornerFacts& corner : corners) {
    Sum& sum = cells[CellOf(camera, corner, kColumns, rows)];
    sum.x += corner.x_px;
    sum.y += corner.y_px;
    sum.dx += corner.residual_x_px;
    sum.dy += corner.residual_y_px;
    sum.count += 1;
  }
  const double longest = std::ranges::max(cells, {}, &Sum::Length).Length();
  const double per_px = kAcross / camera.width;  // of the drawing
  const double gain = longest > 0 ? NiceBelow(kAcross / kColumns / per_px / longest) : 1;
  std::string arrows;
  for (const Sum& sum : cells) {
    if (!(sum.Length() > 0)) continue;
    const double dx = sum.dx / sum.count, dy = sum.dy / sum.count;
    // 99.9 % of chi-square with two degrees of freedom.
    const bool no_chance =
        sum.count * (dx * dx + dy * dy) > 13.8 * corner_sigma_px * corner_sigma_px;
    arrows += ArrowSvg(frame.X((sum.x / sum.count + 0.5) / camera.width),
                       frame.Y((sum.y / sum.count + 0.5) / camera.height), gain * per_px * dx,
                       gain * per_px * dy, no_chance ? "arrow loud" : "arrow");
  }
  figure.caption += fmt::format(
      ", the mean of each of {} x {} parts of the picture, {} times as long as they are; the "
      "longest is {} px. Thick: chance gives as much in one part of 1000. Neighbours that point "
      "the "
      "same way show what the lens model does not follow.",
      kColumns, rows, FormatSignificant(gain, 1), FormatSignificant(longest, 2));
  figure.svg = MapSvg(frame, figure.caption, arrows);
  return figure;
}

Figure ProjectionSigmaFigure(const calibration::CalibratedCamera& calibrated,
                             const calibration::ImageMap& sigma_px) {
  constexpr double kThousandths = 1000;
  Figure figure{.id = "projection-sigma-" + Slug(calibrated.name)};
  figure.caption = fmt::format(
      "{} camera: standard deviation of the pixel of a point fixed in the world, in its worst "
      "direction, at the working distance, from the calibration alone",
      calibrated.name);
  CellMap map{EdgesBetween(sigma_px.columns), EdgesBetween(sigma_px.rows), {}};
  Extent extent;
  for (const double sigma : sigma_px.values) {
    map.values.push_back(kThousandths * sigma);
    extent.Include(sigma);
  }
  if (extent.IsEmpty()) {
    figure.caption += ".";
    figure.problem = kNoNumbers;
    return figure;
  }
  figure.caption +=
      fmt::format(": {} to {} px, written in 1/1000 px. It grows where corners are missing.",
                  FormatSignificant(extent.low, 2), FormatSignificant(extent.high, 2));
  const MapFrame frame = PictureFrame(calibrated.camera);
  figure.svg = MapSvg(frame, figure.caption, CellsSvg(frame, map));
  return figure;
}

Figure PlaceSigmaFigure(const calibration::RigCalibration& calibration) {
  constexpr int kColumns = 12;
  constexpr double kMillimetres = 1e3, kMicrometres = 1e6;
  const bool planar = calibration.planar, one_camera = !calibration.Triangulates();
  const int up = planar ? 2 : 1;  // the axis that the drawing has upwards
  const calibration::PredictedError& predicted = calibration.quality.predicted;
  const Eigen::Vector3d low = predicted.volume_lowest, high = predicted.volume_highest;
  const Eigen::Vector3d size = high - low;
  Figure figure{.id = "place-sigma",
                .caption = fmt::format(
                    "Standard deviation of the place of a perfectly seen marker {}, x, y and z "
                    "together, from the calibration alone, where the boards were",
                    planar ? "in the plane of the motion" : "on the surface, seen from above")};
  if (!(size.x() > 0 && size[up] > 0)) {
    figure.caption += ".";
    figure.problem = kNoNumbers;
    return figure;
  }
  const MapFrame frame{.shape = std::clamp(size[up] / size.x(), 0.3, 1.5),
                       .x_ends = {fmt::format("{:.0f}", kMillimetres * low.x()),
                                  fmt::format("x {:.0f} mm", kMillimetres * high.x())},
                       .y_ends = {fmt::format("{:.0f}", kMillimetres * high[up]),
                                  fmt::format("{:.0f}", kMillimetres * low[up])}};
  const int rows = std::max(3, static_cast<int>(std::lround(kColumns * frame.shape)));
  CellMap map{EvenEdges(kColumns), EvenEdges(rows), {}};
  Extent extent;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
      p_W.x() = low.x() + size.x() * (column + 0.5) / kColumns;
      p_W[up] = high[up] - size[up] * (row + 0.5) / rows;
      std::size_t seen = 0;
      for (std::size_t c = 0; c < calibration.cameras.size(); ++c)
        seen += calibration::Sees(calibration, c, p_W);
      double sigma = kNaN;
      if (seen >= (one_camera ? 1 : 2)) {
        const Eigen::MatrixXd by = calibration::PointByParameters(calibration, p_W);
        sigma = kMicrometres * std::sqrt((by * calibration.covariance * by.transpose()).trace());
      }
      map.values.push_back(sigma);
      extent.Include(sigma);
    }
  }
  if (extent.IsEmpty()) {
    figure.caption += ".";
    figure.problem = kNoNumbers;
    return figure;
  }
  figure.caption += fmt::format(": {:.0f} to {:.0f} µm. Crossed out: {}.", extent.low, extent.high,
                                one_camera ? "not in the picture" : "not in two pictures");
  figure.svg = MapSvg(frame, figure.caption, CellsSvg(frame, map));
  return figure;
}

}  // namespace percuss::report
