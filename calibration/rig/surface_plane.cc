// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/surface_plane.h"

#include "calibration/rig/camera.h"

namespace percuss::calibration {

SurfacePlane Turned(SurfacePlane plane, const Eigen::Vector3d& rotation) {
  plane.normal = RotationFromVector(rotation) * plane.normal;
  return plane;
}

}  // namespace percuss::calibration
