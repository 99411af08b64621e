// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace percuss::calibration {

/// How the board is held in one frame, and what the frame is worth.
struct Candidate {
  Eigen::VectorXd place;  ///< coordinates in which equal distances are equally different views
  double error_px = 0.0;  ///< expected error of a corner beyond that of a board at rest
};

/// What distinguishes views of the board for one camera, from its points as rays: where the board
/// is in the picture (over the spread of all rays), its distance (logarithm), the direction of its
/// normal, and its turn in its plane. Views that differ in these tell different things of a lens:
/// place of its distortion, tilt and distance of its focal length (Z. Zhang, A flexible new
/// technique for camera calibration, 2000, section 2.4).
/// @param board Places of the points in board axes [m].
/// @param half_width Largest |x| of a ray in the picture.
/// @returns A vector of 7, empty if the points do not tell.
Eigen::VectorXd ViewCoordinates(const std::vector<Eigen::Vector2d>& rays,
                                const std::vector<Eigen::Vector3d>& board, double half_width);

/// At most `count` candidates that are as different and as sharp as can be had: the sharpest one
/// first, then always the one whose distance to the nearest chosen one, times its weight
/// 1 / sqrt(1 + (error / noise)^2), is largest (the greedy choice of centres, T. Gonzalez, 1985).
/// Ends early where all are near to those chosen. In order of the candidates.
std::vector<std::size_t> ChooseViews(const std::vector<Candidate>& candidates, std::size_t count,
                                     double noise_px);

}  // namespace percuss::calibration
