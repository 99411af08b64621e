// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "calibration/rig/view.h"
#include "tracking/spots/marker_detection.h"

namespace percuss::tracking {

/// Area in pixels that a disc at a point covers, seen face on.
double FaceOnArea(const View& view, const Eigen::Vector3d& p_W, double marker_diameter);

/// When a view exposed what it shows of an instant: rows differ under a rolling shutter.
struct Exposure {
  double after = 0.0;      ///< middle row, after the instant [s]
  double line_time = 0.0;  ///< from row to row [s]

  bool AtInstant() const { return after == 0.0 && line_time == 0.0; }
  /// Seconds after the instant at which a row was exposed.
  double Delay(double y_px, const View& view) const;
};

/// The spots of one instant in both views; a view without a picture of it has none.
struct StereoSpots {
  double time = 0.0;  ///< [s]
  std::array<std::vector<Blob>, 2> blobs;
  std::array<Exposure, 2> exposure = {};
  /// How far each spot went between `time` and its exposure, from its own motion in the image [px];
  /// NaN where that is not known. Empty for a view that exposes at `time`.
  std::array<std::vector<Eigen::Vector2d>, 2> travel = {};

  /// When a view exposed a spot [s].
  double TimeOf(const Eigen::Vector2d& pixel, int side, const Views& views) const;
};

}  // namespace percuss::tracking
