// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// Poses of a body in the axes of a camera from the directions in which it sees three points of the
/// body: up to four, all in front of the camera. The distances s_i follow from the law of cosines
/// in the three triangles of camera and two points, s_2 = u s_1, s_3 = v s_1 and a quartic in v
/// (J. Grunert 1841, as in R. Haralick et al., IJCV 13(3), 1994). Three points that the camera sees
/// on one line, or that lie on one, give none.
/// @param directions unit vectors, camera axes
/// @param p_B the points, body axes [m]
std::vector<BodyPose> PosesOfThreePoints(const std::array<Eigen::Vector3d, 3>& directions,
                                         const std::array<Eigen::Vector3d, 3>& p_B);

}  // namespace percuss::tracking
