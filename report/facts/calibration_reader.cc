// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/text/json_field.h"
#include "report/facts/csv.h"
#include "report/facts/run_folder.h"

namespace percuss::report {
namespace {

Eigen::MatrixXd ReadSquare(const JsonField& field, std::size_t size) {
  const auto rows = field.Elements();
  if (rows.size() != size) field.Fail(fmt::format("{} rows", size));
  const auto count = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd matrix(count, count);
  for (std::size_t i = 0; i < size; ++i) {
    const auto cells = rows[i].Elements();
    if (cells.size() != size) rows[i].Fail(fmt::format("{} numbers", size));
    for (std::size_t j = 0; j < size; ++j) {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = cells[j].Number();
    }
  }
  return matrix;
}

// Covariance of three parameters that follow each other, found by the name of the first; NaN where
// the file has none.
class Covariance {
 public:
  explicit Covariance(const JsonField& root) {
    const auto covariance = root.Find("covariance");
    if (!covariance) return;
    names_ = root.At("covariance_order").Texts();
    matrix_ = ReadSquare(*covariance, names_.size());
  }
  Eigen::Matrix3d Of(const std::string& first) const {
    const auto place = std::find(names_.begin(), names_.end(), first) - names_.begin();
    if (place + 3 > std::ssize(names_)) return Eigen::Matrix3d::Constant(kNaN);
    return matrix_.block<3, 3>(place, place);
  }

 private:
  std::vector<std::string> names_;
  Eigen::MatrixXd matrix_;
};

// Standard deviation of direction . x for x with the given covariance.
double SigmaAlong(const Eigen::Vector3d& direction, const Eigen::Matrix3d& covariance) {
  return std::sqrt(direction.dot(covariance * direction));
}

CameraFacts ReadCamera(const std::string& name, const JsonField& field) {
  CameraFacts camera{.name = name};
  const auto size = field.At("image_size").Elements();
  if (size.size() != 2) field.At("image_size").Fail("width and height");
  camera.width = size[0].Integer();
  camera.height = size[1].Integer();
  camera.lens = field.At("lens").Text();
  const Eigen::MatrixXd k = ReadSquare(field.At("K"), 3);
  const JsonField sigma = field.At("sigma");
  camera.fx = {k(0, 0), sigma.NumberOr("fx", kNaN)};
  camera.fy = {k(1, 1), sigma.NumberOr("fy", kNaN)};
  camera.cx = {k(0, 2), sigma.NumberOr("cx", kNaN)};
  camera.cy = {k(1, 2), sigma.NumberOr("cy", kNaN)};
  const std::vector<std::string> names =
      camera.lens == "fisheye"
          ? std::vector<std::string>{"k1", "k2", "k3", "k4"}
          : std::vector<std::string>{"k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"};
  const auto distortion = field.At("distortion").Elements();
  const auto sigmas = sigma.At("distortion").Elements();
  if (distortion.size() > names.size() || sigmas.size() != distortion.size()) {
    field.At("distortion").Fail("coefficients of the lens model, each with a sigma");
  }
  for (std::size_t i = 0; i < distortion.size(); ++i) {
    camera.distortion.push_back({names[i], {distortion[i].Number(), sigmas[i].Number()}});
  }
  return camera;
}

void ReadPose(const JsonField& field, const std::string& name, const Covariance& covariance,
              CameraFacts* camera) {
  const auto t_array = field.At("t").Vector3();
  const Eigen::Vector3d t(t_array[0], t_array[1], t_array[2]);
  camera->baseline = {t.norm(), SigmaAlong(t.normalized(), covariance.Of(name + " t x"))};
  const Eigen::AngleAxisd rotation(Eigen::Matrix3d(ReadSquare(field.At("R"), 3)));
  camera->angle = {rotation.angle(),
                   SigmaAlong(rotation.axis(), covariance.Of(name + " rotation x"))};
}

ViewFacts ReadView(const JsonField& field, const std::vector<CameraFacts>& cameras) {
  ViewFacts view{.used = field.At("used").Boolean(), .reason = field.TextOr("reason", "")};
  for (const CameraFacts& camera : cameras) {
    view.files.push_back(field.At(camera.name).Text());
    view.rms_px.push_back(field.NumberOr(fmt::format("rms_{}_px", camera.name), kNaN));
  }
  return view;
}

void ReadBoard(const JsonField& field, CalibrationFacts* calibration) {
  const JsonField sigma = field.At("sigma");
  calibration->board_scale = {field.At("scale").Number(), sigma.At("scale").Number()};
  const auto warp = field.At("warp").Elements(), warp_sigma = sigma.At("warp").Elements();
  if (warp.size() != 2 || warp_sigma.size() != 2) field.At("warp").Fail("2 numbers");
  for (std::size_t k = 0; k < 2; ++k) {
    calibration->board_warp[k] = {warp[k].Number(), warp_sigma[k].Number()};
  }
}

RasterFacts ReadRaster(const JsonField& field) {
  RasterFacts raster{.columns = field.At("columns").Count(), .rows = field.At("rows").Count()};
  const auto size =
      static_cast<std::size_t>(raster.columns) * static_cast<std::size_t>(raster.rows);
  for (const JsonField& value : field.At("values").Elements(size)) {
    raster.values.push_back(value.Number());
  }
  return raster;
}

void ReadCorners(const std::filesystem::path& file, std::vector<CameraFacts>* cameras) {
  const CsvTable table = ReadCsv(file);
  const int camera = table.Require("camera"), x = table.Require("x_px"), y = table.Require("y_px"),
            dx = table.Require("residual_x_px"), dy = table.Require("residual_y_px");
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (CameraFacts& facts : *cameras) {
      if (facts.name != table.Text(row, camera)) continue;
      facts.corners.push_back({table.Number(row, x), table.Number(row, y), table.Number(row, dx),
                               table.Number(row, dy)});
    }
  }
}

void ReadQuality(const JsonField& quality, CalibrationFacts* calibration) {
  calibration->tilt_range_deg = quality.NumberOr("tilt_range_deg", kNaN);
  if (const auto predicted = quality.Find("predicted")) {
    calibration->point_sigma_median = predicted->NumberOr("point_sigma_median", kNaN);
    calibration->point_sigma_worst = predicted->NumberOr("point_sigma_worst", kNaN);
    const auto rasters = predicted->Find("projection_sigma_px");
    for (CameraFacts& camera : calibration->cameras) {
      const auto raster = rasters ? rasters->Find(camera.name) : std::nullopt;
      if (raster) camera.projection_sigma_px = ReadRaster(*raster);
    }
  }
  if (const auto halves = quality.Find("halves")) {
    calibration->halves_rms_px = halves->NumberOr("rms_px", kNaN);
    calibration->halves_predicted_px = halves->NumberOr("predicted_rms_px", kNaN);
  }
  if (const auto pattern = quality.Find("pattern")) {
    calibration->pattern_findings = pattern->TextsOrNone("findings");
  }
  if (const auto next = quality.Find("next_view")) {
    calibration->next_view = next->TextOr("text", "");
    calibration->next_view_ratio = next->NumberOr("sigma_ratio", kNaN);
  }
}

void ReadThesis(const JsonField& thesis, CalibrationFacts* calibration) {
  calibration->thesis_reason = thesis.TextOr("reason", "");
  calibration->thesis_tables = thesis.TextOr("tables", "");
  for (const JsonField& row : thesis.At("comparison").Elements()) {
    calibration->thesis.push_back({.quantity = row.At("quantity").Text(),
                                   .thesis = row.NumberOr("thesis", kNaN),
                                   .joint = row.NumberOr("joint", kNaN)});
  }
}

}  // namespace

CalibrationFacts ReadCalibrationFacts(const std::filesystem::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  const Covariance covariance(root);
  CalibrationFacts calibration;
  for (const auto& [name, field] : root.At("cameras").Members()) {
    CameraFacts& camera = calibration.cameras.emplace_back(ReadCamera(name, field));
    const auto quality = root.Find("quality");
    if (quality) camera.coverage = quality->NumberOr("coverage_" + name, kNaN);
    if (calibration.cameras.size() == 1) continue;
    const std::string pose = name + "_from_" + calibration.cameras.front().name;
    ReadPose(root.At(pose), pose, covariance, &camera);
  }
  if (calibration.cameras.empty()) root.At("cameras").Fail("at least one camera");
  const auto corners = file.parent_path() / "corners.csv";
  if (std::filesystem::exists(corners)) ReadCorners(corners, &calibration.cameras);
  calibration.rms_px = root.At("rms_px").Number();
  calibration.rms_px_heldout = root.NumberOr("rms_px_heldout", kNaN);
  calibration.corner_sigma_px = root.NumberOr("corner_sigma_px", kNaN);
  if (const auto quality = root.Find("quality")) ReadQuality(*quality, &calibration);
  if (const auto thesis = root.Find("thesis_chain")) ReadThesis(*thesis, &calibration);
  if (const auto board = root.Find("board")) ReadBoard(*board, &calibration);
  for (const JsonField& view : root.At("views").Elements()) {
    calibration.views.push_back(ReadView(view, calibration.cameras));
  }
  calibration.verdict = root.At("verdict").Text();
  calibration.reasons = root.TextsOrNone("verdict_reasons");
  return calibration;
}

}  // namespace percuss::report
