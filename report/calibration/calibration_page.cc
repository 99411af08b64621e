// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/calibration/calibration_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/files/files.h"
#include "base/text/numbers.h"
#include "report/calibration/calibration_tables.h"
#include "report/calibration/picture_maps.h"
#include "report/page/html.h"
#include "report/scene/scene.h"

namespace percuss::report {
namespace {

using calibration::CalibratedCamera;
using calibration::RigCalibration;
using Corners = std::vector<std::vector<CornerFacts>>;

std::string VerdictInWords(const RigCalibration& calibration) {
  if (calibration.verdict == "ok")
    return "This calibration is good: nothing speaks against measuring with it.";
  std::string text = "This calibration is poor:";
  for (const std::string& reason : calibration.verdict_reasons)
    text +=
        fmt::format("{} {}", &reason == &calibration.verdict_reasons.front() ? "" : ";", reason);
  return text + ".";
}

/// Where no board was, and the picture that would help most.
std::string AdviceOf(const RigCalibration& calibration, const Corners& corners) {
  std::string text;
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c) {
    if (corners[c].empty()) continue;
    const CalibratedCamera& camera = calibration.cameras[c];
    const std::string parts = UncoveredParts(CoverageOf(camera.camera, corners[c]));
    if (!parts.empty())
      text +=
          fmt::format("No board covered these parts of the {} picture: {}. ", camera.name, parts);
  }
  const calibration::NextView& next = calibration.quality.next_view;
  if (!next.text.empty()) {
    text += fmt::format("The one more picture that would help most (sigmas {:.0f} % smaller): {}.",
                        100 * (1 - next.sigma_ratio), next.text);
  }
  return text;
}

std::vector<Coefficient> NumbersOf(const RigCalibration& calibration) {
  constexpr double kMillimetres = 1000;
  const calibration::CalibrationQuality& quality = calibration.quality;
  std::vector<Coefficient> numbers = {
      {.symbol = "rms",
       .meaning = "Distance between a corner and where the cameras have it",
       .value = FormatSignificant(calibration.rms_px, 3) + " px",
       .interval = fmt::format(
           "{} px on views left out; {} of {}", FormatSignificant(quality.held_out.rms_px, 3),
           Count(calibration.num_corners, "corner"), Count(quality.num_views, "view"))}};
  for (std::size_t c = 1; c < calibration.cameras.size(); ++c) {
    const double length = kMillimetres * calibration.cameras[c].from_first.t.norm();
    const double sigma = kMillimetres * BaselineSigma(calibration, c);
    numbers.push_back(
        {.symbol = "baseline",
         .meaning = fmt::format("Distance of the {} camera from the {} one",
                                calibration.cameras[c].name, calibration.cameras[0].name),
         .value = FormatValue(length, sigma),
         .sigma = FormatSigma(sigma) + " mm",
         .interval = fmt::format("sigma {} % of it; the size of the squares, as "
                                 "typed, is a factor of all lengths",
                                 FormatSignificant(100 * sigma / length, 2))});
  }
  if (std::isfinite(quality.predicted.point_sigma_median)) {
    const auto in_mm = [](double metres) {
      return FormatSignificant(kMillimetres * metres, 2) + " mm";
    };
    numbers.push_back({.symbol = "sigma",
                       .meaning = "Place of a perfectly seen marker, from the calibration alone",
                       .value = in_mm(quality.predicted.point_sigma_median),
                       .interval = fmt::format("median where the boards were; at most {}",
                                               in_mm(quality.predicted.point_sigma_worst))});
  }
  return numbers;
}

/// The views that fit worst; the page would be long with all those of a video.
Table WorstViews(const RigCalibration& calibration) {
  constexpr std::size_t kMostViews = 20;
  Table table = ViewTable(calibration);
  const auto worst = [&](const calibration::ViewReport& view) {
    double rms = view.used ? 0.0 : std::numeric_limits<double>::infinity();
    for (const auto& image : view.images) rms = std::fmax(rms, image.rms_px);
    return rms;
  };
  std::vector<std::size_t> order(table.rows.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::size_t k) { return worst(calibration.views[k]); });
  order.resize(std::min(order.size(), kMostViews));
  std::vector<Row> rows;
  for (const std::size_t k : order) rows.push_back(table.rows[k]);
  if (rows.size() < table.rows.size()) {
    table.note =
        fmt::format("{} of {} views; all are in calibration.json.", rows.size(), table.rows.size());
  }
  table.caption = "Views of the board, the worst first";
  table.rows = std::move(rows);
  return table;
}

}  // namespace

Document CalibrationDocument(const std::string& name, const RigCalibration& calibration,
                             const Corners& corners) {
  Answer answer{.level = calibration.verdict == "ok" ? Level::kOk : Level::kWarning,
                .verdict = VerdictInWords(calibration),
                .coefficients = NumbersOf(calibration),
                .advice = AdviceOf(calibration, corners)};
  Figures residuals, sigmas;
  const auto& maps = calibration.quality.predicted.projection_sigma_px;
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c) {
    const CalibratedCamera& camera = calibration.cameras[c];
    answer.figures.push_back(CoverageFigure(camera, corners[c]));
    residuals.figures.push_back(ResidualsFigure(camera, corners[c], calibration.corner_sigma_px));
    sigmas.figures.push_back(
        ProjectionSigmaFigure(camera, c < maps.size() ? maps[c] : calibration::ImageMap{}));
  }
  Section left{.id = "residuals-section",
               .title = "What is left of the corners",
               .blocks = {residuals, ResidualTable(calibration)}};
  for (const std::string& finding : calibration.quality.pattern.findings)
    left.blocks.push_back(Paragraph{fmt::format("Residuals: {}.", finding)});
  Section cameras{.id = "cameras-section", .title = "Cameras", .blocks = {}};
  if (calibration.cameras.size() > 1) cameras.blocks.push_back(StereoTable(calibration));
  cameras.blocks.push_back(CameraTable(calibration));
  cameras.blocks.push_back(DistortionTable(calibration));
  return {.title = "Calibration of " + name,
          .subtitle = "Whether it is good, where, and what would make it better",
          .sections = {{.id = "answer", .blocks = {answer}},
                       left,
                       {.id = "uncertainty",
                        .title = "What to expect of measurements",
                        .blocks = {sigmas, Figures{{PlaceSigmaFigure(calibration)}},
                                   PredictedTable(calibration)}},
                       {.id = "space",
                        .title = "Cameras and boards in space",
                        .blocks = {Viewer{.id = "viewer", .scene = RigScene(calibration)}}},
                       {.id = "views-section",
                        .title = "Views",
                        .blocks = {CoverageTable(calibration), WorstViews(calibration)}},
                       cameras}};
}

void WriteCalibrationPage(const std::filesystem::path& file, const std::string& name,
                          const RigCalibration& calibration, const Corners& corners) {
  WriteFileAtomically(file, ToHtml(CalibrationDocument(name, calibration, corners)));
}

}  // namespace percuss::report
