// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading of truth.json files of the rendered data sets, for tests and benchmarks.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "calibration/rig/rig_calibration.h"

namespace percuss::truth {

inline nlohmann::json Read(const std::filesystem::path& folder) {
  std::ifstream stream(folder / "truth.json");
  return nlohmann::json::parse(stream);
}

inline Eigen::Vector3d Vector(const nlohmann::json& j) {
  return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>()};
}

inline Eigen::Quaterniond Quaternion(const nlohmann::json& j) {
  return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>(),
          j.at(3).get<double>()};
}

inline Eigen::Matrix3d Matrix(const nlohmann::json& j) {
  Eigen::Matrix3d m;
  for (int row = 0; row < 3; ++row)
    m.row(row) = Vector(j.at(static_cast<std::size_t>(row))).transpose();
  return m;
}

/// The exact calibration, with zero covariance.
inline calibration::RigCalibration Calibration(const nlohmann::json& truth) {
  calibration::RigCalibration calibration;
  for (const char* side : {"left", "right"}) {
    const nlohmann::json& c = truth.at("cameras").at(side);
    calibration::Camera camera;
    camera.width = truth.at("image_size").at(0).get<int>();
    camera.height = truth.at("image_size").at(1).get<int>();
    const char* names[] = {"fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3"};
    for (std::size_t i = 0; i < 9; ++i) camera.intrinsics[i] = c.at(names[i]).get<double>();
    calibration.cameras.push_back({.name = side, .camera = camera, .from_first = {}});
  }
  calibration.cameras[1].from_first = {Matrix(truth.at("stereo").at("R")),
                                       Vector(truth.at("stereo").at("t"))};
  const int size = calibration::NumRigParameters(2);
  calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  const nlohmann::json& left = truth.at("world_to_left");
  calibration.world_from_first =
      calibration::Pose{Matrix(left.at("R")), Vector(left.at("t"))}.Inverse();
  calibration.quality.coverage.assign(2, 1.0);
  calibration.verdict = "ok";
  return calibration;
}

}  // namespace percuss::truth
