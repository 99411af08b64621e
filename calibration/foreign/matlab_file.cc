// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "base/error.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/formats.h"

namespace percuss::calibration {
namespace {

Camera ReadMatlabCamera(const JsonField& field) {
  Camera camera;
  // K in newer versions, its transpose in older ones; both where a script writes all properties.
  const std::optional<JsonField> newer = field.Find("K");
  const JsonField matrix = newer ? *newer : field.At("IntrinsicMatrix");
  Eigen::Matrix3d K = MatrixOf(matrix, 3, 3);
  if (!newer) K.transposeInPlace();
  if (K(2, 0) != 0.0 || K(2, 1) != 0.0) {
    matrix.Fail("a matrix whose last row is not [0, 0, 1]",
                newer ? "[[fx, s, cx], [0, fy, cy], [0, 0, 1]]"
                      : "the transpose [[fx, 0, 0], [s, fy, 0], [cx, cy, 1]]");
  }
  K(0, 2) -= 1.0;  // the centre of the first pixel is (1, 1)
  K(1, 2) -= 1.0;
  SetPinhole(matrix, K, &camera);
  const JsonField radial = field.At("RadialDistortion");
  const std::vector<double> k = FlatNumbers(radial);
  if (k.size() != 2 && k.size() != 3)
    radial.Fail(fmt::format("{} numbers", k.size()), "2 or 3: k1, k2, k3");
  std::vector<double> p = {0.0, 0.0};
  if (const auto tangential = field.Find("TangentialDistortion")) {
    p = FlatNumbers(*tangential);
    if (p.size() != 2) tangential->Fail(fmt::format("{} numbers", p.size()), "2: p1, p2");
  }
  SetDistortion(radial, {k[0], k[1], p[0], p[1], k.size() == 3 ? k[2] : 0.0}, false, &camera);
  if (const auto size = field.Find("ImageSize"); size && !FlatNumbers(*size).empty()) {
    const Eigen::MatrixXd rows_columns = MatrixOf(*size, 2, 1);
    SetSize(*size, rows_columns(1, 0), rows_columns(0, 0), &camera);
  }
  return camera;
}

/// Where the second camera stands: PoseCamera2 {R, Translation} with columns, or RotationOfCamera2
/// and TranslationOfCamera2 with rows: x_2 = x_1 R + t.
Pose ReadMatlabPose(const JsonField& root) {
  if (const auto pose = root.Find("PoseCamera2")) {
    const JsonField R = pose->At("R");
    return {RotationOf(R, MatrixOf(R, 3, 3)), Vector3Of(pose->At("Translation"))};
  }
  const JsonField R = root.At("RotationOfCamera2");
  return {RotationOf(R, MatrixOf(R, 3, 3).transpose()), Vector3Of(root.At("TranslationOfCamera2"))};
}

}  // namespace

ForeignRig ReadMatlabRig(const std::filesystem::path& file, double* unit) {
  const JsonField root = JsonField::ReadFile(file);
  ForeignRig rig{.format = "MATLAB"};
  const auto first = root.Find("CameraParameters1");
  std::string world_units = root.TextOr("WorldUnits", "");
  if (first) {
    rig.cameras.push_back(
        {.name = "camera1", .camera = ReadMatlabCamera(*first), .camera_from_frame = {}});
    rig.cameras.push_back({.name = "camera2",
                           .camera = ReadMatlabCamera(root.At("CameraParameters2")),
                           .camera_from_frame = ReadMatlabPose(root)});
    if (world_units.empty()) world_units = first->TextOr("WorldUnits", "");
  } else {
    if (!root.Find("RadialDistortion")) root.At("CameraParameters1");
    rig.cameras.push_back(
        {.name = "camera1", .camera = ReadMatlabCamera(root), .camera_from_frame = {}});
  }
  // What estimateCameraParameters takes where nothing is stated.
  if (world_units.empty() || world_units == "mm" || world_units == "millimeters") {
    *unit = 1e-3;
  } else if (world_units == "m" || world_units == "meters") {
    *unit = 1.0;
  } else if (world_units == "cm" || world_units == "centimeters") {
    *unit = 1e-2;
  } else if (world_units == "in" || world_units == "inches") {
    *unit = 0.0254;
  } else {
    rig.notes.push_back(
        fmt::format("WorldUnits {} is not known; millimetres are taken", world_units));
    *unit = 1e-3;
  }
  return rig;
}

}  // namespace percuss::calibration
