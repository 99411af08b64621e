// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "base/error.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/document.h"
#include "calibration/foreign/formats.h"

namespace percuss::calibration {
namespace {

Pose ReadTransform(const JsonField& field) {
  const Eigen::Matrix4d T = MatrixOf(field, 4, 4);
  if (T.row(3) != Eigen::RowVector4d(0.0, 0.0, 0.0, 1.0))
    field.Fail("another last row", "[0, 0, 0, 1] there");
  return {RotationOf(field, T.topLeftCorner<3, 3>()), T.topRightCorner<3, 1>()};
}

Camera ReadKalibrCamera(const JsonField& field) {
  Camera camera;
  const JsonField model = field.At("camera_model");
  if (model.Text() != "pinhole")
    model.Fail("pinhole: omnidirectional and double-sphere models are not among ours");
  const JsonField intrinsics = field.At("intrinsics");
  const Eigen::VectorXd k = MatrixOf(intrinsics, 4, 1);
  SetPinhole(intrinsics, k[0], k[1], k[2], k[3], &camera);
  const JsonField distortion_model = field.At("distortion_model");
  const std::string name = distortion_model.Text();
  if (name == "radtan" || name == "equi" || name == "equidistant") {
    const JsonField coefficients = field.At("distortion_coeffs");
    const Eigen::VectorXd d = MatrixOf(coefficients, 4, 1);
    SetDistortion(coefficients, {d.begin(), d.end()}, name != "radtan", &camera);
  } else if (name != "none") {
    distortion_model.Fail("radtan, equi or none: the field-of-view model is not among ours");
  }
  const JsonField resolution = field.At("resolution");
  const Eigen::VectorXd size = MatrixOf(resolution, 2, 1);
  SetSize(resolution, size[0], size[1], &camera);
  return camera;
}

}  // namespace

ForeignRig ReadKalibrRig(const std::filesystem::path& file) {
  const JsonField root = ReadYamlDocument(file);
  ForeignRig rig{.format = "Kalibr"};
  for (;;) {
    const std::string name = fmt::format("cam{}", rig.cameras.size());
    const std::optional<JsonField> field = root.Find(name);
    if (!field) break;
    Pose pose;
    if (!rig.cameras.empty())
      pose = ReadTransform(field->At("T_cn_cnm1")) * rig.cameras.back().camera_from_frame;
    rig.cameras.push_back(
        {.name = name, .camera = ReadKalibrCamera(*field), .camera_from_frame = pose});
  }
  if (rig.cameras.empty()) root.At("cam0");
  return rig;
}

std::string KalibrText(const ForeignRig& rig) {
  std::string text;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    const Camera& camera = rig.cameras[c].camera;
    const auto& k = camera.intrinsics;
    text += fmt::format("cam{}:\n  camera_model: pinhole\n", c);
    text += fmt::format("  intrinsics: [{}, {}, {}, {}]\n", k[0], k[1], k[2], k[3]);
    text += fmt::format("  distortion_model: {}\n",
                        camera.lens == LensModel::kFisheye ? "equidistant" : "radtan");
    text += fmt::format("  distortion_coeffs: [{}, {}, {}, {}]\n", k[4], k[5], k[6], k[7]);
    text += fmt::format("  resolution: [{}, {}]\n", camera.width, camera.height);
    if (c == 0) continue;
    const Pose pose =
        rig.cameras[c].camera_from_frame * rig.cameras[c - 1].camera_from_frame.Inverse();
    text += "  T_cn_cnm1:\n";
    for (int i = 0; i < 3; ++i) {
      text += fmt::format("  - [{}, {}, {}, {}]\n", pose.R(i, 0), pose.R(i, 1), pose.R(i, 2),
                          pose.t[i]);
    }
    text += "  - [0.0, 0.0, 0.0, 1.0]\n";
  }
  return text;
}

}  // namespace percuss::calibration
