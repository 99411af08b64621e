// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <span>

#include "base/error.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/document.h"
#include "calibration/foreign/formats.h"

namespace percuss::calibration {
namespace {

ForeignCamera ReadModel(const std::filesystem::path& path) {
  static const std::map<std::string, std::size_t> kCoefficients = {{"LENSMODEL_PINHOLE", 0},
                                                                   {"LENSMODEL_OPENCV4", 4},
                                                                   {"LENSMODEL_OPENCV5", 5},
                                                                   {"LENSMODEL_OPENCV8", 8},
                                                                   {"LENSMODEL_OPENCV12", 12}};
  const JsonField file = ReadPythonDict(path);
  ForeignCamera result{.name = path.stem().string(), .camera = {}, .camera_from_frame = {}};
  const JsonField lens = file.At("lensmodel");
  const auto model = kCoefficients.find(lens.Text());
  if (model == kCoefficients.end()) {
    lens.Fail(
        "LENSMODEL_PINHOLE, LENSMODEL_OPENCV4, 5, 8, or 12 without thin prism: other models become "
        "one of these by mrcal-convert-lensmodel");
  }
  const JsonField intrinsics = file.At("intrinsics");
  const std::vector<double> numbers = FlatNumbers(intrinsics);
  if (numbers.size() != 4 + model->second) {
    intrinsics.Fail(fmt::format("{} numbers", numbers.size()),
                    fmt::format("{}, fx fy cx cy and the coefficients", 4 + model->second));
  }
  SetPinhole(intrinsics, numbers[0], numbers[1], numbers[2], numbers[3], &result.camera);
  SetDistortion(intrinsics, {numbers.begin() + 4, numbers.end()}, false, &result.camera);
  const JsonField size = file.At("imagersize");
  const Eigen::VectorXd lengths = MatrixOf(size, 2, 1);
  SetSize(size, lengths[0], lengths[1], &result.camera);
  const auto newer = file.Find("rt_cam_ref");
  const JsonField pose = newer ? *newer : file.At("extrinsics");
  const Eigen::VectorXd rt = MatrixOf(pose, 6, 1);
  result.camera_from_frame = {RotationFromVector(rt.head<3>()), rt.tail<3>()};
  return result;
}

}  // namespace

ForeignRig ReadMrcalRig(const Paths& files) {
  ForeignRig rig{.format = "mrcal"};
  for (const std::filesystem::path& file : files) rig.cameras.push_back(ReadModel(file));
  return rig;
}

std::string MrcalText(const ForeignCamera& foreign) {
  const Camera& camera = foreign.camera;
  const std::span<const double> numbers =
      std::span(camera.intrinsics).first(4 + DistortionNames(camera.lens).size());
  const Eigen::Vector3d r = VectorOf(foreign.camera_from_frame.R), t = foreign.camera_from_frame.t;
  return fmt::format(
      "{{\n    'lensmodel':  'LENSMODEL_OPENCV{}',\n\n"
      "    # intrinsics are fx,fy,cx,cy,distortion0,distortion1,....\n"
      "    'intrinsics': [ {},],\n\n"
      "    # extrinsics are rt_fromref\n"
      "    'extrinsics': [ {}, {}, {}, {}, {}, {},],\n\n"
      "    'imagersize': [ {}, {},]\n}}\n",
      numbers.size() - 4, fmt::join(numbers, ", "), r[0], r[1], r[2], t[0], t[1], t[2],
      camera.width, camera.height);
}

}  // namespace percuss::calibration
