// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/parameter_derivatives.h"

#include <Eigen/Cholesky>

#include "base/math/geometry.h"
#include "calibration/rig/triangulation.h"

namespace percuss::calibration {
namespace {}  // namespace

bool Sees(const RigCalibration& rig, std::size_t camera, const Eigen::Vector3d& p_W) {
  const Eigen::Vector3d p_C = rig.CameraFromWorld(camera) * p_W;
  if (!(p_C.z() > 0.0)) return false;
  const Camera& lens = rig.cameras[camera].camera;
  const Eigen::Vector2d pixel = Project(lens, p_C);
  return pixel.x() > -0.5 && pixel.y() > -0.5 && pixel.x() < lens.width - 0.5 &&
         pixel.y() < lens.height - 0.5;
}

Eigen::Matrix<double, 2, Eigen::Dynamic> PixelByParameters(const RigCalibration& rig,
                                                           std::size_t camera,
                                                           const Eigen::Vector3d& p_W) {
  const ParameterPlaces places = rig.Places();
  const int c = static_cast<int>(camera);
  const Pose& X_WF = rig.world_from_first;
  const Pose& X_CF = rig.cameras[camera].from_first;
  const Eigen::Vector3d p_F = X_WF.Inverse() * p_W;
  const Eigen::Vector3d rotated = X_CF.R * p_F;
  const Projection projection =
      ProjectWithDerivatives(rig.cameras[camera].camera, rotated + X_CF.t);
  Eigen::Matrix<double, 2, Eigen::Dynamic> jacobian =
      Eigen::Matrix<double, 2, Eigen::Dynamic>::Zero(2, NumRigParameters(places.num_cameras));
  jacobian.middleCols<kNumIntrinsics>(places.Intrinsics(c)) = projection.by_intrinsics;
  if (c > 0) {
    jacobian.middleCols<3>(places.CameraPose(c)) = -projection.by_point * Skew(rotated);
    jacobian.middleCols<3>(places.CameraPose(c) + 3) = projection.by_point;
  }
  // p_F = R^T exp(-d) (p_W - t - dt)
  const Eigen::Matrix<double, 2, 3> by_turned = projection.by_point * X_CF.R * X_WF.R.transpose();
  jacobian.middleCols<3>(places.World()) = by_turned * Skew(p_W - X_WF.t);
  jacobian.middleCols<3>(places.World() + 3) = -by_turned;
  return jacobian;
}

Eigen::Matrix<double, 3, Eigen::Dynamic> PointByParameters(const RigCalibration& rig,
                                                           const Eigen::Vector3d& p_W) {
  const int size = NumRigParameters(rig.Places().num_cameras);
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Eigen::MatrixXd mixed = Eigen::MatrixXd::Zero(3, size);
  int num_seen = 0;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    if (!Sees(rig, c, p_W)) continue;
    ++num_seen;
    const View view{rig.cameras[c].camera, rig.CameraFromWorld(c)};
    const Eigen::Matrix<double, 2, 3> by_point = ProjectPoint(view, p_W)->by_point;
    information += by_point.transpose() * by_point;
    mixed += by_point.transpose() * PixelByParameters(rig, c, p_W);
  }
  if (num_seen < (rig.Triangulates() ? 2 : 1)) return {};
  if (rig.Triangulates()) return -information.ldlt().solve(mixed);
  Eigen::Matrix<double, 3, 2> in_plane = Eigen::Matrix<double, 3, 2>::Zero();
  in_plane(0, 0) = in_plane(rig.planar ? 2 : 1, 1) = 1.0;
  const Eigen::Matrix2d plane_information = in_plane.transpose() * information * in_plane;
  return -in_plane * plane_information.ldlt().solve(in_plane.transpose() * mixed);
}

}  // namespace percuss::calibration
