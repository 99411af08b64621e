// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/document.h"
#include "calibration/foreign/formats.h"

namespace percuss::calibration {
namespace {

Eigen::Matrix3d ReadRotation(const JsonField& field) {
  const std::size_t count = FlatNumbers(field).size();
  if (count == 9) return RotationOf(field, MatrixOf(field, 3, 3));
  if (count == 3) return RotationFromVector(Vector3Of(field));
  field.Fail(fmt::format("{} numbers", count), "3 of a Rodrigues vector, or 3 x 3 of a matrix");
}

ForeignCamera ReadTomlCamera(const std::string& table, const JsonField& field) {
  ForeignCamera result{.name = table, .camera = {}, .camera_from_frame = {}};
  if (const auto name = field.Find("name")) result.name = name->Text();
  const JsonField matrix = field.At("matrix"), distortions = field.At("distortions");
  SetPinhole(matrix, MatrixOf(matrix, 3, 3), &result.camera);
  const auto fisheye = field.Find("fisheye");
  SetDistortion(distortions, FlatNumbers(distortions), fisheye && fisheye->Boolean(),
                &result.camera);
  const JsonField size = field.At("size");
  const Eigen::VectorXd lengths = MatrixOf(size, 2, 1);
  SetSize(size, lengths[0], lengths[1], &result.camera);
  result.camera_from_frame = {ReadRotation(field.At("rotation")),
                              Vector3Of(field.At("translation"))};
  return result;
}

std::string Quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text + '"';
}

}  // namespace

ForeignRig ReadTomlRig(const std::filesystem::path& file) {
  const JsonField root = ReadTomlDocument(file);
  ForeignRig rig{.format = "Anipose"};
  const auto add = [&](const std::string& table, const JsonField& field) {
    if (field.IsObject() && field.Find("matrix"))
      rig.cameras.push_back(ReadTomlCamera(table, field));
  };
  for (const auto& [table, field] : root.Members()) {
    if (table == "cameras" && field.IsObject()) {  // Caliscope: [cameras.0]
      for (const auto& [name, camera] : field.Members()) add("cam_" + name, camera);
    } else {
      add(table, field);
    }
  }
  if (rig.cameras.empty()) {
    root.Fail("no camera",
              "tables such as [cam_0] with name, size, matrix, distortions, rotation, translation");
  }
  return rig;
}

std::string TomlText(const ForeignRig& rig, bool pose2sim) {
  std::string text;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    const ForeignCamera& foreign = rig.cameras[c];
    const Camera& camera = foreign.camera;
    const auto& k = camera.intrinsics;
    const bool fisheye = camera.lens == LensModel::kFisheye;
    const Eigen::Vector3d r = VectorOf(foreign.camera_from_frame.R);
    const Eigen::Vector3d& t = foreign.camera_from_frame.t;
    const auto number = [](double value) { return fmt::format("{:#}", value); };
    std::vector<std::string> coefficients;
    for (const double value :
         DistortionOf(camera).first(pose2sim ? 4 : DistortionOf(camera).size()))
      coefficients.push_back(number(value));
    text += fmt::format("[cam_{}]\nname = {}\nsize = [{}, {}]\n", c, Quoted(foreign.name),
                        camera.width, camera.height);
    text += fmt::format("matrix = [[{}, 0.0, {}], [0.0, {}, {}], [0.0, 0.0, 1.0]]\n", number(k[0]),
                        number(k[2]), number(k[1]), number(k[3]));
    text += fmt::format("distortions = [{}]\n", fmt::join(coefficients, ", "));
    text += fmt::format("rotation = [{}, {}, {}]\n", number(r[0]), number(r[1]), number(r[2]));
    text += fmt::format("translation = [{}, {}, {}]\n", number(t[0]), number(t[1]), number(t[2]));
    if (fisheye || pose2sim) text += fmt::format("fisheye = {}\n", fisheye);
    text += "\n";
  }
  return text + "[metadata]\nadjusted = false\nerror = 0.0\n";
}

}  // namespace percuss::calibration
