// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "report/overlay/frame_strips.h"

namespace percuss::report {

/// One camera that looks along -z of W from 1 m above its origin; f = 1000 px, image 640 x 480: x
/// of W is x of the picture, y of W is -y.
inline std::vector<NamedView> OneView() {
  NamedView named{.name = "left"};
  named.view.camera = {.width = 640, .height = 480};
  named.view.camera.intrinsics = {1000, 1000, 319.5, 239.5};
  named.view.camera_from_world.R = Eigen::Vector3d(1, -1, -1).asDiagonal();
  named.view.camera_from_world.t = {0, 0, 1};
  return {named};
}

}  // namespace percuss::report
