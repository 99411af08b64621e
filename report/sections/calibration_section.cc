// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

// One column for each camera.
std::vector<Column> CameraColumns(const CalibrationFacts& calibration, const std::string& first,
                                  const std::string& unit) {
  std::vector<Column> columns = {TextColumn(first, first)};
  for (const CameraFacts& camera : calibration.cameras) {
    columns.push_back(MeasuredColumn(camera.name + (unit == "px" ? "_px" : ""), camera.name, unit));
  }
  return columns;
}

Row CameraRow(const std::string& quantity, const CalibrationFacts& calibration,
              Measured CameraFacts::*value) {
  Row row{.cells = {TextCell(quantity)}};
  for (const CameraFacts& camera : calibration.cameras) {
    row.cells.push_back(NumberCell((camera.*value).value, (camera.*value).sigma));
  }
  return row;
}

Table CameraTable(const CalibrationFacts& calibration) {
  return {.id = "cameras",
          .caption = "Focal lengths and principal points",
          .columns = CameraColumns(calibration, "quantity", "px"),
          .rows = {CameraRow("focal length x", calibration, &CameraFacts::fx),
                   CameraRow("focal length y", calibration, &CameraFacts::fy),
                   CameraRow("principal point x", calibration, &CameraFacts::cx),
                   CameraRow("principal point y", calibration, &CameraFacts::cy)},
          .note = "Pixel (0, 0) is the centre of the top-left pixel."};
}

Table DistortionTable(const CalibrationFacts& calibration) {
  Table table{.id = "distortion",
              .caption = "Lens distortion",
              .columns = CameraColumns(calibration, "coefficient", "-")};
  std::size_t most = 0;
  std::string note = "Lens models:";
  for (const CameraFacts& camera : calibration.cameras) {
    most = std::max(most, camera.distortion.size());
    note += fmt::format(" {} {},", camera.name, camera.lens);
  }
  note.back() = '.';
  table.note = note;
  for (std::size_t i = 0; i < most; ++i) {
    Row row;
    for (const CameraFacts& camera : calibration.cameras) {
      const bool has = i < camera.distortion.size();
      if (row.cells.empty() && has) row.cells.push_back(TextCell(camera.distortion[i].first));
    }
    if (row.cells.empty()) row.cells.push_back(TextCell(""));
    for (const CameraFacts& camera : calibration.cameras) {
      const Measured value =
          i < camera.distortion.size() ? camera.distortion[i].second : Measured{kNaN, kNaN};
      row.cells.push_back(NumberCell(value.value, value.sigma));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table ResidualTable(const CalibrationFacts& calibration) {
  return {
      .id = "residuals",
      .caption = "How well the cameras explain the board",
      .columns = {NumberColumn("rms_px", "residual, rms", "px", 3),
                  NumberColumn("rms_px_heldout", "on views left out, rms", "px", 3),
                  NumberColumn("corner_sigma_px", "sigma of a corner coordinate", "px", 3),
                  MeasuredColumn("warp_columns", "board bent along columns", "mm", 1000),
                  MeasuredColumn("warp_rows", "along rows", "mm", 1000),
                  MeasuredColumn("scale", "size of the squares over the stated one", "-")},
      .rows = {
          {.cells = {NumberCell(calibration.rms_px), NumberCell(calibration.rms_px_heldout),
                     NumberCell(calibration.corner_sigma_px),
                     NumberCell(calibration.board_warp[0].value, calibration.board_warp[0].sigma),
                     NumberCell(calibration.board_warp[1].value, calibration.board_warp[1].sigma),
                     NumberCell(calibration.board_scale.value, calibration.board_scale.sigma)}}}};
}

// Where the other cameras stand to the first.
Table StereoTable(const CalibrationFacts& calibration) {
  Table table{.id = "stereo",
              .caption = fmt::format("The other cameras, as seen from the {} one",
                                     calibration.cameras.front().name),
              .columns = {TextColumn("camera", "camera"),
                          MeasuredColumn("baseline", "baseline", "mm", 1000),
                          MeasuredColumn("angle", "angle to it", "deg", kDegrees)}};
  for (std::size_t c = 1; c < calibration.cameras.size(); ++c) {
    const CameraFacts& camera = calibration.cameras[c];
    table.rows.push_back(
        {.cells = {TextCell(camera.name), NumberCell(camera.baseline.value, camera.baseline.sigma),
                   NumberCell(camera.angle.value, camera.angle.sigma)}});
  }
  return table;
}

// What the verdict rests on, beside the residuals.
Table CoverageTable(const CalibrationFacts& calibration) {
  Table table{.id = "coverage", .caption = "What the views cover"};
  Row row;
  for (const CameraFacts& camera : calibration.cameras) {
    table.columns.push_back(
        PercentColumn("coverage_" + camera.name, camera.name + " image with corners"));
    row.cells.push_back(NumberCell(camera.coverage));
  }
  table.columns.push_back(
      NumberColumn("tilt_range_deg", "boards differ in direction by up to", "deg", 3));
  row.cells.push_back(NumberCell(calibration.tilt_range_deg));
  table.rows = {row};
  return table;
}

Table ViewTable(const CalibrationFacts& calibration) {
  Table table{.id = "views", .caption = "Views of the board"};
  for (const CameraFacts& camera : calibration.cameras) {
    table.columns.push_back(TextColumn(camera.name, camera.name + " image"));
  }
  table.columns.push_back(TextColumn("used", "used"));
  for (const CameraFacts& camera : calibration.cameras) {
    table.columns.push_back(
        NumberColumn(fmt::format("rms_{}_px", camera.name), "rms " + camera.name, "px", 3));
  }
  table.columns.push_back(TextColumn("reason", "remark"));
  for (const ViewFacts& view : calibration.views) {
    Row row;
    for (const std::string& file : view.files) row.cells.push_back(TextCell(file));
    row.cells.push_back(TextCell(view.used ? "yes" : "no"));
    for (const double rms : view.rms_px) row.cells.push_back(NumberCell(rms));
    row.cells.push_back(TextCell(view.reason));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What random corner errors do to measurements, and what two halves of the views say.
Table PredictedTable(const CalibrationFacts& calibration) {
  return {
      .id = "predicted",
      .caption = "What to expect of measurements",
      .columns = {NumberColumn("point_sigma_median", "sigma of a marker's place, median", "mm", 3),
                  NumberColumn("point_sigma_worst", "worst in the working volume", "mm", 3),
                  NumberColumn("halves_px", "even against odd views, rms", "px", 3),
                  NumberColumn("halves_predicted_px", "of which corner noise explains", "px", 3)},
      .rows = {{.cells = {NumberCell(1000 * calibration.point_sigma_median),
                          NumberCell(1000 * calibration.point_sigma_worst),
                          NumberCell(calibration.halves_rms_px),
                          NumberCell(calibration.halves_predicted_px)}}},
      .note = "Of a perfectly seen marker, from the calibration alone; x, y and z together."};
}

void AddThesis(const CalibrationFacts& calibration, std::vector<Block>* blocks) {
  if (calibration.thesis.empty() && calibration.thesis_reason.empty()) return;
  blocks->push_back(Heading{"The calibration of the thesis beside ours"});
  if (calibration.thesis.empty()) {
    blocks->push_back(Paragraph{"There is none: " + calibration.thesis_reason + "."});
    return;
  }
  Table table{
      .id = "thesis_calibration",
      .caption = "Each camera alone with two radial terms (thesis), and all at once (joint)",
      .columns = {TextColumn("quantity", "quantity"),
                  NumberColumn("thesis", "thesis", "as stated", 6),
                  NumberColumn("joint", "joint", "as stated", 6)}};
  for (const ThesisRow& row : calibration.thesis) {
    table.rows.push_back(
        {.cells = {TextCell(row.quantity), NumberCell(row.thesis), NumberCell(row.joint)}});
  }
  blocks->push_back(table);
  blocks->push_back(Preformatted{calibration.thesis_tables});
}

}  // namespace

Section CalibrationSection(const RunFolder& run, const Plotter& plotter) {
  Section section{.id = "calibration", .title = "Calibration"};
  if (!run.calibration) {
    section.blocks.push_back(
        Paragraph{"Nothing is known about the cameras: calibration.json is missing."});
    return section;
  }
  std::string verdict = fmt::format("Verdict: {}.", run.calibration->verdict);
  for (const std::string& reason : run.calibration->reasons) verdict += fmt::format(" {}.", reason);
  Figures corners, sigmas;
  for (const CameraFacts& camera : run.calibration->cameras) {
    corners.figures.push_back(CornersFigure(camera, plotter));
    sigmas.figures.push_back(ProjectionSigmaFigure(camera, plotter));
  }
  const Level level = run.calibration->verdict == "ok" ? Level::kOk : Level::kWarning;
  section.blocks = {Findings{{{level, "", verdict}}}, corners, sigmas,
                    ResidualTable(*run.calibration)};
  if (run.calibration->cameras.size() > 1) section.blocks.push_back(StereoTable(*run.calibration));
  section.blocks.push_back(CameraTable(*run.calibration));
  section.blocks.push_back(DistortionTable(*run.calibration));
  section.blocks.push_back(PredictedTable(*run.calibration));
  for (const std::string& finding : run.calibration->pattern_findings) {
    section.blocks.push_back(Paragraph{fmt::format("Residuals: {}.", finding)});
  }
  section.blocks.push_back(CoverageTable(*run.calibration));
  if (!run.calibration->next_view.empty()) {
    section.blocks.push_back(Paragraph{
        fmt::format("The one more picture that would help most (sigmas {:.0f} % smaller): {}.",
                    100.0 * (1.0 - run.calibration->next_view_ratio), run.calibration->next_view)});
  }
  section.blocks.push_back(ViewTable(*run.calibration));
  AddThesis(*run.calibration, &section.blocks);
  return section;
}

}  // namespace percuss::report
