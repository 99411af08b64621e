// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/changed_calibration.h"

namespace percuss::pipeline {

using calibration::Pose;
using calibration::RigCalibration;

RigCalibration Scaled(RigCalibration rig, double factor) {
  Eigen::VectorXd by = Eigen::VectorXd::Ones(rig.covariance.rows());
  const auto lengths = [&](int place) { by.segment<3>(place + 3).setConstant(factor); };
  for (int camera = 1; camera < rig.Places().num_cameras; ++camera) {
    rig.cameras[camera].from_first.t *= factor;
    lengths(rig.Places().CameraPose(camera));
  }
  rig.world_from_first.t *= factor;
  lengths(rig.Places().World());
  rig.covariance = by.asDiagonal() * rig.covariance * by.asDiagonal();
  return rig;
}

RigCalibration WithWorldMoved(RigCalibration rig, const Eigen::Matrix3d& R,
                              const Eigen::Vector3d& shift) {
  rig.world_from_first = Pose{R, shift} * rig.world_from_first;
  Eigen::MatrixXd by = Eigen::MatrixXd::Identity(rig.covariance.rows(), rig.covariance.cols());
  const int world = rig.Places().World();
  by.block<3, 3>(world, world) = R;
  by.block<3, 3>(world + 3, world + 3) = R;
  rig.covariance = by * rig.covariance * by.transpose();
  return rig;
}

RigCalibration WithCameraTurned(RigCalibration rig, std::size_t camera, const Eigen::Matrix3d& turn,
                                double sigma) {
  const Pose turned{turn, Eigen::Vector3d::Zero()};
  if (camera > 0) {
    rig.cameras[camera].from_first = turned * rig.cameras[camera].from_first;
  } else {
    rig.cameras[1].from_first = rig.cameras[1].from_first * turned.Inverse();
    rig.world_from_first = rig.world_from_first * turned.Inverse();
  }
  const int place = rig.Places().CameraPose(1);
  rig.covariance.diagonal().segment<3>(place).array() += sigma * sigma;
  return rig;
}

}  // namespace percuss::pipeline
