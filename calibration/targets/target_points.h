// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "calibration/targets/corner_refinement.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// The points of a calibration target in one image: the inner corners of a chessboard or ChArUco
/// board, the corners of the tags of an AprilGrid, or the centroids of the discs of a circle grid.
///
/// Point (i, j), i along the columns, is at place j * columns + i, as in TargetPoints. The rows run
/// clockwise from the columns as seen from the printed side. Where the picture does not tell the
/// ends of the target apart (see the finders), order_known is false and, of the orders that the
/// picture allows, the one is taken whose columns point furthest to the right in the image.
struct BoardCorners {
  bool found = false;
  std::string reason;  ///< why it was not found
  bool order_known = false;
  /// One entry for each target point, NaN where it was not seen or could not be measured; empty
  /// unless found. The centroid of a disc's image is not the image of its centre: see
  /// DiscCentroidOffset.
  std::vector<Eigen::Vector2d> pixels;
  /// Of `pixels`, from image noise [px^2]; NaN where they are.
  std::vector<Eigen::Matrix2d> covariances_px2;
};

struct FindBoardOptions {
  CornerRefinementOptions refinement = {};
  /// Chessboards only: just the detector that takes a tenth of a second whatever the picture shows;
  /// the others take some seconds where they find nothing.
  bool quick = false;
  /// Chessboards only: just the detector that takes some milliseconds whatever the picture shows,
  /// for the many frames of a video; it misses more.
  bool brief = false;
};

/// Places of the points in board axes [m]: x along the columns, y against the rows, z = 0, out of
/// the printed side.
///     chessboard, ChArUco, circles:  point (i, j) at (square i, -square j, 0)
///     AprilGrid:                     point (i, j) at (square a_i, -square a_j, 0),
///                                    a_i = floor(i / 2) (1 + spacing) + i mod 2
///     asymmetric circles:            point (i, j) at (square (2 i + j mod 2), -square j, 0)
/// so that every odd row of asymmetric circles is shifted by `square` along x: OpenCV's layout.
std::vector<Eigen::Vector3d> TargetPoints(const capture::Board& board);

/// "chessboard of 9 x 6 inner corners", for messages.
std::string DescribeTarget(const capture::Board& board);

}  // namespace percuss::calibration
