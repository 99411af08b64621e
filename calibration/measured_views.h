// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle/bundle.h"
#include "calibration/targets/target.h"

namespace percuss::calibration {

/// What was found in a picture as a measurement of the bundle, all points that were measured used.
inline TargetImage Measured(const BoardCorners& corners) {
  if (!corners.found) return {};
  TargetImage image{.pixels = corners.pixels, .used = {}, .centroids = corners.pixels};
  for (const Eigen::Vector2d& pixel : image.pixels)
    image.used.push_back(static_cast<char>(pixel.allFinite()));
  return image;
}

}  // namespace percuss::calibration
