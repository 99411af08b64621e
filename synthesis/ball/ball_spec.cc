// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

Camera BallCamera(int width, int height, double focal_length_px, const Eigen::Vector3d& position,
                  const Eigen::Vector3d& target, double roll) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.fx = camera.fy = focal_length_px;
  camera.cx = 0.5 * (width - 1);
  camera.cy = 0.5 * (height - 1);
  camera.R_CW = LookAt(position, target, roll);
  camera.t_CW = -camera.R_CW * position;
  return camera;
}

}  // namespace percuss::synthesis
