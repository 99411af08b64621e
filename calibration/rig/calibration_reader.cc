// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>

#include "base/text/json_field.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {
namespace {

template <int kRows, int kColumns>
Eigen::Matrix<double, kRows, kColumns> ReadMatrix(const JsonField& field) {
  Eigen::Matrix<double, kRows, kColumns> matrix;
  int r = 0;
  for (const JsonField& row : field.Elements(kRows)) {
    int c = 0;
    for (const JsonField& entry : row.Elements(kColumns)) matrix(r, c++) = entry.FiniteNumber();
    ++r;
  }
  return matrix;
}

Eigen::Vector3d ReadVector3(const JsonField& field) {
  Eigen::Vector3d vector;
  int k = 0;
  for (const JsonField& entry : field.Elements(3)) vector[k++] = entry.FiniteNumber();
  return vector;
}

LensModel ReadLens(const JsonField& field) {
  for (const capture::LensModelName& entry : capture::kLensModelNames) {
    if (field.Text() == entry.name) return entry.lens;
  }
  field.Fail("brown, rational or fisheye");
}

Camera ReadCamera(const JsonField& field) {
  Camera camera;
  const std::vector<JsonField> size = field.At("image_size").Elements(2);
  camera.width = size[0].Count();
  camera.height = size[1].Count();
  if (camera.width < 1 || camera.height < 1) field.At("image_size").Fail("a positive size");
  camera.lens = ReadLens(field.At("lens"));
  const Eigen::Matrix3d k = ReadMatrix<3, 3>(field.At("K"));
  if (!(k(0, 0) > 0.0) || !(k(1, 1) > 0.0)) field.At("K").Fail("positive focal lengths");
  if (k(0, 1) != 0.0 || k(1, 0) != 0.0 || k.row(2) != Eigen::RowVector3d(0.0, 0.0, 1.0)) {
    field.At("K").Fail("[[fx, 0, cx], [0, fy, cy], [0, 0, 1]]");
  }
  camera.intrinsics = {k(0, 0), k(1, 1), k(0, 2), k(1, 2)};
  std::size_t place = 4;
  for (const JsonField& entry :
       field.At("distortion").Elements(DistortionNames(camera.lens).size())) {
    camera.intrinsics[place++] = entry.FiniteNumber();
  }
  return camera;
}

Pose ReadPose(const JsonField& field) {
  Pose pose{.R = ReadMatrix<3, 3>(field.At("R")), .t = ReadVector3(field.At("t"))};
  constexpr double kTolerance = 1e-6;
  const Eigen::Matrix3d error = pose.R * pose.R.transpose() - Eigen::Matrix3d::Identity();
  if (error.cwiseAbs().maxCoeff() > kTolerance || pose.R.determinant() < 0.0) {
    field.At("R").Fail("a rotation matrix");
  }
  return pose;
}

// The rows and columns of the named parameters; those of all others are 0.
Eigen::MatrixXd ReadCovariance(const JsonField& field, const std::vector<std::string>& names) {
  const std::vector<int> places = NamedPlaces(names);
  const auto size = static_cast<Eigen::Index>(names.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(size, size);
  std::size_t r = 0;
  for (const JsonField& row : field.Elements(places.size())) {
    std::size_t c = 0;
    for (const JsonField& entry : row.Elements(places.size())) {
      covariance(places[r], places[c++]) = entry.FiniteNumber();
    }
    ++r;
  }
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const int i = places[a], j = places[b];
      const double bound =
          std::sqrt(std::max(0.0, covariance(i, i)) * std::max(0.0, covariance(j, j)));
      const bool symmetric = std::abs(covariance(i, j) - covariance(j, i)) <= 1e-9 * bound;
      const bool in_bound = std::abs(covariance(i, j)) <= bound * (1.0 + 1e-9);
      if (!symmetric || !in_bound || covariance(i, i) < 0.0) {
        field.Elements()[a].Elements()[b].Fail(
            "an entry of a symmetric matrix, not larger than its two sigmas multiplied");
      }
    }
  }
  return covariance;
}

void CheckOrder(const JsonField& field, const std::vector<std::string>& names) {
  const std::vector<int> places = NamedPlaces(names);
  const std::vector<JsonField> items = field.Elements(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::string& name = names[places[k]];
    if (items[k].Text() != name) items[k].Fail(fmt::format("\"{}\"", name));
  }
}

BoardEstimate ReadBoard(const JsonField& field) {
  const auto pair = [](const JsonField& list) {
    const std::vector<JsonField> items = list.Elements(2);
    return Eigen::Vector2d(items[0].FiniteNumber(), items[1].FiniteNumber());
  };
  return {.shape = {.scale = field.At("scale").FiniteNumber(), .warp = pair(field.At("warp"))},
          .scale_sigma = field.At("sigma").At("scale").FiniteNumber(),
          .warp_sigma = pair(field.At("sigma").At("warp"))};
}

std::vector<CalibratedCamera> ReadCameras(const JsonField& root) {
  std::vector<CalibratedCamera> cameras;
  for (const auto& [name, camera] : root.At("cameras").Members()) {
    cameras.push_back({.name = name, .camera = ReadCamera(camera), .from_first = {}});
    const std::string& first = cameras.front().name;
    if (cameras.size() > 1) cameras.back().from_first = ReadPose(root.At(name + "_from_" + first));
  }
  if (cameras.empty()) root.At("cameras").Fail("at least one camera");
  return cameras;
}

ThesisComparison ReadThesis(const JsonField& field) {
  ThesisComparison thesis{
      .rows = {}, .tables = field.At("tables").Text(), .reason = field.At("reason").Text()};
  for (const JsonField& row : field.At("comparison").Elements()) {
    thesis.rows.push_back({.quantity = row.At("quantity").Text(),
                           .thesis = row.At("thesis").Number(),
                           .joint = row.At("joint").Number()});
  }
  return thesis;
}

ViewReport ReadView(const JsonField& field, const std::vector<CalibratedCamera>& cameras) {
  ViewReport view{
      .images = {}, .used = field.At("used").Boolean(), .reason = field.At("reason").Text()};
  for (const CalibratedCamera& camera : cameras) {
    view.images.push_back({.file = field.At(camera.name).Text(),
                           .num_measured = field.At("measured_" + camera.name).Count(),
                           .num_used = field.At("used_" + camera.name).Count(),
                           .rms_px = field.At(fmt::format("rms_{}_px", camera.name)).Number()});
  }
  return view;
}

std::vector<ImageMap> ReadMaps(const JsonField& field,
                               const std::vector<CalibratedCamera>& cameras) {
  std::vector<ImageMap> maps;
  if (field.Members().empty()) return maps;
  for (const CalibratedCamera& camera : cameras) {
    const JsonField of_camera = field.At(camera.name);
    const ImageMap raster = RasterOf(camera.camera);
    ImageMap map{.columns = of_camera.At("columns").Count(),
                 .rows = of_camera.At("rows").Count(),
                 .pixels = raster.pixels,
                 .values = {}};
    if (map.columns != raster.columns || map.rows != raster.rows) {
      of_camera.At("columns").Fail(fmt::format("{} columns, {} rows", raster.columns, raster.rows));
    }
    for (const JsonField& value : of_camera.At("values").Elements(map.pixels.size())) {
      map.values.push_back(value.Number());
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

PredictedError ReadPredicted(const JsonField& field, const std::vector<CalibratedCamera>& cameras) {
  return {.projection_sigma_px = ReadMaps(field.At("projection_sigma_px"), cameras),
          .point_sigma_median = field.At("point_sigma_median").Number(),
          .point_sigma_worst = field.At("point_sigma_worst").Number(),
          .volume_lowest = ReadVector3(field.At("volume").At("lowest")),
          .volume_highest = ReadVector3(field.At("volume").At("highest"))};
}

HalfSplit ReadHalves(const JsonField& field, const std::vector<CalibratedCamera>& cameras) {
  return {.difference_px = ReadMaps(field.At("difference_px"), cameras),
          .rms_px = field.At("rms_px").Number(),
          .predicted_rms_px = field.At("predicted_rms_px").Number()};
}

PatternSummary ReadPattern(const JsonField& field, const std::vector<CalibratedCamera>& cameras) {
  PatternSummary pattern;
  for (const CalibratedCamera& camera : cameras) {
    if (!field.Find(camera.name)) break;  // not tested
    pattern.image_rms_px.push_back(field.At(camera.name).At("image_rms_px").Number());
    pattern.radius_rms_px.push_back(field.At(camera.name).At("radius_rms_px").Number());
  }
  pattern.print_rms = field.At("print_rms").Number();
  pattern.bend_rms = field.At("bend_rms").Number();
  pattern.neighbour_correlation = field.At("neighbour_correlation").Number();
  for (const JsonField& finding : field.At("findings").Elements())
    pattern.findings.push_back(finding.Text());
  return pattern;
}

CalibrationQuality ReadQuality(const JsonField& field,
                               const std::vector<CalibratedCamera>& cameras) {
  CalibrationQuality quality;
  quality.num_views = field.At("views_used").Count();
  quality.num_rejected_corners = field.At("corners_rejected").Count();
  for (const CalibratedCamera& camera : cameras) {
    quality.coverage.push_back(field.At("coverage_" + camera.name).FiniteNumber());
  }
  quality.tilt_range_deg = field.At("tilt_range_deg").FiniteNumber();
  quality.held_out.median_px = field.At("heldout_median_px").Number();
  quality.held_out.p90_px = field.At("heldout_p90_px").Number();
  quality.predicted = ReadPredicted(field.At("predicted"), cameras);
  quality.half_split = ReadHalves(field.At("halves"), cameras);
  quality.pattern = ReadPattern(field.At("pattern"), cameras);
  quality.next_view = {.text = field.At("next_view").At("text").Text(),
                       .sigma_ratio = field.At("next_view").At("sigma_ratio").FiniteNumber()};
  return quality;
}

}  // namespace

RigCalibration ReadCalibration(const std::filesystem::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kCalibrationFormat) {
    root.At("format").Fail(fmt::format("\"{}\"", kCalibrationFormat));
  }

  RigCalibration calibration;
  calibration.cameras = ReadCameras(root);
  calibration.world_from_first =
      ReadPose(root.At("world_from_" + calibration.cameras.front().name));
  const std::vector<std::string> names = ParameterNames(calibration);
  CheckOrder(root.At("covariance_order"), names);
  calibration.covariance = ReadCovariance(root.At("covariance"), names);
  calibration.board = ReadBoard(root.At("board"));
  calibration.rms_px = root.At("rms_px").Number();
  calibration.corner_sigma_px = root.At("corner_sigma_px").Number();
  calibration.num_corners = root.At("corners").Count();
  calibration.quality = ReadQuality(root.At("quality"), calibration.cameras);
  calibration.quality.held_out.rms_px = root.At("rms_px_heldout").Number();
  calibration.thesis = ReadThesis(root.At("thesis_chain"));
  for (const JsonField& view : root.At("views").Elements()) {
    calibration.views.push_back(ReadView(view, calibration.cameras));
  }
  calibration.verdict = root.At("verdict").Text();
  if (calibration.verdict != "ok" && calibration.verdict != "poor") {
    root.At("verdict").Fail(R"("ok" or "poor")");
  }
  calibration.verdict_reasons.clear();
  for (const JsonField& reason : root.At("verdict_reasons").Elements()) {
    calibration.verdict_reasons.push_back(reason.Text());
  }
  return calibration;
}

}  // namespace percuss::calibration
