// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/rig_calibration.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

namespace percuss::calibration {

ImageMap RasterOf(const Camera& camera) {
  constexpr int kMapColumns = 13, kMapRows = 9;
  ImageMap map{.columns = kMapColumns, .rows = kMapRows, .pixels = {}, .values = {}};
  for (int j = 0; j < kMapRows; ++j) {
    for (int i = 0; i < kMapColumns; ++i) {
      map.pixels.emplace_back((camera.width - 1.0) * i / (kMapColumns - 1.0),
                              (camera.height - 1.0) * j / (kMapRows - 1.0));
    }
  }
  map.values.assign(map.pixels.size(), std::numeric_limits<double>::quiet_NaN());
  return map;
}

std::string FilesOf(const ViewReport& view) {
  std::string files;
  for (const ViewImageReport& image : view.images) {
    if (!image.file.empty()) files += (files.empty() ? "" : ", ") + image.file;
  }
  return files;
}

RigCalibration Perturbed(const RigCalibration& calibration, const Eigen::VectorXd& delta) {
  const ParameterPlaces places = calibration.Places();
  if (delta.size() != NumRigParameters(places.num_cameras)) {
    throw std::invalid_argument(fmt::format("delta: found {} numbers, allowed {}", delta.size(),
                                            NumRigParameters(places.num_cameras)));
  }
  RigCalibration result = calibration;
  for (int c = 0; c < places.num_cameras; ++c) {
    CalibratedCamera& camera = result.cameras[c];
    for (int k = 0; k < kNumIntrinsics; ++k) {
      camera.camera.intrinsics[k] += delta[places.Intrinsics(c) + k];
    }
    if (c > 0) camera.from_first = Moved(camera.from_first, delta.segment<6>(places.CameraPose(c)));
  }
  result.world_from_first = Moved(result.world_from_first, delta.segment<6>(places.World()));
  return result;
}

std::vector<std::string> ParameterNames(const RigCalibration& calibration) {
  const ParameterPlaces places = calibration.Places();
  std::vector<std::string> names(NumRigParameters(places.num_cameras));
  const std::string& first = calibration.cameras.front().name;
  const auto name_pose = [&](int place, const std::string& pose) {
    static constexpr std::array kParts = {"rotation x", "rotation y", "rotation z",
                                          "t x",        "t y",        "t z"};
    for (const char* part : kParts) {
      names[place++] = fmt::format("{}_from_{} {}", pose, first, part);
    }
  };
  for (int c = 0; c < places.num_cameras; ++c) {
    const CalibratedCamera& camera = calibration.cameras[c];
    auto place = static_cast<std::size_t>(places.Intrinsics(c));
    for (const char* name : {"fx", "fy", "cx", "cy"}) names[place++] = camera.name + " " + name;
    for (const std::string_view name : DistortionNames(camera.camera.lens)) {
      names[place++] = fmt::format("{} {}", camera.name, name);
    }
    if (c > 0) name_pose(places.CameraPose(c), camera.name);
  }
  name_pose(places.World(), "world");
  return names;
}

std::vector<int> NamedPlaces(const std::vector<std::string>& names) {
  std::vector<int> places;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].empty()) places.push_back(static_cast<int>(k));
  }
  return places;
}

double BaselineSigma(const RigCalibration& calibration, std::size_t camera) {
  const Eigen::Vector3d direction = calibration.cameras[camera].from_first.t.normalized();
  const int place = calibration.Places().CameraPose(static_cast<int>(camera)) + 3;
  return std::sqrt(direction.dot(calibration.covariance.block<3, 3>(place, place) * direction));
}

}  // namespace percuss::calibration
