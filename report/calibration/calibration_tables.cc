// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/calibration/calibration_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace percuss::report {

using calibration::CalibratedCamera;
using calibration::RigCalibration;

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

// One column for each camera.
std::vector<Column> CameraColumns(const RigCalibration& calibration, const std::string& first,
                                  const std::string& unit) {
  std::vector<Column> columns = {TextColumn(first, first)};
  for (const CalibratedCamera& camera : calibration.cameras) {
    columns.push_back(MeasuredColumn(camera.name + (unit == "px" ? "_px" : ""), camera.name, unit));
  }
  return columns;
}

// A number of each camera's intrinsics with its sigma; nothing where the lens model has none.
Row CameraRow(const std::string& quantity, const RigCalibration& calibration, std::size_t place) {
  Row row{.cells = {TextCell(quantity)}};
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c) {
    const calibration::Camera& camera = calibration.cameras[c].camera;
    const int parameter =
        calibration.Places().Intrinsics(static_cast<int>(c)) + static_cast<int>(place);
    row.cells.push_back(place < 4 + calibration::DistortionNames(camera.lens).size()
                            ? NumberCell(camera.intrinsics[place],
                                         std::sqrt(calibration.covariance(parameter, parameter)))
                            : NumberCell(kNaN, kNaN));
  }
  return row;
}

}  // namespace

Table CameraTable(const RigCalibration& calibration) {
  return {.id = "cameras",
          .caption = "Focal lengths and principal points",
          .columns = CameraColumns(calibration, "quantity", "px"),
          .rows = {CameraRow("focal length x", calibration, 0),
                   CameraRow("focal length y", calibration, 1),
                   CameraRow("principal point x", calibration, 2),
                   CameraRow("principal point y", calibration, 3)},
          .note = "Pixel (0, 0) is the centre of the top-left pixel."};
}

Table DistortionTable(const RigCalibration& calibration) {
  Table table{.id = "distortion",
              .caption = "Lens distortion",
              .columns = CameraColumns(calibration, "coefficient", "-")};
  std::span<const std::string_view> names;
  table.note = "Lens models:";
  for (const CalibratedCamera& camera : calibration.cameras) {
    const auto own = calibration::DistortionNames(camera.camera.lens);
    if (own.size() > names.size()) names = own;
    table.note += fmt::format(" {} {},", camera.name, capture::Name(camera.camera.lens));
  }
  table.note.back() = '.';
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.rows.push_back(CameraRow(std::string(names[i]), calibration, 4 + i));
  }
  return table;
}

Table ResidualTable(const RigCalibration& calibration) {
  const calibration::BoardEstimate& board = calibration.board;
  return {.id = "residuals",
          .caption = "How well the cameras explain the board",
          .columns = {NumberColumn("rms_px", "residual, rms", "px", 3),
                      NumberColumn("rms_px_heldout", "on views left out, rms", "px", 3),
                      NumberColumn("corner_sigma_px", "sigma of a corner coordinate", "px", 3),
                      MeasuredColumn("warp_columns", "board bent along columns", "mm", 1000),
                      MeasuredColumn("warp_rows", "along rows", "mm", 1000),
                      MeasuredColumn("scale", "size of the squares over the stated one", "-")},
          .rows = {{.cells = {NumberCell(calibration.rms_px),
                              NumberCell(calibration.quality.held_out.rms_px),
                              NumberCell(calibration.corner_sigma_px),
                              NumberCell(board.shape.warp[0], board.warp_sigma[0]),
                              NumberCell(board.shape.warp[1], board.warp_sigma[1]),
                              NumberCell(board.shape.scale, board.scale_sigma)}}}};
}

Table StereoTable(const RigCalibration& calibration) {
  Table table{.id = "stereo",
              .caption = fmt::format("The other cameras, as seen from the {} one",
                                     calibration.cameras.front().name),
              .columns = {TextColumn("camera", "camera"),
                          MeasuredColumn("baseline", "baseline", "mm", 1000),
                          MeasuredColumn("angle", "angle to it", "deg", kDegrees)}};
  for (std::size_t c = 1; c < calibration.cameras.size(); ++c) {
    const CalibratedCamera& camera = calibration.cameras[c];
    const Eigen::AngleAxisd rotation(camera.from_first.R);
    const int place = calibration.Places().CameraPose(static_cast<int>(c));
    const double variance =
        rotation.axis().dot(calibration.covariance.block<3, 3>(place, place) * rotation.axis());
    table.rows.push_back(
        {.cells = {TextCell(camera.name),
                   NumberCell(camera.from_first.t.norm(), BaselineSigma(calibration, c)),
                   NumberCell(rotation.angle(), std::sqrt(variance))}});
  }
  return table;
}

Table CoverageTable(const RigCalibration& calibration) {
  Table table{.id = "coverage", .caption = "What the views cover"};
  Row row;
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c) {
    const std::string& camera = calibration.cameras[c].name;
    table.columns.push_back(PercentColumn("coverage_" + camera, camera + " image with corners"));
    row.cells.push_back(NumberCell(calibration.quality.coverage[c]));
  }
  table.columns.push_back(
      NumberColumn("tilt_range_deg", "boards differ in direction by up to", "deg", 3));
  row.cells.push_back(NumberCell(calibration.quality.tilt_range_deg));
  table.rows = {row};
  return table;
}

Table ViewTable(const RigCalibration& calibration) {
  Table table{.id = "views", .caption = "Views of the board"};
  for (const CalibratedCamera& camera : calibration.cameras) {
    table.columns.push_back(TextColumn(camera.name, camera.name + " image"));
  }
  table.columns.push_back(TextColumn("used", "used"));
  for (const CalibratedCamera& camera : calibration.cameras) {
    table.columns.push_back(
        NumberColumn(fmt::format("rms_{}_px", camera.name), "rms " + camera.name, "px", 3));
  }
  table.columns.push_back(TextColumn("reason", "remark"));
  for (const calibration::ViewReport& view : calibration.views) {
    Row row;
    for (const auto& image : view.images) row.cells.push_back(TextCell(image.file));
    row.cells.push_back(TextCell(view.used ? "yes" : "no"));
    for (const auto& image : view.images) row.cells.push_back(NumberCell(image.rms_px));
    row.cells.push_back(TextCell(view.reason));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table PredictedTable(const RigCalibration& calibration) {
  const calibration::CalibrationQuality& quality = calibration.quality;
  return {
      .id = "predicted",
      .caption = "What to expect of measurements",
      .columns = {NumberColumn("point_sigma_median", "sigma of a marker's place, median", "mm", 3),
                  NumberColumn("point_sigma_worst", "worst in the working volume", "mm", 3),
                  NumberColumn("halves_px", "even against odd views, rms", "px", 3),
                  NumberColumn("halves_predicted_px", "of which corner noise explains", "px", 3)},
      .rows = {{.cells = {NumberCell(1000 * quality.predicted.point_sigma_median),
                          NumberCell(1000 * quality.predicted.point_sigma_worst),
                          NumberCell(quality.half_split.rms_px),
                          NumberCell(quality.half_split.predicted_rms_px)}}},
      .note = "Of a perfectly seen marker, from the calibration alone; x, y and z together."};
}

}  // namespace percuss::report
