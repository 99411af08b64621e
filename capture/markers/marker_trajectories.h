// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace percuss::capture {

/// Marker trajectories of any motion-capture system, in its own world frame.
struct MarkerTrajectories {
  double frame_rate = 0.0;           ///< [Hz]
  std::vector<std::string> markers;  ///< distinct, not empty
  std::vector<double> times;         ///< of each frame [s], increasing
  /// [frame][marker] [m]; a marker not seen in a frame has NaN in all three.
  std::vector<std::vector<Eigen::Vector3d>> positions;
};

/// A marker that was seen has three finite coordinates, one that was not has none.
bool IsMissing(const Eigen::Vector3d& position);

struct ReadMarkersOptions {
  /// Takes the complete frames of a file that ends before the number of frames it states, or
  /// within its last line. Otherwise such a file is refused.
  bool partial = false;
};

}  // namespace percuss::capture
