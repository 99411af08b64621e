// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plots/plot_parts.h"
#include "report/plots/plots.h"
#include "report/plots/svg.h"

namespace percuss::report {
namespace {

// The image as a frame, row 0 on top, pixels square.
PlotScript ImageScript(const calibration::Camera& camera) {
  PlotScript script;
  const double shape = static_cast<double>(camera.height) / camera.width;
  script.height = 90 + static_cast<int>(shape * (script.width - 90));
  script.commands = fmt::format(
      "set xrange [-0.5:{0}-0.5]\nset yrange [{1}-0.5:-0.5]\nset size ratio {2:.6g}\nset border "
      "15\n"
      "set tics nomirror out\nset xtics {3:.9g}\nset ytics {4:.9g}\nset xlabel 'x [px]'\n"
      "set ylabel 'y [px]'\nunset key\n",
      camera.width, camera.height, shape, NiceStep(1.6 * camera.width), NiceStep(camera.height));
  return script;
}

// 1, 2 or 5 times a power of ten, not above the number.
double NiceBelow(double number) {
  const double decade = std::pow(10.0, std::floor(std::log10(number)));
  const double share = number / decade;
  return decade * (share < 2 ? 1 : share < 5 ? 2 : 5);
}

}  // namespace

Figure CornersFigure(const calibration::CalibratedCamera& camera,
                     const std::vector<CornerFacts>& corners, const Plotter& plotter) {
  constexpr std::size_t kMostCorners = 2500;
  const std::string id = "corners-" + Slug(camera.name);
  std::string caption = fmt::format("{} camera: corners of the board in all views", camera.name);
  if (corners.empty()) {
    return {.id = id, .caption = caption + ".", .problem = "No plot: corners.csv is missing."};
  }
  double squares = 0;
  for (const CornerFacts& corner : corners) {
    squares +=
        corner.residual_x_px * corner.residual_x_px + corner.residual_y_px * corner.residual_y_px;
  }
  const double rms = std::sqrt(squares / static_cast<double>(corners.size()));
  const double gain = rms > 0 ? NiceBelow(0.025 * camera.camera.width / rms) : 1;
  caption += fmt::format(", each with its residual enlarged {} times", FormatSignificant(gain, 1));
  const std::size_t stride = 1 + (corners.size() - 1) / kMostCorners;
  if (stride > 1) caption += fmt::format("; one of {} is shown", stride);
  std::string lines;
  for (std::size_t k = 0; k < corners.size(); k += stride) {
    const CornerFacts& corner = corners[k];
    lines += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g}\n", corner.x_px, corner.y_px,
                         gain * corner.residual_x_px, gain * corner.residual_y_px);
  }
  PlotScript script = ImageScript(camera.camera);
  script.commands += DataBlock("corners", lines) +
                     "plot $corners using 1:2:3:4 with vectors nohead lw 0.8 lc rgb '#0072b2', "
                     "$corners using 1:2 with points pt 7 ps 0.15 lc rgb '#d55e00'\n";
  return DrawFigure(id, caption + ".", script, plotter);
}

Figure ProjectionSigmaFigure(const calibration::CalibratedCamera& calibrated,
                             const calibration::ImageMap& raster, const Plotter& plotter) {
  const std::string id = "projection-sigma-" + Slug(calibrated.name);
  const std::string caption = fmt::format(
      "{} camera: standard deviation of the pixel of a point fixed in the world, in its worst "
      "direction, at the working distance [px], from the calibration alone. It grows where corners "
      "are missing.",
      calibrated.name);
  const calibration::Camera& camera = calibrated.camera;
  Extent sigmas;
  std::string lines;
  const double dx = (camera.width - 1.0) / std::max(1, raster.columns - 1);
  const double dy = (camera.height - 1.0) / std::max(1, raster.rows - 1);
  for (int row = 0; row < raster.rows; ++row) {
    for (int column = 0; column < raster.columns; ++column) {
      const double sigma = raster.values[row * raster.columns + column];
      sigmas.Include(sigma);
      if (!std::isfinite(sigma)) continue;
      const double x = column * dx, y = row * dy;
      lines +=
          fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", x, y,
                      std::max(-0.5, x - dx / 2), std::min(camera.width - 0.5, x + dx / 2),
                      std::max(-0.5, y - dy / 2), std::min(camera.height - 0.5, y + dy / 2), sigma);
    }
  }
  if (sigmas.IsEmpty()) return {.id = id, .caption = caption, .problem = kNoNumbers};
  PlotScript script = ImageScript(camera);
  // Dark blue to yellow (viridis, S. van der Walt and N. Smith 2015), in order in grey as well.
  script.commands +=
      "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21908d', 3 '#5dc963', 4 '#fde725')\n"
      "set colorbox\nset format cb '%g px'\nset cbrange [0:*]\n" +
      fmt::format("set cbtics {:.9g} offset -0.7\n", NiceStep(1.6 * sigmas.high)) +
      DataBlock("sigma", lines) +
      "plot $sigma using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder lc palette\n";
  return DrawFigure(id, caption, script, plotter);
}

}  // namespace percuss::report
