// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/view.h"

#include <fmt/core.h>

#include <stdexcept>

namespace percuss::tracking {

StereoViews ViewsOf(const calibration::RigCalibration& calibration) {
  if (calibration.cameras.size() != 2) {
    throw std::invalid_argument(fmt::format("calibration.cameras: found {} cameras, allowed are 2",
                                            calibration.cameras.size()));
  }
  return {View{calibration.cameras[0].camera, calibration.CameraFromWorld(0)},
          View{calibration.cameras[1].camera, calibration.CameraFromWorld(1)}};
}

std::optional<ProjectedPoint> ProjectDisc(const View& view, const Eigen::Vector3d& p_W,
                                          const Eigen::Vector3d& n_W, double radius) {
  const Eigen::Matrix3d& R_CW = view.camera_from_world.R;
  const Eigen::Vector3d centre_C = view.camera_from_world * p_W;
  if (!(centre_C.z() > 1e-6)) return std::nullopt;
  const Eigen::Vector3d p_C = DiscImageCentre<double>(centre_C, R_CW * n_W, radius);
  const calibration::Projection projection = calibration::ProjectWithDerivatives(view.camera, p_C);
  return ProjectedPoint{projection.pixel, projection.by_point * R_CW};
}

std::optional<TriangulatedPoint> Triangulate(const StereoViews& views,
                                             const std::array<Eigen::Vector2d, 2>& pixels,
                                             const std::array<Eigen::Matrix2d, 2>& covariances) {
  const std::array<calibration::Sight, 2> sights = {
      {{views[0], pixels[0], covariances[0]}, {views[1], pixels[1], covariances[1]}}};
  return calibration::Triangulate(sights);
}

}  // namespace percuss::tracking
