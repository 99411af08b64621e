// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/foreign/foreign_rig.h"

#include <fmt/format.h>

namespace percuss::calibration {

ForeignRig ForeignRigOf(const RigCalibration& calibration) {
  ForeignRig rig{.format = "Percuss"};
  rig.covariance = calibration.covariance;
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c) {
    rig.cameras.push_back({.name = calibration.cameras[c].name,
                           .camera = calibration.cameras[c].camera,
                           .camera_from_frame = calibration.CameraFromWorld(c)});
  }
  return rig;
}

RigCalibration CalibrationOf(const ForeignRig& rig) {
  RigCalibration calibration;
  const Pose frame_from_first = rig.cameras.front().camera_from_frame.Inverse();
  for (const ForeignCamera& camera : rig.cameras) {
    calibration.cameras.push_back({.name = camera.name,
                                   .camera = camera.camera,
                                   .from_first = camera.camera_from_frame * frame_from_first});
  }
  calibration.cameras.front().from_first = {};
  calibration.world_from_first = frame_from_first;
  const int size = NumRigParameters(calibration.Places().num_cameras);
  calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  calibration.quality.coverage.assign(calibration.cameras.size(), 0.0);
  calibration.verdict_reasons = {fmt::format(
      "taken over from {}, whose file says nothing of errors and of the surface: name it under "
      "calibration.file of an experiment, with a picture of the board on the surface",
      rig.format)};
  return calibration;
}

}  // namespace percuss::calibration
