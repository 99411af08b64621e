// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/stereo_spots.h"

#include "capture/video/synchronisation.h"

namespace percuss::tracking {

double Exposure::Delay(double y_px, const View& view) const {
  return after + capture::RowDelay(y_px, view.camera.height, line_time);
}

double StereoSpots::TimeOf(const Eigen::Vector2d& pixel, int side, const Views& views) const {
  return time + exposure[side].Delay(pixel.y(), views[side]);
}

}  // namespace percuss::tracking
