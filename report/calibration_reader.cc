// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "report/json_fields.h"
#include "report/run_folder.h"

namespace percuss::report {
namespace {

// Where calibration.json keeps what in its covariance (docs/file-formats.md).
constexpr int kCovarianceSize = 30;
constexpr int kLeftCamera = 0, kRightCamera = 9, kRotation = 18, kTranslation = 21;
using Covariance = Eigen::Matrix<double, kCovarianceSize, kCovarianceSize>;

template <int kRows>
Eigen::Matrix<double, kRows, kRows> ReadMatrix(const JsonField& field) {
  const auto rows = field.Elements();
  if (rows.size() != kRows) field.Fail(std::to_string(kRows) + " rows");
  Eigen::Matrix<double, kRows, kRows> matrix;
  for (int i = 0; i < kRows; ++i) {
    const auto cells = rows[static_cast<std::size_t>(i)].Elements();
    if (cells.size() != kRows) {
      rows[static_cast<std::size_t>(i)].Fail(std::to_string(kRows) + " numbers");
    }
    for (int j = 0; j < kRows; ++j) matrix(i, j) = cells[static_cast<std::size_t>(j)].Number();
  }
  return matrix;
}

CameraFacts ReadCamera(const JsonField& field, const Covariance& covariance, int first) {
  CameraFacts camera;
  const auto size = field.At("image_size").Elements();
  if (size.size() != 2) field.At("image_size").Fail("width and height");
  camera.width = size[0].Integer();
  camera.height = size[1].Integer();
  const Eigen::Matrix3d k = ReadMatrix<3>(field.At("K"));
  const auto sigma = [&](int i) { return std::sqrt(covariance(first + i, first + i)); };
  camera.fx = {k(0, 0), sigma(0)};
  camera.fy = {k(1, 1), sigma(1)};
  camera.cx = {k(0, 2), sigma(2)};
  camera.cy = {k(1, 2), sigma(3)};
  const auto distortion = field.At("distortion").Elements();
  if (distortion.size() != camera.distortion.size()) {
    field.At("distortion").Fail("k1, k2, p1, p2, k3");
  }
  for (std::size_t i = 0; i < camera.distortion.size(); ++i) {
    camera.distortion[i] = {distortion[i].Number(), sigma(4 + static_cast<int>(i))};
  }
  return camera;
}

// Standard deviation of direction . x for x with the given covariance.
double SigmaAlong(const Eigen::Vector3d& direction, const Eigen::Matrix3d& covariance) {
  return std::sqrt(direction.dot(covariance * direction));
}

ViewFacts ReadView(const JsonField& field) {
  return {.left = field.At("left").Text(),
          .right = field.At("right").Text(),
          .used = field.At("used").Boolean(),
          .reason = field.TextOr("reason", ""),
          .rms_left_px = field.NumberOr("rms_left_px", kNaN),
          .rms_right_px = field.NumberOr("rms_right_px", kNaN)};
}

}  // namespace

CalibrationFacts ReadCalibrationFacts(const std::filesystem::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  Covariance covariance = Covariance::Constant(kNaN);
  if (const auto field = root.Find("covariance")) covariance = ReadMatrix<kCovarianceSize>(*field);

  CalibrationFacts calibration;
  const JsonField cameras = root.At("cameras");
  calibration.left = ReadCamera(cameras.At("left"), covariance, kLeftCamera);
  calibration.right = ReadCamera(cameras.At("right"), covariance, kRightCamera);

  const JsonField right_from_left = root.At("right_from_left");
  const auto t_array = right_from_left.At("t").Vector3();
  const Eigen::Vector3d t(t_array[0], t_array[1], t_array[2]);
  calibration.baseline = {
      t.norm(), SigmaAlong(t.normalized(), covariance.block<3, 3>(kTranslation, kTranslation))};
  const Eigen::AngleAxisd rotation(ReadMatrix<3>(right_from_left.At("R")));
  calibration.angle = {rotation.angle(),
                       SigmaAlong(rotation.axis(), covariance.block<3, 3>(kRotation, kRotation))};

  calibration.rms_px = root.At("rms_px").Number();
  calibration.rms_px_heldout = root.NumberOr("rms_px_heldout", kNaN);
  calibration.corner_sigma_px = root.NumberOr("corner_sigma_px", kNaN);
  if (const auto quality = root.Find("quality")) {
    calibration.coverage_left = quality->NumberOr("coverage_left", kNaN);
    calibration.coverage_right = quality->NumberOr("coverage_right", kNaN);
    calibration.tilt_range_deg = quality->NumberOr("tilt_range_deg", kNaN);
  }
  for (const JsonField& view : root.At("views").Elements()) {
    calibration.views.push_back(ReadView(view));
  }
  calibration.verdict = root.At("verdict").Text();
  calibration.reasons = root.TextsOrNone("verdict_reasons");
  return calibration;
}

}  // namespace percuss::report
