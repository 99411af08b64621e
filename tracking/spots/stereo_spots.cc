// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/stereo_spots.h"

#include <numbers>

#include "capture/video/synchronisation.h"

namespace percuss::tracking {

double FaceOnArea(const View& view, const Eigen::Vector3d& p_W, double marker_diameter) {
  const double depth = (view.camera_from_world * p_W).z();
  const double diameter_px = view.camera.intrinsics[0] * marker_diameter / depth;
  return 0.25 * std::numbers::pi * diameter_px * diameter_px;
}

double Exposure::Delay(double y_px, const View& view) const {
  return after + capture::RowDelay(y_px, view.camera.height, line_time);
}

double StereoSpots::TimeOf(const Eigen::Vector2d& pixel, int side, const Views& views) const {
  return time + exposure[side].Delay(pixel.y(), views[side]);
}

}  // namespace percuss::tracking
