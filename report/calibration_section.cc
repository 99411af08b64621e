// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <numbers>

#include "report/sections.h"
#include "report/words.h"

namespace percuss::report {
namespace {

Row CameraRow(const std::string& quantity, const Measured& left, const Measured& right) {
  return {.cells = {TextCell(quantity), NumberCell(left.value, left.sigma),
                    NumberCell(right.value, right.sigma)}};
}

Table CameraTable(const CalibrationFacts& calibration) {
  const CameraFacts& left = calibration.left;
  const CameraFacts& right = calibration.right;
  return {.id = "cameras",
          .caption = "Focal lengths and principal points",
          .columns = {TextColumn("quantity", "quantity"), MeasuredColumn("left_px", "left", "px"),
                      MeasuredColumn("right_px", "right", "px")},
          .rows = {CameraRow("focal length x", left.fx, right.fx),
                   CameraRow("focal length y", left.fy, right.fy),
                   CameraRow("principal point x", left.cx, right.cx),
                   CameraRow("principal point y", left.cy, right.cy)},
          .note = "Pixel (0, 0) is the centre of the top-left pixel."};
}

Table DistortionTable(const CalibrationFacts& calibration) {
  Table table{
      .id = "distortion",
      .caption = "Lens distortion",
      .columns = {TextColumn("coefficient", "coefficient"), MeasuredColumn("left", "left", "-"),
                  MeasuredColumn("right", "right", "-")}};
  const std::array names = {"k1", "k2", "p1", "p2", "k3"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.rows.push_back(
        CameraRow(names[i], calibration.left.distortion[i], calibration.right.distortion[i]));
  }
  return table;
}

Table StereoTable(const CalibrationFacts& calibration) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  return {
      .id = "stereo",
      .caption = "The camera pair",
      .columns = {MeasuredColumn("baseline", "baseline", "mm", 1000),
                  MeasuredColumn("angle", "angle between the cameras", "deg", kDegrees),
                  NumberColumn("rms_px", "residual, rms", "px", 3),
                  NumberColumn("rms_px_heldout", "on views left out, rms", "px", 3),
                  NumberColumn("corner_sigma_px", "sigma of a corner coordinate", "px", 3)},
      .rows = {{.cells = {NumberCell(calibration.baseline.value, calibration.baseline.sigma),
                          NumberCell(calibration.angle.value, calibration.angle.sigma),
                          NumberCell(calibration.rms_px), NumberCell(calibration.rms_px_heldout),
                          NumberCell(calibration.corner_sigma_px)}}}};
}

// What the verdict rests on, beside the residuals.
Table CoverageTable(const CalibrationFacts& calibration) {
  return {
      .id = "coverage",
      .caption = "What the views cover",
      .columns = {PercentColumn("coverage_left", "left image with corners"),
                  PercentColumn("coverage_right", "right image with corners"),
                  NumberColumn("tilt_range_deg", "boards differ in direction by up to", "deg", 3)},
      .rows = {
          {.cells = {NumberCell(calibration.coverage_left), NumberCell(calibration.coverage_right),
                     NumberCell(calibration.tilt_range_deg)}}}};
}

Table ViewTable(const CalibrationFacts& calibration) {
  Table table{
      .id = "views",
      .caption = "Views of the board",
      .columns = {TextColumn("left", "left image"), TextColumn("right", "right image"),
                  TextColumn("used", "used"), NumberColumn("rms_left_px", "rms left", "px", 3),
                  NumberColumn("rms_right_px", "rms right", "px", 3),
                  TextColumn("reason", "remark")}};
  for (const ViewFacts& view : calibration.views) {
    table.rows.push_back(
        {.cells = {TextCell(view.left), TextCell(view.right), TextCell(view.used ? "yes" : "no"),
                   NumberCell(view.rms_left_px), NumberCell(view.rms_right_px),
                   TextCell(view.reason)}});
  }
  return table;
}

}  // namespace

Section CalibrationSection(const RunFolder& run) {
  Section section{.id = "calibration", .title = "Calibration"};
  if (!run.calibration) {
    section.blocks.push_back(
        Paragraph{"Nothing is known about the cameras: calibration.json is missing."});
    return section;
  }
  std::string verdict = fmt::format("Verdict: {}.", run.calibration->verdict);
  for (const std::string& reason : run.calibration->reasons) verdict += fmt::format(" {}.", reason);
  section.blocks = {Paragraph{verdict},
                    StereoTable(*run.calibration),
                    CameraTable(*run.calibration),
                    DistortionTable(*run.calibration),
                    CoverageTable(*run.calibration),
                    ViewTable(*run.calibration)};
  return section;
}

}  // namespace percuss::report
