// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "tracking/ball/clip.h"
#include "tracking/bounces/bounce_model.h"
#include "tracking/outline/ball_shade.h"
#include "tracking/outline/ball_sighting.h"

namespace percuss::tracking {

/// What one frame shows of the ball's surface, on a square grid over the disc as it is seen.
///
/// A place n on the surface (unit, from the centre) has the coordinates q = camera_from_look^T n in
/// axes x to the right, y up, z towards the camera. The grid spans -kReach to kReach in x and y;
/// places outside of kReach from the middle are seen too obliquely.
struct BallLook {
  static constexpr double kReach = 0.87;
  double time = 0.0;  ///< when the row of the centre was exposed [s]
  Eigen::Matrix3d camera_from_look = Eigen::Matrix3d::Identity();
  /// A place at q was seen later by row_delay . (x, y) [s]: rolling shutter.
  Eigen::Vector2d row_delay = Eigen::Vector2d::Zero();
  int size = 0;               ///< nodes each way
  std::vector<float> values;  ///< size^2, row by row of y; NaN where nothing is seen

  Eigen::Vector2d NodeAt(int column, int row) const;
  /// Bilinear; NaN outside.
  float At(double x, double y) const;
};

/// The light of the ball in frames of its flights: one list per flight, in the order of time.
/// Frames between a contact's start and end are for the caller to leave out.
/// @param used places in `sightings`
/// @param light_of_grey capture::LightOfGrey of the clip's tone
std::vector<std::vector<BallLook>> LooksOfFlights(const ClipFrames& frames,
                                                  const CameraShake& shake,
                                                  const BouncingBall& ball,
                                                  std::span<const BallSighting> sightings,
                                                  std::span<const int> used,
                                                  const std::array<float, 256>& light_of_grey);

/// Turns light into pattern, light / shade - 1, in place. The shade is
///     c_0 + c_1 max(0, lamp . n) + c . ShadeTerms(n)
/// in axes of the camera, fitted robustly (Tukey) to all looks together: a pattern that turns is at
/// other normals in other frames, and averages out of it.
/// @param lamp as in BallShade: x right, y down, z towards the camera
void DivideOutShade(const Eigen::Vector3d& lamp, std::vector<std::vector<BallLook>>* flights);

}  // namespace percuss::tracking
